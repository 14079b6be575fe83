// Seats and cards as messages name them.

/** @type {Wire.Seat[]} */
export const SEATS = ["house", "challenger"];

/** @param {Wire.Seat} seat @returns {Wire.Seat} */
export const opponent = (seat) => (seat === "house" ? "challenger" : "house");

/**
 * Return whether the viewer plays in a seat.
 * @param {{game: Pick<State.Game, "players" | "bots"> | null, you: Pick<State.You, "name">}} state
 * @param {Wire.Seat} seat
 */
export const isYou = ({ game, you }, seat) =>
  Boolean(you.name && game && !game.bots[seat] && game.players[seat] === you.name);

/** The ranks, from the highest. */
export const RANKS = "KQJAT987";

/** @param {string} card @param {string} other of the same suit */
export const isHigher = (card, other) => RANKS.indexOf(card[0]) < RANKS.indexOf(other[0]);

/** @param {string} action */
export const isCard = (action) => /^[KQJAT987][SHDC]$/.test(action);

/** Return whether an action is about cards exposed while dealing. @param {string} action */
export const isBeforeTurnUp = (action) => /^(E..|N|O)$/.test(action);

/** Return the cards of a token such as "KH7S". @param {string} [token] @returns {string[]} */
export const parseCards = (token = "") => token.match(/../g) ?? [];
