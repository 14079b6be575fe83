// Where cards lie: every one once, within the cloth, taken tricks small and face down.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pieces } from "../../../static/js/layout.js";
import { emptyTable } from "../../../static/js/state.js";

const slots = (seat, ...cards) => cards.map((card, n) => ({ id: `1-${seat}-${n}`, card }));

function table(more = {}) {
  const deal = {
    number: 1,
    dealer: "house",
    turnUp: "8S",
    stock: 21,
    away: [],
    trick: [],
    taken: { house: [], challenger: [] },
    over: null,
    hands: {
      house: slots("house", null, null, null, null, null),
      challenger: slots("challenger", "KH", "QH", "7S", "8D", "9C"),
    },
    ...more,
  };
  return { ...emptyTable("t1"), deal };
}

for (const wide of [true, false]) {
  test(`every card lies once and on the cloth, wide ${wide}`, () => {
    const found = pieces(table(), wide);
    assert.equal(new Set(found.map((one) => one.id)).size, found.length);
    assert.equal(found.filter((one) => one.kind === "hand").length, 10);
    for (const { x, y } of found) assert.ok(x >= 0 && x <= 100 && y >= 0 && y <= 100);
  });

  test(`a hand is spread evenly about its place, wide ${wide}`, () => {
    const shifts = pieces(table(), wide)
      .filter((one) => one.seat === "challenger")
      .map((one) => one.dx);
    assert.ok(Math.abs(shifts.reduce((sum, dx) => sum + dx, 0)) < 1e-9);
    assert.deepEqual(
      shifts,
      [...shifts].sort((a, b) => a - b),
    );
  });
}

test("between two games the whole pack rests", () => {
  const found = pieces(emptyTable("t1"), true);
  assert.ok(found.length > 0 && found.every((one) => one.kind === "stock" && one.card === null));
});

test("taken tricks lie face down, whatever is known of them", () => {
  const taken = { house: slots("a", "KH", "7H"), challenger: [] };
  const found = pieces(table({ taken }), true).filter((one) => one.kind === "taken");
  assert.deepEqual(
    found.map((one) => one.card),
    [null, null],
  );
});

test("cards laid away are out of sight and out of reach", () => {
  const found = pieces(table({ away: [{ id: "x", card: "7S", seat: "house" }] }), true).find(
    (one) => one.id === "x",
  );
  assert.ok(found.gone && found.x > 100);
  assert.deepEqual([found.kind, found.card], ["away", null], "nobody can touch or read them any more");
});

test("when a deal is over both hands lie open as they were", () => {
  const hands = { house: [], challenger: slots("challenger", "9C") };
  const taken = { house: slots("t", "KH", "7H"), challenger: [] };
  const over = { hands: { house: ["7H", "8H"], challenger: ["KH", "9C"] } };
  const found = pieces(table({ hands, taken, over }), true).filter((one) => one.kind === "hand");
  assert.deepEqual(found.map((one) => one.card).sort(), ["7H", "8H", "9C", "KH"]);
});

test("a player who came back in mid-deal and gives up sees every card of his once", () => {
  const hands = { house: slots("house", null, null), challenger: slots("challenger", "TS", "9S") };
  const shown = { house: ["TD", "JS", "QS", "7C", "8C"], challenger: ["KS", "AS", "TS", "9S", "AD"] };
  const ids = pieces(table({ hands, over: { hands: shown } }), true).map((one) => one.id);
  assert.equal(new Set(ids).size, ids.length);
});
