// What a listener hears of a game: each thing once, and who did it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyTable } from "../../../static/js/state/table_state.js";
import { Announcer } from "../../../static/js/text/announcer.js";

const GAME = {
  players: { house: "hugo", challenger: "ann" },
  bots: {},
  phase: "playing",
  laws: { target: 5 },
};
const deal = { turnUp: "9H", shown: { taker: "challenger", cards: [{ card: "KC" }, { card: "8H" }] } };
const state = { ...emptyTable("t1"), game: GAME, deal, you: { ...emptyTable("").you, name: "zoe" } };

test("a spectator hears who led and who followed with the trick, a player each card at once", () => {
  const card = (seat, action) => ({ type: "action", seat, action });
  const trick = { type: "trick", taker: "challenger", tricks: { house: 0, challenger: 1 } };
  const heard = (viewer) => {
    const announcer = new Announcer();
    const events = [card("house", "KC"), card("challenger", "8H"), trick];
    return events.map((event) => announcer.say(event, { ...state, you: { ...state.you, name: viewer } }));
  };
  const led = "hugo plays the king of clubs.";
  const followed = "ann plays the eight of hearts.";
  const taken = "ann takes the trick with a trump: 1 of 5.";
  assert.deepEqual(heard("zoe"), ["", "", `${led} ${followed} ${taken}`]);
  assert.deepEqual(heard("ann").slice(0, 2), [led, "You play the eight of hearts."]);
});

test("a bet and the end of a game are left to what says more of them", () => {
  const announcer = new Announcer();
  const bet = { type: "bet_accepted", player: "zoe", unit_cents: 500, side: "challenger" };
  const over = { type: "game_over", winner: "house", stake: 2, score: { house: 5, challenger: 1 } };
  assert.deepEqual([announcer.say(bet, state), announcer.say(over, state)], ["", ""]);
  const late = { ...state, game: { ...GAME, forfeit: { player: "ann", late: false } } };
  const left = { type: "seat", what: "defaulted", player: "ann" };
  assert.equal(announcer.say(left, late), "ann left: the game is lost.");
});
