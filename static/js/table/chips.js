// Chips: the stack laid out for a bet, and how chips look.

import { h } from "../common/dom.js";
import { chips, language } from "../text/i18n.js";

/** @import { Limits } from "../state/messages" */

/** @typedef {{chips: number[], last: number}} Stack */

const VALUES = [100, 500, 2500, 10000, 50000, 250000, 1000000];
export const RAIL_SIZE = 5;

/**
 * Return the five chip values that fit a table's limits.
 * @param {Partial<Limits>} limits
 */
export function railValues(limits) {
  const least = limits.least_cents ?? 100;
  const from = VALUES.findLastIndex((value) => value <= Math.max(least, VALUES[0]));
  const start = Math.min(Math.max(from, 0), VALUES.length - RAIL_SIZE);
  return VALUES.slice(start, start + RAIL_SIZE);
}

/**
 * Return an empty stack; `last` is the unit of the previous bet.
 * @param {number} [last]
 * @returns {Stack}
 */
export const emptyStack = (last = 0) => ({ chips: [], last });

/** @param {Stack} stack */
export const total = (stack) => stack.chips.reduce((sum, value) => sum + value, 0);

/** @returns {Stack} @param {Stack} stack @param {number} value */
export const add = (stack, value) => ({ ...stack, chips: [...stack.chips, value] });

/** @returns {Stack} @param {Stack} stack */
export const undo = (stack) => ({ ...stack, chips: stack.chips.slice(0, -1) });

/** @returns {Stack} @param {Stack} stack */
export const clear = (stack) => ({ ...stack, chips: [] });

/** @returns {Stack} @param {Stack} stack */
export const double = (stack) => ({ ...stack, chips: [...stack.chips, ...stack.chips] });

/** @returns {Stack} @param {Stack} stack */
export const repeat = (stack) => (stack.last ? { ...stack, chips: [stack.last] } : stack);

/** @returns {Stack} @param {Stack} stack @param {number} cents */
export const setAmount = (stack, cents) => ({ ...stack, chips: cents > 0 ? [cents] : [] });

/** @returns {Stack} @param {Stack} stack */
export const afterBet = (stack) => ({ chips: [], last: total(stack) });

/**
 * Parse a typed amount into cents; null if it is not a number of chips.
 * @param {string} typed
 * @param {string} [spoken] the language it is typed in
 */
export function parseChips(typed, spoken = language) {
  const digits = typed.replace(/[\s\u00a0\u202f']/g, "");
  const thousands = spoken === "en" && /^\d{1,3}(,\d{3})+(\.\d*)?$/.test(digits);
  const plain = thousands ? digits.replaceAll(",", "") : digits.replace(",", ".");
  if (!/^\d{1,9}(\.\d{1,2})?$/.test(plain)) return null;
  const [whole, part = ""] = plain.split(".");
  return Number(whole) * 100 + Number(part.padEnd(2, "0"));
}

/**
 * Return the chips that make up an amount, largest first, at most `most`.
 * @param {number} cents
 * @param {number} [most]
 */
export function pile(cents, most = 8) {
  /** @type {number[]} */
  const result = [];
  let left = cents;
  for (const value of [...VALUES].reverse()) {
    while (left >= value && result.length < most) {
      result.push(value);
      left -= value;
    }
  }
  return result;
}

/** @param {number} value */
export const chipClass = (value) => `chip-${VALUES.findLastIndex((one) => one <= value)}`;

/**
 * Return a chip seen from above.
 * @param {number} value
 * @param {boolean} [written]
 */
export function chipFace(value, written = true) {
  const words = written ? chips(value).replace(/[\s\u00a0\u202f]/g, "") : "";
  return h(`span.chip-face.${chipClass(value)}${words.length > 2 ? ".long" : ""}`, {}, words);
}
