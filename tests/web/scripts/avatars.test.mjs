// The bots as persons: each has a name, and a portrait that is drawn.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { botName, faceSvg, portraitSvg, seatsOf } from "../../../static/js/felt/avatars.js";

const source = (file) => readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8");
const SPRITE = source("templates/_people.svg");
const REGISTRY = source("casino/bots/registry.py").match(/\n_BOTS.*?\n\}/s)[0];
const ALL = [...REGISTRY.matchAll(/^ {4}"(\w+)":/gm)].map(([, bot]) => bot);

test("a bot has one name and portrait in either seat, except when it plays itself", () => {
  assert.ok(ALL.includes("novice") && ALL.includes("expert"));
  const shown = (bots, seat) => [botName(bots, seat), portraitSvg({ players: {}, bots }, seat)];
  for (const house of ALL) {
    const own = shown({ house }, "house");
    const looks = ALL.map((challenger) => shown({ house, challenger }, "challenger"));
    for (const [name, portrait] of looks)
      assert.ok(SPRITE.includes(`<symbol id="${portrait.match(/#(bust-\d+)/)[1]}"`), name);
    assert.equal(new Set([own, ...looks].map(String)).size, ALL.length + 1, "all different");
    for (const challenger of ALL.filter((bot) => bot !== house))
      assert.deepEqual(shown({ house: challenger, challenger: house }, "challenger"), own);
  }
});

test("a person has a letter, not a stranger's face", () => {
  const letter = (name) => faceSvg(name).match(/<text[^>]*>(.*)<\/text>/)[1];
  assert.deepEqual(["anna", "Ольга", "_7up", "élodie"].map(letter), ["A", "О", "7", "É"]);
  assert.equal(letter("<&>"), "");
  assert.equal(faceSvg("anna"), faceSvg("anna"));
});

test("who sits down next is known before a game, also no one does", () => {
  const idle = { game: null, version: 3, house: "regle", bot: "", holder: "" };
  assert.match(portraitSvg(seatsOf(idle), "challenger"), /#empty-seat/);
  assert.match(portraitSvg(seatsOf(idle), "house"), /#bust-0/);
  assert.match(portraitSvg(seatsOf({ ...idle, bot: "regle" }), "challenger"), /#bust-2/);
  const held = { ...idle, bot: "regle", holder: "Ann" };
  assert.match(portraitSvg(seatsOf(held), "challenger"), />A<\/text>/);
  const poule = { entrants: ["regle", "Ann", "novice"], person: 2, seats: { house: 3, challenger: 2 } };
  assert.deepEqual(seatsOf({ ...held, poule }), {
    players: { house: "novice", challenger: "Ann" },
    bots: { house: "novice" },
  });
  assert.equal(seatsOf({ ...idle, version: 0 }), null);
});
