// Where cards lie: every one once, taken tricks face down.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pieces } from "../../../static/js/felt/layout.js";
import { emptyTable } from "../../../static/js/state/table_state.js";

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

test("every card lies once on the felt", () => {
  const found = pieces(table());
  assert.equal(new Set(found.map((one) => one.id)).size, found.length);
  assert.equal(found.filter((one) => one.kind === "hand").length, 10);
});

test("a hand is spread evenly about its place", () => {
  const shifts = pieces(table())
    .filter((one) => one.seat === "challenger")
    .map((one) => one.dx);
  assert.deepEqual(shifts, [-2, -1, 0, 1, 2]);
});

test("between two games the whole pack rests", () => {
  const found = pieces(emptyTable("t1"));
  assert.ok(found.length > 0 && found.every((one) => one.kind === "stock" && one.card === null));
});

test("taken tricks lie face down, whatever is known of them", () => {
  const taken = { house: slots("a", "KH", "7H"), challenger: [] };
  const found = pieces(table({ taken })).filter((one) => one.kind === "taken");
  assert.ok(found.length === 2 && found.every((one) => one.card === null));
});

test("cards laid away are out of sight and out of reach", () => {
  const away = [{ id: "x", card: "7S", seat: "house" }];
  const found = pieces(table({ away })).find((one) => one.id === "x");
  assert.deepEqual([found.kind, found.card], ["away", null], "nobody can touch or read them any more");
});

test("when a deal is over both hands lie open as they were", () => {
  const hands = { house: [], challenger: slots("challenger", "9C") };
  const taken = { house: slots("t", "KH", "7H"), challenger: [] };
  const over = { hands: { house: ["7H", "8H"], challenger: ["KH", "9C"] } };
  const found = pieces(table({ hands, taken, over })).filter((one) => one.kind === "hand");
  assert.deepEqual(found.map((one) => one.card).sort(), ["7H", "8H", "9C", "KH"]);
});

test("a player who came back in mid-deal and gives up sees every card of his once", () => {
  const hands = { house: slots("house", null, null), challenger: slots("challenger", "TS", "9S") };
  const shown = { house: ["TD", "JS", "QS", "7C", "8C"], challenger: ["KS", "AS", "TS", "9S", "AD"] };
  const ids = pieces(table({ hands, over: { hands: shown } })).map((one) => one.id);
  assert.equal(new Set(ids).size, ids.length);
});

test("the trick just taken stays in the middle, its winning card marked, not in the pile", () => {
  const cards = [...slots("a", "KH"), ...slots("b", "7H")].map((slot, n) => ({
    ...slot,
    seat: n ? "challenger" : "house",
  }));
  const shown = { taker: "house", cards };
  const found = pieces(table({ taken: { house: cards, challenger: [] }, shown }));
  const middle = found.filter((one) => one.kind === "trick");
  assert.equal(middle.map(({ card, won }) => `${card} ${won}`).join(), "KH true,7H false");
  assert.equal(found.filter((one) => one.kind === "taken").length, 0);
});

test("at the end of a game its last trick stays in sight instead of the open hands", () => {
  const cards = slots("a", "AS").map((slot) => ({ ...slot, seat: "house" }));
  const over = { hands: { house: ["AS"], challenger: ["KS"] } };
  const state = table({ over, shown: { taker: "house", cards }, taken: { house: cards, challenger: [] } });
  const kinds = (game) => pieces({ ...state, game }).filter((one) => one.card === "AS");
  assert.equal(kinds({ result: { winner: "house" } })[0].kind, "trick");
  assert.equal(kinds({ result: null })[0].kind, "hand");
});
