// Texts in the language of the page: its words, its plural forms, its numbers.

import assert from "node:assert/strict";
import { test } from "node:test";

const JS = new URL("../../../static/js/", import.meta.url);
const BETS = { one: "{n} ставка", few: "{n} ставки", many: "{n} ставок", other: "{n} ставок" };
const TABLES = {
  "js/texts/ru.json": { "{n} bet": BETS, house: "казино" },
  "js/texts/fr.json": { "{n} bet": { one: "{n} pari", other: "{n} paris" } },
};

const asked = [];
globalThis.fetch = async (address) => {
  const name = address.pathname.slice(address.pathname.indexOf("js/texts/"));
  asked.push(name);
  return { json: async () => TABLES[name] };
};

async function page(language) {
  globalThis.document = language ? { documentElement: { lang: language } } : undefined;
  return import(new URL(`i18n.js?${language}`, JS));
}

test("numbers choose their form and are written in the manner of the language", async () => {
  const { t, tn, chips, signed, percent } = await page("ru");
  assert.deepEqual(
    [1, 2, 5, 21].map((n) => tn("{n} bet", "{n} bets", { n })),
    ["1 ставка", "2 ставки", "5 ставок", "21 ставка"],
  );
  assert.deepEqual([chips(123456), chips(500), signed(-150)], ["1\u00a0234,56", "5", "−1,50"]);
  assert.equal(tn("{n} bet", "{n} bets", { n: 12345 }), "12\u00a0345 ставок");
  assert.equal(percent(0.5), "50\u00a0%");
  assert.deepEqual([t("house"), t("nobody's word {n}", { n: 1 })], ["казино", "nobody's word 1"]);
  const french = await page("fr");
  assert.deepEqual(
    [0, 1, 2].map((n) => french.tn("{n} bet", "{n} bets", { n })),
    ["0 pari", "1 pari", "2 paris"],
  );
});

test("English needs no table: the texts are in the scripts, the sentences come from the house", async () => {
  asked.length = 0;
  const english = await page("");
  const { refusal } = await import(new URL("api.js", JS));
  assert.deepEqual(
    [0, 1, 2].map((n) => english.tn("{n} cut", "{n} cuts", { n })),
    ["0 cuts", "1 cut", "2 cuts"],
  );
  const no = { code: "rate_limited", reason: "too_many_requests", values: { n: 2 } };
  assert.equal(
    await refusal({ ...no, message: "too many requests: wait 2 seconds" }),
    "Too many requests: wait 2 seconds.",
  );
  const silent = { code: "unavailable", message: "" };
  assert.equal(await refusal(silent), "The house does not answer.");
  assert.deepEqual(asked, []);
});
