// What the desk foresees against what the verifier, which shares no code with it, says of the same book.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  byOrder,
  expectedMatch,
  matchUnits,
  sideTotals,
  stakeMultiplier,
} from "../../../static/js/state/matching.js";
import { coverOf, match } from "../../../static/js/verify/matching.js";

const RULES = ["pro_rata", "last_in_first_out"];

// Numbers that are the same in every run: a linear congruence, its high bits.
function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function book(next) {
  const bets = Array.from({ length: next(12) }, (_, at) => ({
    order: at + 1,
    player: `p${next(5)}`,
    side: next(2) ? "house" : "challenger",
    unit_cents: 1 + next(next(2) ? 50 : 100_000_000),
  }));
  const cover = { house_cents: next(3) * next(1000), challenger_cents: next(3) * next(1000) };
  return { bets, cover };
}

test("what one more bet would have matched is what the verifier finds with it in the book", () => {
  const next = numbers(1);
  for (let round = 0; round < 2000; round += 1) {
    const { bets, cover } = book(next);
    const side = next(2) ? "house" : "challenger";
    const bet = { order: bets.length + 1, player: "me", side, unit_cents: 1 + next(5000) };
    const entered = [...bets, bet];
    const covering = coverOf(entered, cover, "challenger");
    for (const rule of RULES) {
      const whole = match(covering ? [...entered, covering] : entered, rule);
      const found = expectedMatch(bets, side, bet.unit_cents, cover, rule);
      assert.equal(found, whole.get(bet.order), `${rule} ${JSON.stringify({ entered, cover })}`);
    }
  }
});

test("each rule gives out all of it, to nobody more than was bet", () => {
  const next = numbers(2);
  for (let round = 0; round < 2000; round += 1) {
    const units = Array.from({ length: 1 + next(9) }, () => 1 + next(1000));
    const sum = units.reduce((total, unit) => total + unit, 0);
    const left = next(sum + 1);
    for (const rule of RULES) {
      const kept = matchUnits(units, left, rule);
      assert.equal(
        kept.reduce((total, cents) => total + cents, 0),
        left,
      );
      assert.ok(kept.every((cents, at) => cents >= 0 && cents <= units[at]));
    }
  }
});

test("shares are of the proportion, odd cents go to the largest remainders, then to the first", () => {
  assert.deepEqual(matchUnits([100, 100, 100], 200), [67, 67, 66]);
  assert.deepEqual(matchUnits([500, 300, 200], 333), [166, 100, 67]);
  assert.deepEqual(matchUnits([1, 2, 4], 6), [1, 2, 3]);
  assert.deepEqual(matchUnits([], 0), []);
  const great = 9_000_000_000_000;
  assert.deepEqual(matchUnits([great, great], great + 1), [great / 2 + 1, great / 2]);
});

test("last in, first out keeps the first bets whole", () => {
  assert.deepEqual(matchUnits([100, 100, 100], 150, "last_in_first_out"), [100, 50, 0]);
  assert.deepEqual(matchUnits([100, 100], 200, "last_in_first_out"), [100, 100]);
});

test("bets are taken in the order in which they were accepted, however they are told", () => {
  const told = [{ order: 3 }, { order: 1 }, { order: 2 }];
  assert.deepEqual(
    byOrder(told).map(({ order }) => order),
    [1, 2, 3],
  );
  assert.equal(told[0].order, 3, "what is told stays as it is");
});

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
