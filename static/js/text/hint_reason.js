// Why the best choice of a hint is best, in one sentence. Pure.

import { isCard, isHigher, parseCards } from "../state/tokens.js";
import { t } from "./i18n.js";

const STRONG = "This hand wins three tricks often enough, and new cards would help your opponent too.";
const WEAK = "This hand too often fails to take three tricks: ask for better cards.";
/** @type {Record<string, string>} */
const REASONS = { S: STRONG, R: STRONG, P: WEAK, A: WEAK, K: "The king is a point at once." };

/**
 * Return the reason, or "" if no rule of thumb gives one.
 * @param {string} best
 * @param {string[]} hand
 * @param {string} turnUp
 * @param {boolean} leads
 */
export function hintReason(best, hand, turnUp, leads) {
  const isTrump = (/** @type {string} */ card) => card[1] === turnUp[1];
  if (best === "P" && hand.includes(`K${turnUp[1]}`))
    return t("With the king of trumps you cannot lose all five tricks: ask for better cards.");
  if (REASONS[best]) return t(REASONS[best]);
  if (best.startsWith("X"))
    return parseCards(best.slice(1)).some((card) => isTrump(card) || card[0] === "K")
      ? ""
      : t("Keep trumps and kings; any other card may be replaced by a better one.");
  if (!isCard(best) || !leads) return "";
  if (isTrump(best)) return t("A trump led draws a trump from your opponent.");
  const suit = hand.filter((card) => card[1] === best[1]);
  const isHighest = !suit.some((card) => isHigher(card, best));
  return suit.length > 1 && isHighest
    ? t("Lead the highest of a long suit: your opponent has to follow or to trump.")
    : "";
}
