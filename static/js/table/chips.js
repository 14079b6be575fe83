// Chips: those laid out for a bet, and how chips look.

import { h } from "../common/dom.js";
import { chips, language } from "../text/i18n.js";

const VALUES = [100, 500, 2500, 10000, 50000, 250000, 1000000];
const RAIL_SIZE = 5;

/** Return the five chip values that fit a table's limits. @param {Partial<Wire.Limits>} limits */
export function railValues(limits) {
  const least = limits.least_cents ?? 100;
  const from = VALUES.findLastIndex((value) => value <= Math.max(least, VALUES[0]));
  const start = Math.min(from, VALUES.length - RAIL_SIZE);
  return VALUES.slice(start, start + RAIL_SIZE);
}

/** What the tools do with the chips laid out, by their names. @type {Record<string, (chips: number[]) => number[]>} */
export const TOOLS = {
  undo: (laid) => laid.slice(0, -1),
  clear: () => [],
  double: (laid) => [...laid, ...laid],
};

/** @param {number[]} laid */
export const total = (laid) => laid.reduce((sum, value) => sum + value, 0);

/**
 * Parse a typed amount into cents; null if it is not a number of chips.
 * @param {string} typed
 * @param {string} [spoken] the language it is typed in
 */
export function parseChips(typed, spoken = language) {
  const digits = typed.replace(/[\s']/g, "");
  const thousands = spoken === "en" && /^\d{1,3}(,\d{3})+(\.\d*)?$/.test(digits);
  const plain = thousands ? digits.replaceAll(",", "") : digits.replace(",", ".");
  if (!/^\d{1,9}(\.\d{1,2})?$/.test(plain)) return null;
  const [whole, part = ""] = plain.split(".");
  return Number(whole) * 100 + Number(part.padEnd(2, "0"));
}

/** Return how many chips of each value make up an amount. @param {number} cents @param {number} most of a value */
export function pile(cents, most) {
  let left = cents;
  return VALUES.toReversed().flatMap((value) => {
    const n = Math.floor(left / value);
    left %= value;
    return n ? [{ value, n: Math.min(n, most) }] : [];
  });
}

/** Return a chip seen from above. @param {number} value @param {boolean} [written] */
export function chipFace(value, written = true) {
  const words = written ? chips(value).replace(/\s/g, "") : "";
  const kind = VALUES.findLastIndex((one) => one <= value);
  return h(`span.chip-face.chip-${kind}${words.length > 2 ? ".long" : ""}`, words);
}
