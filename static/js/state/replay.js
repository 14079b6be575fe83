// A finished game as one state per visible step, both hands open. Pure.

import { fold, revealHand } from "./reducer.js";
import { anonymousViewer, fromSnapshot } from "./table_state.js";
import { parseCards, SEATS } from "./tokens.js";

/** @typedef {{event: Wire.Event, state: State.Running}} Step */

// Where a replay stops.
/** @type {Wire.Event["type"][]} */
const STEPS = ["dealt", "turned_up", "action", "trick", "deal_over", "game_over", "game_void"];

/** @param {Wire.Replay} replay */
export function replaySteps(replay) {
  let state = fromSnapshot(replay.snapshot, anonymousViewer());
  /** @type {Step[]} */
  const result = [];
  for (const { message, hands } of replay.steps) {
    state = fold(state, message);
    for (const seat of SEATS) state = revealHand(state, seat, parseCards(hands[seat]));
    const { game, deal } = state;
    if (game && deal && STEPS.includes(message.type)) {
      result.push({ event: message, state: { ...state, game, deal } });
    }
  }
  return result;
}
