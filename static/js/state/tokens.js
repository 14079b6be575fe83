// Seats and cards as messages name them.

export { isBeforeTurnUp, isCard, isHigher, opponent, RANKS, SEATS } from "../verify/tokens.js";

/**
 * Return whether the viewer plays in a seat.
 * @param {{game: Pick<State.Game, "players" | "bots"> | null, you: Pick<State.You, "name">}} state
 * @param {Wire.Seat} seat
 */
export const isYou = ({ game, you }, seat) =>
  Boolean(you.name && game && !game.bots[seat] && game.players[seat] === you.name);

/** Return the cards of a token such as "KH7S". @param {string} [token] @returns {string[]} */
export const parseCards = (token = "") => token.match(/../g) ?? [];
