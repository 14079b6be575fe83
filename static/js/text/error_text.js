// Translated refusals. Loaded with the first refusal.

import { cardSign } from "../felt/cards.js";
import { parseCards } from "../state/tokens.js";
import { chips, language, loadTable, loadTexts, moment, pluralForm } from "./i18n.js";

/** @import { Forms } from "./i18n.js" */

await loadTexts("error_text");
/** @type {Record<string, Forms>} */
const texts = await loadTable("refusals.json");

const either = new Intl.ListFormat(language, { type: "disjunction" });

/** @type {Record<string, (value: string | number) => string>} */
const FORMATS = {
  // One card, or several of which one is to be played.
  card: (cards) => either.format(parseCards(String(cards)).map(cardSign)),
  chips: (cents) => chips(Number(cents)),
  moment: (ms) => moment(Number(ms)),
};

/** Return the sentence of a refusal; English where the catalogue has none. @param {Wire.Reason} answer */
export function errorText({ reason, message, values = {} }) {
  const text = pluralForm(texts[reason ?? ""] ?? message ?? "", values.n);
  // A name or card at the start of a sentence is not capitalised.
  const startsWithValue = Object.values(values).some((value) => text.startsWith(String(value)));
  const capitalised = startsWithValue ? text : text.charAt(0).toLocaleUpperCase(language) + text.slice(1);
  const sentence = capitalised.replace(/\{(\w+)(?::(\w+))?\}/g, (whole, name, kind) => {
    const value = values[name] ?? whole;
    return FORMATS[kind]?.(value) ?? String(value);
  });
  return sentence && `${sentence}.`;
}
