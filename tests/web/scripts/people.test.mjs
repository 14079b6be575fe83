// The bots as persons: each has a name, and a portrait that is drawn.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { botName, portraitSvg } from "../../../static/js/people.js";

const SPRITE = readFileSync(new URL("../../../templates/_people.svg", import.meta.url), "utf8");
const OF_THEIR_OWN = ["anatole", "blanche", "clement", "delphine", "eugenie"];
const ALL = [...OF_THEIR_OWN, "novice", "regle", "expert"];

/** The symbol that shows a bot in a seat. */
function bust(seat, bot) {
  return portraitSvg({ players: {}, bots: { [seat]: bot } }, seat).match(/#(bust-\d)/)?.[1];
}

test("every bot has a name and a portrait that the pages bring", () => {
  for (const seat of ["house", "challenger"]) {
    for (const bot of ALL) {
      assert.ok(SPRITE.includes(`<symbol id="${bust(seat, bot)}"`), bot);
      assert.notEqual(botName(seat, bot), bot);
    }
  }
});

test("five bots look like nobody else in their seat", () => {
  for (const seat of ["house", "challenger"]) {
    for (const bot of OF_THEIR_OWN) {
      const alike = ALL.filter((other) => bust(seat, other) === bust(seat, bot));
      assert.deepEqual(alike, [bot]);
    }
  }
});
