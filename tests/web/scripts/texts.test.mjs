// Every text of the scripts stands in every language, with its values and its plural forms.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const JS = new URL("../../../static/js/", import.meta.url);
const LANGUAGES = ["fr", "ru"];
const FORMS = { en: ["one", "other"], fr: ["one", "other"], ru: ["one", "few", "many", "other"] };
const RANKS = ["king", "queen", "jack", "ace", "ten", "nine", "eight", "seven"];
const SUITS = ["spades", "hearts", "diamonds", "clubs"];
// What the house says when a game is void.
const VOID = ["the seed or the cards of this game are lost", "the challenger ran out of time", "the challenger left", "the bot failed"];
// Texts put together: what a card is called, its corner, a side in a sentence.
const MADE = [...RANKS.flatMap((rank) => SUITS.map((suit) => `${rank} of ${suit}`)), ...[..."KQJA"].map((rank) => `index ${rank}`),
  ...VOID, "the challenger"];
// French on purpose in every language: what players say at the table.
const FRENCH = ["Je propose", "Je joue", "Combien ?", "Jouez !", "Le roi !", "Le reste est à vous", "Redonnez", "Laissez", "Renonce !",
  "Je la reprends", "Servi", "Une carte", "Deux cartes", "Trois cartes", "Quatre cartes", "Cinq cartes"];
// What is no text for people: names of things, pieces of markup, selectors, keys.
const NO_TEXT = [/^[a-z-]+([ .][a-z-]+\$?\{?.*)?$/, /^[#.[(]/, /^(rotate|translate)\(/, /^[A-Z0-9]{2,}$/, /^(KQJAT987|789TAJQK)$/,
  /^(Accept|Content-Type|X-CSRF-Token|Escape|Enter|SHA-256|HMAC|Ed25519|NotSupportedError|application\/json)$/,
  /^input:not/, /^c2sp\.org/, /^--/, /^\.\.?\//, /^first dealer$/, /^M19 /, /^0 0 /, /^KH QH$/];

const tables = Object.fromEntries(await Promise.all(["en", ...LANGUAGES].map(async (language) => (
  [language, (await import(new URL(`texts/${language}.js`, JS))).default]))));
const sources = readdirSync(JS, { recursive: true }).map((name) => name.replaceAll("\\", "/"))
  .filter((name) => name.endsWith(".js") && !name.startsWith("texts/"))
  .map((name) => [name, readFileSync(new URL(name, JS), "utf8").replace(/^\s*(\/\/|\*|\/\*\*).*$/gm, "")]);
const literals = new Map(sources.flatMap(([name, source]) => [...source.matchAll(/"((?:[^"\\\n]|\\.)*)"/g)]
  .map(([, text]) => [text, name])));

const places = (text) => [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))].sort();
const forms = (entry) => typeof entry === "string" ? [entry] : Object.values(entry);

// The texts that a call asks for by name.
const asked = new Set(sources.flatMap(([, source]) => [...source.matchAll(/\bt\("((?:[^"\\]|\\.)+)"/g)].map(([, text]) => text)));

for (const language of LANGUAGES) {
  const table = tables[language];

  test(`${language}: every text that is asked for is there`, () => {
    const missing = [...asked, ...MADE].filter((text) => !(text in table));
    assert.deepEqual(missing, []);
  });

  test(`${language}: every literal that reads like a text is there`, () => {
    const texts = [...literals.keys()].filter((text) => /[A-Za-z]{2}/.test(text) && (/[a-z] [a-z{“]/i.test(text) || /^[A-Z]/.test(text)));
    const missing = texts.filter((text) => !(text in table) && !FRENCH.includes(text) && !NO_TEXT.some((one) => one.test(text)));
    assert.deepEqual(missing, []);
  });

  test(`${language}: nothing is translated that nobody says`, () => {
    const spare = Object.keys(table).filter((text) => !literals.has(text) && !MADE.includes(text));
    assert.deepEqual(spare, []);
  });

  test(`${language}: each text keeps its values`, () => {
    for (const [text, entry] of Object.entries(table)) {
      for (const form of forms(entry)) {
        assert.deepEqual(places(form).filter((name) => name !== "n"), places(text).filter((name) => name !== "n"), text);
        if (typeof entry === "string") assert.deepEqual(places(form), places(text), text);
      }
    }
  });

  test(`${language}: nothing is left in English`, () => {
    const same = Object.entries(table).filter(([text, entry]) => entry === text).map(([text]) => text);
    const alike = ["challenger", "double", "triple", "Pause", "Table {name}", "{name} +{n}", "index A", "{n} s"];
    assert.deepEqual(same.filter((text) => !alike.includes(text)), []);
  });
}

test("a text that changes with its number has the forms of its language", () => {
  for (const [language, table] of Object.entries(tables)) {
    for (const [text, entry] of Object.entries(table)) {
      if (typeof entry !== "string") assert.deepEqual(Object.keys(entry).sort(), [...FORMS[language]].sort(), `${language}: ${text}`);
    }
  }
  const changing = (language) => Object.keys(tables[language]).filter((text) => typeof tables[language][text] !== "string");
  for (const text of changing("en")) {
    for (const language of LANGUAGES) assert.notEqual(typeof tables[language][text], "string", `${language}: ${text}`);
  }
});

test("numbers choose their form and are written in the manner of the language", async () => {
  globalThis.document = { documentElement: { lang: "ru" } };
  const { t, chips, signed, percent } = await import(new URL("i18n.js?ru", JS));
  assert.deepEqual([1, 2, 5, 21].map((n) => t("{n} bets", { n })), ["1 ставка", "2 ставки", "5 ставок", "21 ставка"]);
  assert.deepEqual([chips(123456), chips(500), signed(-150)], ["1\u00a0234,56", "5", "−1,50"]);
  assert.equal(t("{n} watching", { n: 12345 }), "12\u00a0345 зрителей");
  assert.equal(percent(0.5), "50\u00a0%");
  globalThis.document = { documentElement: { lang: "fr" } };
  const french = await import(new URL("i18n.js?fr", JS));
  assert.deepEqual([0, 1, 2].map((n) => french.t("{n} bets", { n })), ["0 pari", "1 pari", "2 paris"]);
  delete globalThis.document;
  const english = await import(new URL("i18n.js?en", JS));
  assert.deepEqual([1, 2].map((n) => english.t("{n} cuts", { n })), ["1 cut", "2 cuts"]);
  assert.equal(await english.refusal({ code: "unavailable", message: "" }), "The house does not answer.");
  assert.equal(await english.refusal({ code: "eclipse", reason: "eclipse", message: "the sun is gone: wait" }), "The sun is gone: wait.");
});

test("a refusal is said with cards and chips as the language writes them, and with its article", async () => {
  const must = { reason: "must_follow", article: "R5.2", message: "…", values: { card: "AH", led: "TS", held: "KS" } };
  const dear = { reason: "bet_too_dear", message: "…", values: { risk_cents: 150050, wallet_cents: 100000 } };
  const wait = (n) => ({ reason: "too_many_requests", message: "…", values: { n } });
  const { said: say } = await import(new URL("refusals.js", JS));
  assert.equal(say(must), "Must follow suit to 10♠: K♠ is held. (R5.2)");
  assert.equal(say(dear), "The bet puts 1,500.50 chips at risk, but you have 1,000: bet less.");
  assert.deepEqual([1, 2].map((n) => say(wait(n))), ["Too many requests: wait 1 second.", "Too many requests: wait 2 seconds."]);
});
