// Lines of the house's log in words.

import assert from "node:assert/strict";
import { test } from "node:test";
import { KINDS, leafDetails, leafTitle } from "../../../static/js/text/log_labels.js";

test("what happened is a sentence, of chips by what became of them", () => {
  assert.equal(leafTitle({ type: "game_opened" }), "A game begins");
  assert.equal(leafTitle({ type: "entry", move: "settle" }), "A game is paid");
  const types = Object.keys(KINDS);
  assert.equal(new Set(types.map((type) => leafTitle({ type }))).size, types.length);
});

test("what a later casino writes is called as it calls itself", () => {
  assert.equal(leafTitle({ type: "fireworks" }), "fireworks");
});

test("a line names its game, its player, its chips and its card as the pages do", () => {
  const bet = { type: "bet", game: "petit-000036", player: "Vera*2", unit_cents: 500 };
  assert.equal(leafDetails(bet), "Petit Salon #36 · Vera · 5.00");
  assert.equal(leafDetails({ type: "action", game: "t1-000001", action: "TH" }), "Table t1 #1 · 10♥");
  assert.equal(leafDetails({ type: "action", game: "t1-000001", action: "X????" }), "Table t1 #1");
  assert.equal(leafDetails({ type: "terms", table: "garnier" }), "Salon Garnier");
  assert.equal(leafDetails({ type: "run_started" }), "");
});
