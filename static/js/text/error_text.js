// Why the house said no, in the page's language. Asked for only when it first does.

import { cardSign } from "../felt/cards.js";
import { chips, language, loadTable, loadTexts, pluralForm } from "./i18n.js";

/** @import { Forms } from "./i18n.js" */
/** @import { WhyNot } from "../state/messages" */

await loadTexts("error_text");
/** @type {Record<string, Forms>} */
const texts = await loadTable("/refusals");

/** @type {Record<string, (value: string | number) => string>} */
const FORMATS = { card: (card) => cardSign(String(card)), chips: (cents) => chips(Number(cents)) };

/**
 * The sentence of a refusal, made of its reason and its values; the house's own English for
 * those who read it, and for what the catalogue lacks.
 * @param {WhyNot} answer
 */
export function errorText({ reason, message, article, values = {} }) {
  const text = pluralForm(texts[reason ?? ""] ?? message ?? "", values.n);
  // A name or a card with which a sentence begins stays as it is.
  const startsWithValue = Object.values(values).some((value) => text.startsWith(String(value)));
  const capitalised = startsWithValue ? text : text.charAt(0).toLocaleUpperCase(language) + text.slice(1);
  const sentence = capitalised.replace(/\{(\w+)(?::(\w+))?\}/g, (whole, name, kind) => {
    const value = values[name] ?? whole;
    return FORMATS[kind]?.(value) ?? String(value);
  });
  return sentence && (article ? `${sentence}. (${article})` : `${sentence}.`);
}
