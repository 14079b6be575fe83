// Translations: English texts are the keys; the server builds a JSON table per catalogue.

/**
 * A text, or its plural forms: {one: …, few: …, many: …, other: …}.
 * @typedef {string | Record<string, string>} Forms
 *
 * Placeholder values; `n` selects the plural form.
 * @typedef {Record<string, string | number>} Values
 */

/** Tests in node have no document and use English. */
export const language = globalThis.document?.documentElement.lang || "en";

/** English dates have the day first. */
export const dateLocale = language === "en" ? "en-GB" : language;

// The page links the file with the texts it needs at once; the other files are beside it.
/** @type {HTMLLinkElement | null | undefined} */
const link = language === "en" ? null : document.querySelector("link[as=fetch]");

/** @param {string} name which of the files of the language @returns {Promise<Record<string, Forms>>} */
export async function loadTable(name) {
  return link ? (await fetch(new URL(name, link.href))).json() : {};
}

// verify.html, which is one file, begins with its texts in all languages.
/** @type {Record<string, Forms>} */
const texts = /** @type {any} */ (globalThis).casinoTexts?.[language] ?? (await loadTable(link?.href ?? ""));

/** Load the texts of a lazily loaded script; without them it shows English. @param {string} script */
export async function loadTexts(script) {
  Object.assign(texts, await loadTable(`later/${script}.json`).catch(() => ({})));
}

const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });
const cents = new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const dates = new Intl.DateTimeFormat(dateLocale, { dateStyle: "medium", timeStyle: "short" });
const plurals = new Intl.PluralRules(language);

/** Translate a text and replace `{name}` by values. @param {string} text @param {Values} [values] */
export const t = (text, values = {}) => filled(pluralForm(texts[text] ?? text, values.n), values);

/**
 * Translate a text that counts `values.n`.
 * @param {string} one
 * @param {string} many
 * @param {Values} values
 */
export const tn = (one, many, values) =>
  filled(pluralForm(texts[one] ?? { one, other: many }, values.n), values);

/** @param {Forms} forms @param {string | number | undefined} n */
export const pluralForm = (forms, n) =>
  typeof forms === "string" ? forms : (forms[plurals.select(Number(n))] ?? forms.other);

/** @param {string} text @param {Values} values */
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => written(values[name] ?? whole));

/** @param {string | number} value */
const written = (value) => (typeof value === "number" ? numbers.format(value) : value);

/**
 * Format a share as a percentage.
 * @param {number} share
 * @param {Intl.NumberFormat} [how] in whole hundredths by default
 */
export const percent = (share, how) =>
  t("{n}%", { n: how?.format(100 * share) ?? Number((100 * share).toFixed()) });

/** Format cents as chips, with decimals only where needed. @param {number} hundredths */
export const chips = (hundredths) =>
  hundredths % 100 ? amount(hundredths) : numbers.format(hundredths / 100);

/** Format cents as chips with two decimals. @param {number} hundredths */
export const amount = (hundredths) => cents.format(hundredths / 100);

/** @param {number} gain */
export function signed(gain) {
  const sign = gain > 0 ? "+" : gain < 0 ? "−" : "±";
  return sign + amount(Math.abs(gain));
}

/** @param {number} ms */
export const moment = (ms) => dates.format(ms);
