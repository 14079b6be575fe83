// What games are called in lists and on the felt.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gameNumber } from "../../../static/js/text/event_text.js";
import { gameName, parseGameName } from "../../../static/js/text/game_names.js";

test("a game is called by its table and its number", () => {
  assert.equal(gameName("petit-000036"), "Petit Salon #36");
  assert.equal(gameName("my-own-table-001200"), "Table my-own-table #1200");
  assert.equal(gameName("h1-p000012"), "Poule Table h1 #12");
  assert.equal(gameName("h1-000003", "ann"), "ann’s table #3");
  assert.equal(gameName("garnier"), "Salon Garnier");
  globalThis.document = { body: { dataset: { titles: '{"h1": "Ann’s table (2)"}' } } };
  assert.equal(gameName("h1-000003"), "Ann’s table (2) #3");
  delete globalThis.document;
});

test("at its table the number is enough", () => {
  assert.deepEqual([gameNumber("petit-000036"), gameNumber("t1-000001")], [36, 1]);
});

test("a game is found by its id, its title or a link to it", () => {
  const names = {
    "petit-000036": "petit-000036",
    " PETIT-36 ": "petit-000036",
    "petit 36": "petit-000036",
    "Petit Salon 36": "petit-000036",
    "petit salon no. 36": null,
    "Petit Salon #36": "petit-000036",
    "Petit Salon № 36": "petit-000036",
    "Petit Salon n° 36": "petit-000036",
    "casino 36": "casino-000036",
    "my own 7": "my own-000007",
    "Table my own 7": "my own-000007",
    "salon-2-1234567": "salon-2-1234567",
    "closed-000001": "closed-000001",
    "https://the.casino/casino/game/petit-000036?lang=fr#card-3": "petit-000036",
    "http://localhost:5000/audit?game=petit-000036": "petit-000036",
    "http://localhost:5000/game/my%20own-000007": "my own-000007",
    36: null,
    petit: null,
    "": null,
  };
  const tables = ["petit", "my own", "salon-2"];
  for (const [text, name] of Object.entries(names)) assert.equal(parseGameName(text, tables), name, text);
  assert.equal(parseGameName("36", ["petit"]), "petit-000036");
});
