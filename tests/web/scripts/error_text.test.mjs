// A refusal in the language of the page.

import assert from "node:assert/strict";
import { test } from "node:test";

const TABLES = {
  "/ru/page.json": { "index K": "К" },
  "/ru/refusals.json": { must_trump: "{led:card} нужно бить козырем: есть {held:card}" },
};

globalThis.document = {
  documentElement: { lang: "ru" },
  querySelector: () => ({ href: "http://casino/ru/page.json" }),
};
globalThis.fetch = async ({ pathname }) => ({ json: async () => TABLES[pathname] });
const { errorText } = await import("../../../static/js/text/error_text.js");

test("a refusal is said with cards as the language writes them, without its article", () => {
  const must = { reason: "must_trump", article: "R5.2", message: "…", values: { led: "TS", held: "KH7H" } };
  assert.equal(errorText(must), "10♠ нужно бить козырем: есть К♥ или 7♥.");
  const unknown = { reason: "eclipse", message: "the sun is gone: wait" };
  assert.equal(errorText(unknown), "The sun is gone: wait.");
  const taken = { reason: "taken", message: "ann is taken", values: { name: "ann" } };
  assert.equal(errorText(taken), "ann is taken.", "a name is written as its owner writes it");
});
