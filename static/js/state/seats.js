// The two seats, which are also the sides one may bet on.

/** @import { Seat } from "./messages" */

/** @type {Seat[]} */
export const SEATS = ["house", "challenger"];

/** @param {Seat} seat @returns {Seat} */
export const opponent = (seat) => (seat === "house" ? "challenger" : "house");
