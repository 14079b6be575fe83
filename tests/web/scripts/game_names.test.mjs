// What games are called in lists and on the felt.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gameNumber } from "../../../static/js/text/event_text.js";
import { gameName } from "../../../static/js/text/game_names.js";

test("a game is called by its table and its number", () => {
  assert.equal(gameName("petit-000036"), "Petit Salon 36");
  assert.equal(gameName("my-own-table-001200"), "Table my-own-table 1200");
  assert.equal(gameName("h1-p000012"), "Poule Table h1 12");
  assert.equal(gameName("garnier"), "Salon Garnier");
});

test("at its table the number is enough", () => {
  assert.deepEqual([gameNumber("petit-000036"), gameNumber("t1-000001")], [36, 1]);
});
