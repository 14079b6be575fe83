// Seats and cards as messages name them.

/** @import { Seat } from "./messages" */

/** @type {Seat[]} */
export const SEATS = ["house", "challenger"];

/** @param {Seat} seat @returns {Seat} */
export const opponent = (seat) => (seat === "house" ? "challenger" : "house");

const CARD = /^[KQJAT987][SHDC]$/;

/** @param {string} action */
export const isCard = (action) => CARD.test(action);

/**
 * Return the cards of a list or of a token such as "KH7S".
 * @param {string | string[] | undefined} cards
 * @returns {string[]}
 */
export const parseCards = (cards) => (typeof cards === "string" ? (cards.match(/../g) ?? []) : (cards ?? []));
