// Which stage of a deal an action leads to, for the words under the table. Pure.
//
// This follows what is told and decides nothing: whose turn it is and what is legal, the server says.

/** @import { Deal } from "./table" */

/**
 * A deal once its trumps are known: the elder speaks.
 * @param {Deal} deal
 * @returns {Deal}
 */
export function afterTurnUp(deal) {
  return { ...deal, phase: "proposing", turn: deal.dealer === "house" ? "challenger" : "house" };
}

/**
 * Whether an action is about cards exposed while dealing.
 * @param {string} action
 */
export const isBeforeTurnUp = (action) => /^(E..|N|O)$/.test(action);

/**
 * The stage after an action.
 * @param {Deal} deal
 * @param {string} action
 * @returns {Partial<Deal>}
 */
export function phaseAfterAction(deal, action) {
  if (action.startsWith("X")) return { phase: afterExchange(deal), exchanged: true };
  if (action === "K") return {};
  if (action.startsWith("E")) return { phase: "exposed" };
  return { phase: PHASE_AFTER[action] ?? (deal.phase === "leading" ? "following" : "leading") };
}

/** @type {Record<string, string>} */
const PHASE_AFTER = {
  P: "answering",
  S: "leading",
  A: "elder_exchange",
  R: "leading",
  V: "leading",
  C: "over",
  N: "annulled",
  O: "dealing",
  W: "leading",
};

/** @param {Deal} deal */
function afterExchange({ phase, stock }) {
  if (phase === "elder_exchange") return "dealer_exchange";
  return stock > 0 ? "proposing" : "leading";
}
