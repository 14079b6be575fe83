// The two seats of a table, and the sides one may back.

/** @import { Seat } from "./messages" */

/** @type {Seat[]} */
export const SEATS = ["house", "challenger"];

/**
 * The other seat.
 * @param {Seat} seat
 * @returns {Seat}
 */
export const opponent = (seat) => (seat === "house" ? "challenger" : "house");
