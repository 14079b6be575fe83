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

// Made when first used: together they take a page 10 ms.
/** @type {Record<string, Intl.NumberFormat>} */
const numbers = {};
/** @type {Intl.DateTimeFormat | undefined} */
let dates;
/** @type {Intl.PluralRules | undefined} */
let plurals;

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
export function pluralForm(forms, n) {
  if (typeof forms === "string") return forms;
  plurals ??= new Intl.PluralRules(language);
  return forms[plurals.select(Number(n))] ?? forms.other;
}

/** @param {string} text @param {Values} values */
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => written(values[name] ?? whole));

/** @param {string | number} value */
const written = (value) => (typeof value === "number" ? decimal(value) : value);

/** Format a number. @param {number} value @param {number} [least] decimals @param {number} [most] */
export function decimal(value, least = 0, most = 2) {
  const key = `${least} ${most}`;
  const digits = { minimumFractionDigits: least, maximumFractionDigits: most };
  numbers[key] ??= new Intl.NumberFormat(language, digits);
  return numbers[key].format(value);
}

/** Format a share as a percentage. @param {number} share @param {number} [least] decimals @param {number} [most] */
export const percent = (share, least = 0, most = 0) => t("{n}%", { n: decimal(100 * share, least, most) });

/** Format cents as chips, with decimals only where needed. @param {number} hundredths */
export const chips = (hundredths) => decimal(hundredths / 100, hundredths % 100 ? 2 : 0);

/** Format cents as chips with two decimals. @param {number} hundredths */
export const amount = (hundredths) => decimal(hundredths / 100, 2);

/** @param {number} gain */
export function signed(gain) {
  const sign = gain > 0 ? "+" : gain < 0 ? "−" : "±";
  return sign + amount(Math.abs(gain));
}

/** @param {number} ms */
export function moment(ms) {
  dates ??= new Intl.DateTimeFormat(dateLocale, { dateStyle: "medium", timeStyle: "short" });
  return dates.format(ms);
}
