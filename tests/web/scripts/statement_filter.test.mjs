// A statement game by game, movement by movement, and filtered.

import assert from "node:assert/strict";
import { test } from "node:test";
import { dayOf, filterLines, gameLines, movementLines } from "../../../static/js/account/statement_filter.js";

const NOON = new Date(2026, 10, 22, 12).getTime();
const DAY = 86_400_000;
const change = (move, game, cents, balance_cents, at_ms = NOON) => {
  return { move, game, cents, balance_cents, at_ms };
};
const CHANGES = [
  change("grant", "", 20_000, 20_000, NOON - DAY),
  change("hold", "t1-1", -15_000, 5_000),
  change("settle", "t1-1", 5_000, 10_000),
  change("hold", "t1-2", -1_500, 8_500),
  change("hold", "t2-1", -300, 8_200),
  change("release", "t2-1", 300, 8_500),
  change("settle", "t1-2", 2_450, 10_950),
  change("hold", "t1-3", -600, 10_350, NOON + DAY),
];

test("a game is one line that says what was lost or won in all", () => {
  const told = gameLines(CHANGES, ["t1-3"], ["t1-2", "t1-3"]);
  const lines = told.map(({ kind, game, cents }) => [kind, game, cents]);
  assert.deepEqual(lines, [
    ["grant", "", 20_000],
    ["lost", "t1-1", -10_000],
    ["even", "t2-1", 0],
    ["bet_won", "t1-2", 950],
    ["open", "t1-3", -600],
  ]);
});

test("a void game is void, and a correction stays one", () => {
  const gone = [change("hold", "t1-1", -300, 0), change("void", "t1-1", 300, 300)];
  assert.equal(gameLines(gone, [])[0].kind, "void");
  assert.equal(gameLines([...gone, change("correct", "t1-1", 5, 305)], [])[0].kind, "correct");
});

test("a game in which all was lost is lost though nothing came back", () => {
  const all = [change("hold", "t1-1", -1_500, 0)];
  assert.equal(gameLines(all, [])[0].kind, "lost");
  assert.equal(gameLines(all, ["t1-1"])[0].kind, "open");
});

test("whichever way it is read, the chips add up and the last balance is the same", () => {
  const sum = (lines) => lines.reduce((cents, line) => cents + line.cents, 0);
  assert.equal(sum(gameLines(CHANGES, ["t1-3"])), sum(movementLines(CHANGES)));
  const last = (lines) => lines.at(-1).balance_cents;
  assert.equal(last(gameLines(CHANGES, ["t1-3"])), last(movementLines(CHANGES)));
});

test("lines are found by kind, game and day", () => {
  const lines = gameLines(CHANGES, ["t1-3"]);
  const found = (asked) =>
    filterLines(lines, { kind: "", game: "", day: "", ...asked }).map(({ game }) => game);
  assert.deepEqual(found({ kind: "won" }), ["t1-2"]);
  assert.deepEqual(found({ game: " T1" }), ["t1-1", "t1-2", "t1-3"]);
  assert.deepEqual(found({ day: dayOf(NOON + DAY) }), ["t1-3"]);
  assert.deepEqual(found({ kind: "won", day: dayOf(NOON - DAY) }), []);
  assert.equal(found({}).length, lines.length);
});
