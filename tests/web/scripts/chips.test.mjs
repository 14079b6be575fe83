// The chip rail: what lies ready, what a person types, how chips make up an amount.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as rail from "../../../static/js/table/chips.js";

test("chips are added, taken back, doubled, cleared, and the last bet repeated", () => {
  let stack = rail.add(rail.add(rail.emptyStack(), 500), 100);
  assert.equal(rail.total(stack), 600);
  assert.equal(rail.total(rail.undo(stack)), 500);
  assert.equal(rail.total(rail.double(stack)), 1200);
  assert.equal(rail.total(rail.clear(stack)), 0);
  stack = rail.afterBet(stack);
  assert.equal(rail.total(stack), 0);
  assert.equal(rail.total(rail.repeat(stack)), 600);
  assert.equal(rail.repeat(rail.emptyStack()).chips.length, 0);
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
  assert.equal(rail.railValues({ least_cents: 10_000_000 }).length, rail.RAIL_SIZE);
});

test("a pile is made of the greatest chips first, and is never too high", () => {
  assert.deepEqual(rail.pile(3100), [2500, 500, 100]);
  assert.equal(rail.pile(100_000_000).length, 8);
  assert.deepEqual(rail.pile(99), []);
});
