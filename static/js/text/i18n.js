// The words of the page in its language: English texts are the keys, the server makes a table of each
// catalogue.

/**
 * A text, or its forms by number: {one: …, few: …, many: …, other: …}.
 * @typedef {string | Record<string, string>} Forms
 *
 * What stands in a text's braces; `n` chooses its form, `or` is shown if no table has the text.
 * @typedef {Record<string, string | number>} Values
 */

/** The language of the page; tests on node have none and speak English. */
export const language = globalThis.document?.documentElement.lang || "en";

/**
 * What the catalogue of the language says; English has none and needs none.
 * @param {string | URL} address
 * @returns {Promise<Record<string, Forms>>}
 */
async function fetchTexts(address) {
  if (language === "en") return {};
  return (await fetch(new URL(address, import.meta.url))).json();
}

/** @param {string} name which of the files of the language; every text by default */
export const loadTable = (name = "") => fetchTexts(`../texts/${language}${name}.json`);

// The page names the file with the texts that it needs at once.
/** @type {HTMLLinkElement | null | undefined} */
const link = globalThis.document?.querySelector?.("link[as=fetch]");
const texts = await (link ? fetchTexts(link.href) : loadTable());

/**
 * The texts of a script that is asked for later, which waits for them; without them it speaks English.
 * @param {string} script
 */
export async function loadTexts(script) {
  Object.assign(texts, await loadTable(`/later/${script}`).catch(() => ({})));
}

/**
 * Something that is made when it is asked for first: what the browser knows of a language is slow to load.
 * @template T
 * @param {() => T} make
 */
function lazy(make) {
  /** @type {T | undefined} */
  let value;
  return () => {
    value ??= make();
    return value;
  };
}

/**
 * The decimal point of the languages we speak, so that a page needs no Intl to begin with.
 * @type {Record<string, string>}
 */
const POINTS = { en: ".", fr: ",", ru: "," };
const point = POINTS[language];

/** @param {number} value */
const isSmall = (value) => point !== undefined && Math.abs(value) < 1000;

const numbers = lazy(() => new Intl.NumberFormat(language, { maximumFractionDigits: 2 }));
const cents = lazy(
  () => new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
);
const dates = lazy(() => new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }));
const plurals = lazy(() => new Intl.PluralRules(language));

/**
 * A text in the page's language, `{name}` replaced by the value of that name; numbers in its manner.
 * @param {string} text
 * @param {Values} [values]
 */
export function t(text, values = {}) {
  return filled(pluralForm(texts[text] ?? String(values.or ?? text), values.n), values);
}

/**
 * A text that counts `values.n`: English has a form for one and a form for many, others have theirs.
 * @param {string} one
 * @param {string} many
 * @param {Values} values
 */
export function tn(one, many, values) {
  return filled(pluralForm(texts[one] ?? { one, other: many }, values.n), values);
}

/**
 * The form of a text that fits a number.
 * @param {Forms} forms
 * @param {string | number | undefined} n
 */
export function pluralForm(forms, n) {
  return typeof forms === "string" ? forms : (forms[plurals().select(Number(n))] ?? forms.other);
}

/**
 * @param {string} text
 * @param {Values} values
 */
function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => written(values[name] ?? whole));
}

/** @param {string | number} value */
const written = (value) => {
  if (typeof value !== "number") return value;
  return isSmall(value) && Number.isInteger(value) ? String(value) : numbers().format(value);
};

/**
 * A share of the whole, in hundredths.
 * @param {number} share
 * @param {Intl.NumberFormat} [how] in whole hundredths by default
 */
export const percent = (share, how) =>
  t("{n}%", { n: how?.format(100 * share) ?? Number((100 * share).toFixed()) });

/**
 * Chips, with decimals only where there are any.
 * @param {number} amount
 */
export function chips(amount) {
  return amount % 100 ? withCents(amount) : String(written(amount / 100));
}

/** @param {number} hundredths */
function withCents(hundredths) {
  const value = hundredths / 100;
  const small = isSmall(value) && Number.isInteger(hundredths);
  return small ? value.toFixed(2).replace(".", point) : cents().format(value);
}

/**
 * Chips among other amounts: always with two decimals.
 * @param {number} hundredths
 */
export function amount(hundredths) {
  return withCents(hundredths);
}

/**
 * Chips won or lost, with a sign.
 * @param {number} gain
 */
export function signed(gain) {
  const sign = gain > 0 ? "+" : gain < 0 ? "−" : "±";
  return sign + amount(Math.abs(gain));
}

/**
 * A moment, given in milliseconds.
 * @param {number} ms
 */
export function moment(ms) {
  return dates().format(ms);
}
