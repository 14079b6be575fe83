// The chip rail: what lies ready, what a person types, how chips make up an amount.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as rail from "../../../static/js/table/chips.js";
import { betCents, betText, restText } from "../../../static/js/table/gallery.js";

test("chips laid out are taken back, doubled and cleared", () => {
  const laid = [500, 100];
  const left = Object.entries(rail.TOOLS).map(([name, change]) => [name, rail.total(change(laid))]);
  assert.equal(left.join(), "undo,500,clear,0,double,1200");
});

for (const [typed, cents] of [
  ["5", 500],
  ["5.5", 550],
  ["5,05", 505],
  ["1 000", 100000],
  ["1\u202f000,50", 100050],
  ["1'000.50", 100050],
  ["1,000", 100000],
  ["12,345,678.90", 1234567890],
  ["1,0000", null],
  ["1,000,5", null],
  ["", null],
  ["abc", null],
  ["-5", null],
  ["5.555", null],
  ["1e3", null],
]) {
  test(`typed “${typed}” is ${cents}`, () => assert.equal(rail.parseChips(typed), cents));
}

test("a comma between thousands is one in English only: elsewhere it would be a part of a chip", () => {
  for (const language of ["fr", "ru"])
    assert.deepEqual([rail.parseChips("1,000", language), rail.parseChips("1,05", language)], [null, 105]);
});

test("five chips fit the limits of a table", () => {
  assert.deepEqual(rail.railValues({ least_cents: 100 }), [100, 500, 2500, 10000, 50000]);
  assert.deepEqual(rail.railValues({ least_cents: 5000 }), [2500, 10000, 50000, 250000, 1000000]);
  assert.equal(rail.railValues({ least_cents: 10_000_000 }).length, 5);
});

test("a pile is made of the greatest chips first, and is never too high", () => {
  const counts = [2500, 500, 100].map((value) => ({ value, n: 1 }));
  assert.deepEqual([rail.pile(3100, 8), rail.pile(99, 8)], [counts, []]);
  assert.deepEqual(rail.pile(100_000_000, 8), [{ value: 1_000_000, n: 8 }]);
});

test("below a bettor stands the bet, then the part that plays, then the gain; others are summed up", () => {
  const bettor = { unit_cents: 500, matched_cents: 240, known: true };
  const none = { ...bettor, matched_cents: 0 };
  const told = (person, open) => betText(betCents(person, open), false);
  assert.deepEqual([told(bettor, true), told(bettor, false)], ["5.00", "2.40"]);
  assert.deepEqual([told(none, false), betText(-240, true)], ["unmatched", "−2.40"]);
  assert.deepEqual([restText([], false), restText([500, 240], false)], ["", "and 2 more: 7.40"]);
  assert.equal(restText([-500, -240], true), "and 2 more: −7.40");
});
