// A finished game as states of the table, one for each message that moves it, both hands open. Pure.

import { cardsOf } from "./card_moves.js";
import { fold, reveal } from "./reducer.js";
import { SEATS } from "./seats.js";
import { fromSnapshot, nobody } from "./table_state.js";

/** @import { Event, Retold } from "./messages" */
/** @import { Deal, Game, Table } from "./table" */

/** @typedef {{event: Event, state: Table & {game: Game, deal: Deal}}} Step */

/**
 * Where somebody who looks through a game stops.
 * @type {Event["type"][]}
 */
const STEPS = ["dealt", "turned_up", "action", "trick", "deal_over", "game_over", "game_void"];

/**
 * The steps of a game as the casino tells it again.
 * @param {Retold} told
 */
export function steps(told) {
  let state = fromSnapshot(told.snapshot, nobody());
  /** @type {Step[]} */
  const found = [];
  for (const { message, hands } of told.steps) {
    state = fold(state, message);
    for (const seat of SEATS) state = reveal(state, seat, cardsOf(hands[seat]));
    const { game, deal } = state;
    if (game && deal && STEPS.includes(message.type)) {
      found.push({ event: message, state: { ...state, game, deal } });
    }
  }
  return found;
}
