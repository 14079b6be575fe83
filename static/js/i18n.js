// The words of the page in its language: English texts are the keys, the server makes a table of each
// catalogue.

/** The language of the page; tests on node have none and speak English. */
export const language = globalThis.document?.documentElement.lang || "en";

/** What the catalogue of the language says: `name` of texts; English has none and needs none. */
export async function table(name) {
  if (language === "en") return {};
  return (await fetch(new URL(`./texts/${language}${name}.json`, import.meta.url))).json();
}

const texts = await table("");
const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });
const cents = new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const dates = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
const plurals = new Intl.PluralRules(language);

/** A text in the page's language, `{name}` replaced by the value of that name; numbers in its manner. */
export function t(text, values = {}) {
  return filled(texts[text] ?? values.or ?? text, values);
}

/** A text that counts `values.n`: English has a form for one and a form for many, others have theirs. */
export function tn(one, many, values) {
  return filled(form(texts[one] ?? { one, other: many }, values.n), values);
}

/** The form of a text that fits a number. */
export function form(forms, n) {
  return typeof forms === "string" ? forms : (forms[plurals.select(n)] ?? forms.other);
}

function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => written(values[name] ?? whole));
}

const written = (value) => (typeof value === "number" ? numbers.format(value) : value);

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
