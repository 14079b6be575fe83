// The words of the page in its language: English texts are the keys, texts/ has a table for each.

/** The language of the page; tests on node have none and speak English. */
export const language = globalThis.document?.documentElement.lang || "en";

const texts = (await import(`./texts/${language}.js`)).default;
const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });
const cents = new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const dates = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
const plurals = new Intl.PluralRules(language);

/**
 * A text in the page's language, `{name}` replaced by the value of that name; numbers in its manner.
 * A text with a number `n` may have forms in its table: {one: …, few: …, many: …, other: …}.
 */
export function t(text, values = {}) {
  const found = texts[text] ?? values.or ?? text;
  return form(found, values.n).replace(/\{(\w+)\}/g, (whole, name) => written(values[name] ?? whole));
}

const written = (value) => typeof value === "number" ? numbers.format(value) : value;

/** The form of a text that fits a number. */
export function form(forms, n) {
  return typeof forms === "string" ? forms : forms[plurals.select(n)] ?? forms.other;
}

/** A share of the whole, in hundredths. */
export const percent = new Intl.NumberFormat(language, { style: "percent" }).format;

/** Chips, with decimals only where there are any. */
export function chips(amount) {
  return (amount % 100 ? cents : numbers).format(amount / 100);
}

/** Chips won or lost, with a sign. */
export function signed(amount) {
  const sign = amount > 0 ? "+" : amount < 0 ? "−" : "±";
  return sign + chips(Math.abs(amount));
}

/** A moment, given in milliseconds. */
export function moment(ms) {
  return dates.format(ms);
}

/** Why the house said no, in the page's language; its sentences are fetched when they are needed. */
export async function refusal(answer) {
  const { said } = await import("./refusals.js").catch(() => ({}));
  return (said?.(answer) ?? answer.message) || t("The house does not answer.");
}
