// What the betting panel foresees of a book.

import assert from "node:assert/strict";
import { test } from "node:test";
import { sideTotals, stakeMultiplier } from "../../../static/js/state/matching.js";

test("a bet is paid as often as its game counts, or always once", () => {
  const paid = (laws) => [stakeMultiplier(laws), ...[1, 2, 3].map((stake) => stakeMultiplier(laws, stake))];
  assert.deepEqual(paid({}), [3, 1, 2, 3]);
  assert.deepEqual(paid({ gallery_stakes: "game" }), [3, 1, 2, 3]);
  assert.deepEqual(paid({ gallery_stakes: "single" }), [1, 1, 1, 1]);
});

test("the house's cover lies on its side while bets are taken", () => {
  const totals = { house_cents: 0, challenger_cents: 4120, matched_cents: 4120, cover: null };
  const open = { phase: "betting", book: totals };
  assert.deepEqual(sideTotals(open, "house"), { total: 4120, cover: 4120, rest: 0 });
  assert.deepEqual(sideTotals(open, "challenger"), { total: 4120, cover: 0, rest: 0 });
});

test("what is not matched lies there until the lock, then both sides are equal", () => {
  const totals = { house_cents: 4030, challenger_cents: 3440, matched_cents: 3440, cover: null };
  assert.deepEqual(sideTotals({ phase: "betting", book: totals }, "house"), {
    total: 4030,
    cover: 0,
    rest: 590,
  });
  for (const phase of ["locked", "closed", "playing", "over"]) {
    assert.deepEqual(sideTotals({ phase, book: totals }, "house"), { total: 3440, cover: 0, rest: 590 });
    assert.equal(sideTotals({ phase, book: totals }, "challenger").total, 3440);
  }
});
