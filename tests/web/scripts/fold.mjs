// Folds what one visitor heard, given as {snapshots, frames} on standard input, as the page does it:
// whoever comes late must see the same as who was there, and a player always the hand he was told.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { pieces } from "../../../static/js/felt/layout.js";
import { fold, foldYou, isKnown } from "../../../static/js/state/reducer.js";
import { emptyTable, fromSnapshot } from "../../../static/js/state/table_state.js";
import { eventText } from "../../../static/js/text/event_text.js";

const { snapshots, frames } = JSON.parse(readFileSync(0, "utf8"));
const late = new Map(snapshots.map((one) => [one.version, one]));
let state = fromSnapshot(snapshots[0], emptyTable("").you);
const counts = { folded: 0, hands: 0, compared: 0, open: 0, sentences: 0 };

// What a table shows, without what only its history tells.
function shown({ game, deal, holder, queue, road }) {
  const playing = deal?.turn;
  return {
    holder,
    queue,
    road,
    game: game.id,
    seals: game.seals,
    opened: [game.cutsOpened, game.withheld],
    players: game.players,
    score: game.score,
    bets: game.bets
      .map((bet) => [bet.order, bet.player, bet.side, bet.unit_cents, bet.matched_cents])
      .sort(([a], [b]) => a - b),
    book: [game.book.house_cents, game.book.challenger_cents, game.book.matched_cents],
    deal: playing && {
      number: deal.number,
      dealer: deal.dealer,
      turn: deal.turn,
      turnUp: deal.turnUp,
      stock: deal.stock,
      tricks: deal.tricks,
      phase: deal.phase,
      sizes: [deal.hands.house.length, deal.hands.challenger.length],
      led: deal.trick.map((slot) => [slot.seat, slot.card]),
    },
  };
}

function compare() {
  const snapshot = late.get(state.version);
  if (
    snapshot?.game &&
    state.game?.id === snapshot.game &&
    ["betting", "locked", "closed", "playing"].includes(state.game.phase)
  ) {
    agree(fromSnapshot(snapshot, state.you));
  }
}

function agree(there) {
  assert.deepEqual(shown(there), shown(state), `version ${state.version}`);
  counts.compared += 1;
  counts.open += state.game.phase === "betting";
}

for (const frame of frames) {
  if (frame.type) {
    if (frame.version <= state.version) continue;
    assert.ok(isKnown(frame), frame.type);
    assert.equal(frame.version, state.version + 1);
    state = fold(state, frame);
    counts.sentences += eventText(frame, state) !== "";
    counts.folded += 1;
    compare();
  } else {
    state = foldYou(state, frame);
    if (frame.hand?.length && state.deal && !state.deal.over && frame.version === state.version) {
      assert.deepEqual(
        state.deal.hands.challenger.map((slot) => slot.card),
        frame.hand,
        `version ${state.version}`,
      );
      counts.hands += 1;
    }
  }
  const ids = pieces(state).map((one) => one.id);
  assert.equal(new Set(ids).size, ids.length, `a card lies twice at version ${state.version}`);
}
console.log(JSON.stringify(counts));
