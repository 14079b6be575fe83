// Seats and cards as messages and records name them; the verifier imports no page code.

/** @type {Wire.Seat[]} */
export const SEATS = ["house", "challenger"];

/** @param {Wire.Seat} seat @returns {Wire.Seat} */
export const opponent = (seat) => (seat === "house" ? "challenger" : "house");

/** The ranks, from the highest. */
export const RANKS = "KQJAT987";

/** @param {string} card @param {string} other of the same suit */
export const isHigher = (card, other) => RANKS.indexOf(card[0]) < RANKS.indexOf(other[0]);

/** @param {string} action */
export const isCard = (action) => /^[KQJAT987][SHDC]$/.test(action);

/** Return whether an action is about cards exposed while dealing. @param {string} action */
export const isBeforeTurnUp = (action) => /^(E..|N|O)$/.test(action);
