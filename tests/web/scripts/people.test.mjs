// The bots as persons: each has a name, and a portrait that is drawn.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { botName, portraitSvg } from "../../../static/js/people.js";

const SPRITE = readFileSync(new URL("../../../templates/_people.svg", import.meta.url), "utf8");
const ALL = ["novice", "anatole", "blanche", "clement", "delphine", "regle", "eugenie", "expert"];

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

test("no two bots look alike", () => {
  for (const seat of ["house", "challenger"]) {
    assert.equal(new Set(ALL.map((bot) => bust(seat, bot))).size, ALL.length);
  }
  assert.notEqual(bust("house", "expert"), bust("challenger", "expert"));
});
