// The bar during play, and the words on a bet: what they show, and to whom.

import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyTable } from "../../../static/js/state/table_state.js";
import { coverText, matchedText } from "../../../static/js/table/bet_spots.js";
import { chanceTexts, visibleOdds } from "../../../static/js/table/odds_bar.js";

const PLAYERS = { house: "regle", challenger: "Ann" };
const TOLD = { house: { win: 0.46, odds: 1.17 }, challenger: { win: 0.54, odds: 0.85 } };

function table(phase, chance, { name = "Bob", bots = { house: "regle" } } = {}) {
  const score = { house: 4, challenger: 3 };
  const game = { id: "t1-000002", phase, players: PLAYERS, bots, score, laws: { target: 5 } };
  return { ...emptyTable("t1"), game, chance, you: { ...emptyTable("t1").you, name } };
}

const told = { table: "t1", version: 9, game: "t1-000002", chance: TOLD };

test("both sides in hundredths add up, and only what is certain is 0 or 100", () => {
  for (const [win, house, challenger] of [
    [0.455, "46%", "54%"],
    [0.01, "1%", "99%"],
    [0.0001, "<1%", ">99%"],
    [0.9951, ">99%", "<1%"],
    [0, "0%", "100%"],
  ])
    assert.deepEqual(chanceTexts({ house: { win } }), { house, challenger });
});

test("it is shown while the game it speaks of is played, and not to its player", () => {
  const all = { ...told, chance: { house: { win: 1 }, challenger: { win: 0 } } };
  assert.equal(visibleOdds(table("playing", told)).house.win, 0.46);
  assert.equal(visibleOdds(table("playing", all)).house.win, 0.999, "every sampled deal, but not every deal");
  assert.equal(visibleOdds(table("betting", told)), null);
  assert.equal(visibleOdds(table("over", told)), null);
  assert.equal(visibleOdds(table("playing", null)), null);
  assert.equal(visibleOdds(table("playing", { ...told, game: "t1-000001" })), null);
  assert.equal(visibleOdds(table("playing", { ...told, chance: null })), null);
  assert.equal(visibleOdds(table("playing", told, { name: "Ann" })), null);
});

test("the third trick decides a game before its points are told", () => {
  const deal = { tricks: { house: 3, challenger: 1 }, over: null, bold: null };
  const won = { house: { win: 1 }, challenger: { win: 0 } };
  const playing = { ...table("playing", told), deal };
  assert.deepEqual(visibleOdds(playing), won);
  assert.equal(visibleOdds({ ...playing, last: "points" }).house.win, 0.46, "its points are told");
  const lost = { ...deal, tricks: { house: 1, challenger: 3 } };
  assert.equal(visibleOdds({ ...playing, deal: lost }).house.win, 0.46);
  const bold = { ...playing, deal: { ...lost, bold: "house" } };
  assert.equal(visibleOdds(bold).challenger.win, 1, "a refusal pays two points");
});

test("what is matched of a bet is final only when bets are closed", () => {
  const words = (phase, matched) => {
    const { game, you } = table(phase, null);
    return matchedText({ unit: 500, matched }, game, you);
  };
  assert.deepEqual(
    [0, 200, 500].map((matched) => words("betting", matched)),
    ["not matched yet", "2.00 matched so far", "matched so far"],
  );
  assert.deepEqual(
    [0, 200, 500].map((matched) => words("playing", matched)),
    ["unmatched", "3.00 went back", "all matched"],
  );
  assert.equal(coverText(table("betting", null), "house", 480), "the casino covers 4.80");
});
