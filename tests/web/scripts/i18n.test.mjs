// Texts in the language of the page: its words, its plural forms, its numbers.

import assert from "node:assert/strict";
import { test } from "node:test";

const JS = new URL("../../../static/js/", import.meta.url);
const BETS = { one: "{n} ставка", few: "{n} ставки", many: "{n} ставок", other: "{n} ставок" };
const TABLES = {
  "/ru/page.json": { "{n} bet": BETS, house: "казино", "{n}%": "{n}\u00a0%" },
  "/fr/page.json": { "{n} bet": { one: "{n} pari", other: "{n} paris" }, "{n}%": "{n}\u202f%" },
};

const asked = [];
globalThis.fetch = async (address) => {
  asked.push(address.pathname);
  return { json: async () => TABLES[address.pathname] };
};

async function page(language) {
  const link = TABLES[`/${language}/page.json`] && { href: `http://casino/${language}/page.json` };
  globalThis.document = language
    ? { documentElement: { lang: language }, querySelector: () => link }
    : undefined;
  return import(new URL(`text/i18n.js?${language}`, JS));
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
  assert.equal(french.percent(0.5), "50\u202f%");
  assert.deepEqual(
    [0, 1, 2].map((n) => french.tn("{n} bet", "{n} bets", { n })),
    ["0 pari", "1 pari", "2 paris"],
  );
});

test("small numbers are written as Intl writes them", async () => {
  for (const language of ["en", "fr", "ru"]) {
    const { t, chips, amount, percent } = await page(language);
    const cents = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
    const share = new Intl.NumberFormat(language, { style: "percent" });
    for (const n of [0, 1, 7, 50, 100, 105, 999, 2390, 99_999, 100_000, 100_050, -150, -5]) {
      const two = new Intl.NumberFormat(language, cents).format(n / 100);
      assert.equal(amount(n), two);
      assert.equal(chips(n), n % 100 ? two : new Intl.NumberFormat(language).format(n / 100));
      assert.equal(t("{n}", { n }), new Intl.NumberFormat(language).format(n));
      const written = share
        .format(n / 1000)
        .replace(/\s/g, (space) => (language === "fr" ? "\u202f" : space));
      assert.equal(percent(n / 1000), written);
    }
  }
});

test("English needs no table: the texts are in the scripts", async () => {
  asked.length = 0;
  const english = await page("");
  assert.deepEqual(
    [0, 1, 2].map((n) => english.tn("{n} cut", "{n} cuts", { n })),
    ["0 cuts", "1 cut", "2 cuts"],
  );
  assert.deepEqual(asked, []);
});

test("dates have the day first in every language", async () => {
  const noon = new Date(2026, 10, 25, 12).getTime();
  const dates = [];
  for (const language of ["en", "fr", "ru"]) dates.push((await page(language)).moment(noon).slice(0, 8));
  assert.deepEqual(dates, ["25 Nov 2", "25 nov. ", "25 нояб."]);
});
