// A finished game step by step: every card in one place, both hands open, the score at the end.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { pieces } from "../../../static/js/layout.js";
import { explain, sentence } from "../../../static/js/narrate.js";
import { steps } from "../../../static/js/replay.js";
import { replay } from "../../../static/js/verify/game.js";

const file = new URL("../../golden/games.egr.jsonl", import.meta.url);
const records = readFileSync(file, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line))
  .filter((one) => one.deals.length);

test("golden games can be stepped through to their end", () => {
  assert.ok(records.length > 3);
  for (const record of records) {
    const all = steps(record, replay);
    const { deal, game } = all.at(-1).state;
    if (deal.phase === "over") assert.deepEqual(game.score, replay(record).score);
    assert.deepEqual(
      [...new Set(all.map((one) => one.number))],
      record.deals.map((_, at) => at + 1),
    );
  }
});

test("at every step each card lies in one place and something can be said", () => {
  for (const record of records) {
    const all = steps(record, replay);
    all.forEach(({ event, state }, at) => {
      const { hands, trick, taken, away } = state.deal;
      const cards = [
        ...hands.house,
        ...hands.challenger,
        ...trick,
        ...taken.house,
        ...taken.challenger,
        ...away,
      ].map((slot) => slot.card);
      assert.equal(new Set(cards).size, cards.length, `${record.game} ${at}`);
      const ids = pieces(state, true).map((one) => one.id);
      assert.equal(new Set(ids).size, ids.length);
      assert.ok(sentence(event, state, all[at - 1]?.state) || explain(state)[0]);
    });
  }
});
