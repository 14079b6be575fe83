// The review of a game: which step shows a decision, its words, its severity. Pure.

import { cardSign } from "../felt/cards.js";
import { isCard, parseCards } from "../state/tokens.js";
import { spokenWords } from "./event_text.js";
import { percent, t } from "./i18n.js";

/** @import { Step } from "../state/replay.js" */

/** Smaller differences are noise: hidden hands are sampled. */
export const NOISE = 0.02;
const GRAVE = 0.06;

export const formatProbability = (/** @type {number} */ share) => percent(share, 1, 1);

/** @type {Record<string, string>} */
const ACTIONS = {
  P: "Propose",
  S: "Play these cards",
  A: "Agree",
  R: "Refuse cards",
  K: "Announce the king",
};

/** Return an action in a word, or as cards. @param {string} action */
export function actionText(action) {
  if (isCard(action)) return cardSign(action);
  if (/^X./.test(action))
    return t("Exchange {cards}", { cards: parseCards(action.slice(1)).map(cardSign).join(" ") });
  return ACTIONS[action] ? t(ACTIONS[action]) : (spokenWords(action)?.[0] ?? action);
}

/** @param {Wire.Decision} decision @returns {"good" | "loose" | "grave"} */
export const severity = ({ cost }) => (cost < NOISE ? "good" : cost < GRAVE ? "loose" : "grave");

/**
 * Return the step of each decision, found by its index among the actions of its deal; -1 if none.
 * @param {Wire.Decision[]} decisions
 * @param {Step[]} steps
 */
export function decisionSteps(decisions, steps) {
  /** @type {Record<string, number>} */
  const places = {};
  /** @type {Record<number, number>} */
  const counts = {};
  steps.forEach(({ event, state }, at) => {
    if (event.type !== "action") return;
    const { number } = state.deal;
    counts[number] = (counts[number] ?? 0) + 1;
    places[`${number}/${counts[number]}`] = at;
  });
  return decisions.map(({ deal, token }) => places[`${deal}/${token}`] ?? -1);
}

/** @param {Wire.Decision} decision */
export const challengerProbability = (decision) =>
  decision.seat === "challenger" ? decision.chance : 1 - decision.chance;

/** @param {Wire.Decision[]} decisions @param {Wire.Seat} seat */
export function mistakesOf(decisions, seat) {
  const mine = decisions.filter((one) => one.seat === seat && one.cost >= NOISE);
  return mine.sort((a, b) => b.cost - a.cost);
}
