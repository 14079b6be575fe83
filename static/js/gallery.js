// The gallery: who stands behind which player, with his units and what of them is matched.

import { colour, pile } from "./chips.js";
import { byId, fill, h, text, within } from "./dom.js";
import { chips, t } from "./i18n.js";
import { bettorName } from "./narrate.js";
import { SEATS } from "./seats.js";

/** @import { Seat, Stand } from "./messages" */
/** @import { Table, You } from "./table" */

/** @typedef {{name: string, unit_cents: number, matched_cents: number, known: boolean}} Bettor */

const SHOWN = 14;

/**
 * Draw both groups.
 * @param {Table} state
 */
export function renderGallery(state) {
  for (const side of SEATS) renderSide(state, side);
}

/**
 * @param {Table} state
 * @param {Seat} side
 */
function renderSide(state, side) {
  const game = state.game;
  const people = game ? bettors(game.bets, side) : [];
  const box = byId(`gallery-${side}`);
  const shown = people.slice(0, SHOWN);
  const key = JSON.stringify([shown, people.length, state.you.name, game?.phase]);
  const list = within(box, ".people");
  const known = /** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll("[data-name]"));
  const there = new Set(Array.from(known, (one) => one.dataset.name));
  fill(list, key, () => [
    ...shown.map((person) => figure(person, state.you, game?.phase ?? "", there.has(person.name))),
    ...(people.length > SHOWN ? [h("li.more", {}, t("and {n} more", { n: people.length - SHOWN }))] : []),
    ...(people.length || !game ? [] : [h("li.nobody", {}, t("Nobody yet"))]),
  ]);
  const total = game ? game.book[`${side}_cents`] : 0;
  text(within(box, ".total"), chips(total));
}

/**
 * One entry for each person on a side, those with the most first.
 * @param {Stand[]} bets
 * @param {Seat} side
 */
export function bettors(bets, side) {
  /** @type {Map<string, Bettor>} */
  const found = new Map();
  for (const bet of bets) {
    if (bet.side !== side) continue;
    const one = found.get(bet.player) ?? { name: bet.player, unit_cents: 0, matched_cents: 0, known: true };
    one.unit_cents += bet.unit_cents;
    one.matched_cents += bet.matched_cents ?? 0;
    one.known &&= bet.matched_cents !== undefined;
    found.set(bet.player, one);
  }
  return [...found.values()].sort((a, b) => b.unit_cents - a.unit_cents);
}

/**
 * Only who was not there before is seen to arrive.
 * @param {Bettor} person
 * @param {You} you
 * @param {string} phase
 * @param {boolean} wasThere
 */
function figure(person, you, phase, wasThere) {
  const { unit_cents, matched_cents, known } = person;
  const name = bettorName(person.name, you);
  const mine = person.name === you.name;
  const open = phase === "betting";
  const words = !known
    ? ""
    : open
      ? t("{n} matched now", { n: chips(matched_cents) })
      : matched_cents
        ? t("{n} matched", { n: chips(matched_cents) })
        : t("unmatched");
  const item = h(
    `li.person${mine ? ".mine" : ""}${known && !matched_cents ? ".unmatched" : ""}${wasThere ? "" : ".new"}`,
    {
      "data-name": person.name,
      title: `${name}: ${chips(unit_cents)}${words ? ` · ${words}` : ""}`,
    },
    h(
      `span.face-letter.hue-${hue(person.name)}`,
      { "aria-hidden": "true" },
      [...person.name][0]?.toUpperCase() ?? "?",
    ),
    h("span.who", {}, name),
    h("span.bet", {}, chips(unit_cents)),
    h(
      "span.stack",
      { "aria-hidden": "true" },
      ...pile(unit_cents, 4).map((value) => h(`i.${colour(value)}`)),
    ),
    h("span.matched", {}, words),
  );
  return item;
}

/** @param {string} name */
function hue(name) {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 8;
  return sum;
}
