// The chip rail: what lies ready to be bet, as a list of chips. Pure.

import { language } from "./i18n.js";

const VALUES = [100, 500, 2500, 10000, 50000, 250000, 1000000];
export const RAIL = 5;

/** The five chips that fit a table's limits, in cents. */
export function railFor(limits) {
  const least = limits.least_cents ?? 100;
  const from = VALUES.findLastIndex((value) => value <= Math.max(least, VALUES[0]));
  const start = Math.min(Math.max(from, 0), VALUES.length - RAIL);
  return VALUES.slice(start, start + RAIL);
}

/** Nothing laid ready; `last` is the unit of the last bet. */
export function emptyStack(last = 0) {
  return { chips: [], last };
}

/** What lies ready, in cents. */
export function total(stack) {
  return stack.chips.reduce((sum, value) => sum + value, 0);
}

export function add(stack, value) {
  return { ...stack, chips: [...stack.chips, value] };
}

export function undo(stack) {
  return { ...stack, chips: stack.chips.slice(0, -1) };
}

export function clear(stack) {
  return { ...stack, chips: [] };
}

export function double(stack) {
  return { ...stack, chips: [...stack.chips, ...stack.chips] };
}

export function repeat(stack) {
  return stack.last ? { ...stack, chips: [stack.last] } : stack;
}

/** A typed amount instead of what lies ready. */
export function type(stack, cents) {
  return { ...stack, chips: cents > 0 ? [cents] : [] };
}

/** After a bet: the rail is empty and remembers. */
export function betted(stack) {
  return { chips: [], last: total(stack) };
}

/** An amount that a person has typed, in cents; null if it is none. */
export function parseChips(typed, spoken = language) {
  const given = typed.replace(/[\s\u00a0\u202f']/g, "");
  const thousands = spoken === "en" && /^\d{1,3}(,\d{3})+(\.\d*)?$/.test(given);
  const plain = thousands ? given.replaceAll(",", "") : given.replace(",", ".");
  if (!/^\d{1,9}(\.\d{1,2})?$/.test(plain)) return null;
  const [whole, part = ""] = plain.split(".");
  return Number(whole) * 100 + Number(part.padEnd(2, "0"));
}

/** The chips that make up an amount, the greatest first, at most so many. */
export function pile(cents, most = 8) {
  const found = [];
  for (const value of [...VALUES].reverse()) {
    while (cents >= value && found.length < most) {
      found.push(value);
      cents -= value;
    }
  }
  return found;
}

/** The class that colours a chip. */
export function colour(value) {
  return `chip-${VALUES.findLastIndex((one) => one <= value)}`;
}
