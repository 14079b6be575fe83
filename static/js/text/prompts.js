// Which card must be played and why, from the card led and the own hand. Pure.

import { playedCard } from "../felt/cards.js";
import { isCard, isHigher } from "../state/tokens.js";
import { t } from "./i18n.js";

// Sentences for each obligation: one playable card, or several.
/** @type {Record<string, [single: string, several: string]>} */
const PROMPTS = {
  take: [
    "Your turn: {led} was led, and {card} must take it.",
    "Your turn: {led} was led. Take it with a higher card of its suit.",
  ],
  follow: [
    "Your turn: {led} was led. Play the same suit: {card}.",
    "Your turn: {led} was led. Play a card of the same suit.",
  ],
  trump: [
    "Your turn: {led} was led. You have none of its suit: take it with a trump, {card}.",
    "Your turn: {led} was led. You have none of its suit: take it with a trump.",
  ],
};

/** @param {Pick<State.You, "legal" | "hand">} you @param {Pick<State.Deal, "trick" | "turnUp"> | null} deal */
export function cardPrompt({ legal, hand }, deal) {
  const led = deal?.trick[0]?.card;
  if (!led) return t("Your turn: play first, any card you like.");
  const cards = legal.filter(isCard);
  const trumps = deal?.turnUp?.[1] ?? "";
  const holds = (/** @type {string} */ suit) => hand.some((card) => card[1] === suit);
  if (!holds(led[1]) && !holds(trumps)) {
    return t("Your turn: {led} was led. You have neither its suit nor a trump: play any card.", {
      led: playedCard(led),
    });
  }
  const [single, several] = PROMPTS[obligation(cards, led, trumps)] ?? [];
  // A law may allow cards that break the rules: then nothing is owed.
  if (!single) return t("Your turn: play one of the raised cards.");
  return t(cards.length > 1 ? several : single, { led: playedCard(led), card: playedCard(cards[0]) });
}

/** @param {string[]} cards those that may be played @param {string} led @param {string} trumps */
function obligation(cards, led, trumps) {
  const all = (/** @type {string} */ suit) => cards.every((card) => card[1] === suit);
  if (!all(led[1])) return all(trumps) ? "trump" : "";
  return cards.every((card) => isHigher(card, led)) ? "take" : "follow";
}
