// The gallery: bettors stand behind their player, the largest bets nearest and with names, the others summed up.

import { byId, h, setAttributes, text, within } from "../common/dom.js";
import { faceSvg, isSimulated, portraitSvg } from "../felt/avatars.js";
import { sideTotals } from "../state/matching.js";
import { SEATS } from "../state/tokens.js";
import { bettorName, nameOf } from "../text/event_text.js";
import { amount, signed, t, tn } from "../text/i18n.js";
import { coverText, sideGain } from "./bet_spots.js";

/** @typedef {{name: string, unit_cents: number, matched_cents: number, known: boolean}} Bettor */

const MAX_NAMED = 4;
const MAX_SHOWN = 10;
// Degrees from the middle of the arc: the named ones, then pairs further out.
const NEAR = [-7.5, 7.5, -22, 22];
const FAR = 33;
const APART = 4.6;

/** @param {State.Table} state */
export function renderGallery(state) {
  byId("main").classList.toggle("playing", state.game?.phase === "playing");
  for (const side of SEATS) renderSide(state, side);
}

/** @param {State.Table} state @param {Wire.Seat} side */
function renderSide(state, side) {
  const { game, you } = state;
  const open = game?.phase === "betting";
  const isOver = Boolean(game?.settled);
  const people = bettors(game?.bets ?? [], side).map((bettor) => ({
    ...bettor,
    cents: isOver ? sideGain(game, side, bettor.name) : betCents(bettor, open),
  }));
  // The viewer always stands nearest.
  people.sort((a, b) => Number(b.name === you.name) - Number(a.name === you.name));
  const box = byId(`gallery-${side}`);
  const shown = people.slice(0, MAX_SHOWN);
  const others = people.slice(MAX_NAMED).map(({ cents }) => cents);
  const more = restText(others, isOver);
  const key = JSON.stringify([shown, more, you.name, open, isOver]);
  const list = within(box, ".people");
  if (list.dataset.key !== key) {
    list.dataset.key = key;
    const known = /** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll("[data-name]"));
    const existing = new Map(Array.from(known, (one) => [one.dataset.name, one]));
    const figures = shown.map((person, n) => {
      const figure = existing.get(person.name) ?? createFigure(person.name, game);
      updateFigure(figure, person, n, you, isOver);
      return figure;
    });
    arrange(list, more ? [...figures, h("li.more-people", more)] : figures);
    list.tabIndex = people.length ? 0 : -1;
  }
  const n = game?.bets.filter((bet) => bet.side === side).length ?? 0;
  const cover = game && !n ? sideTotals(game, side).cover : 0;
  const count = cover ? coverText(state, side, cover) : tn("{n} bet", "{n} bets", { n });
  text(within(box, ".count"), game ? count : "");
  text(within(box, ".whom"), game ? t("on {name}", { name: nameOf(state, side) }) : "");
}

/** @param {Wire.MatchedBet[]} bets @param {Wire.Seat} side */
export function bettors(bets, side) {
  /** @type {Map<string, Bettor>} */
  const byName = new Map();
  for (const bet of bets) {
    if (bet.side !== side) continue;
    const fresh = { name: bet.player, unit_cents: 0, matched_cents: 0, known: true };
    const bettor = byName.get(bet.player) ?? fresh;
    bettor.unit_cents += bet.unit_cents;
    bettor.matched_cents += bet.matched_cents ?? 0;
    bettor.known &&= bet.matched_cents !== undefined;
    byName.set(bet.player, bettor);
  }
  return [...byName.values()].sort((a, b) => b.unit_cents - a.unit_cents);
}

/** Return the bet, or once the book is locked its matched part. @param {Bettor} bettor @param {boolean} open */
export const betCents = ({ unit_cents, matched_cents, known }, open) =>
  known && !open ? matched_cents : unit_cents;

/** Return what stands below a bettor: the bet, at the end the gain. @param {number} cents @param {boolean} isGain */
export const betText = (cents, isGain) => (cents ? (isGain ? signed(cents) : amount(cents)) : t("unmatched"));

/** Return what stands for the bettors without names. @param {number[]} cents of each @param {boolean} isGain */
export function restText(cents, isGain) {
  const sum = cents.reduce((total, one) => total + one, 0);
  return cents.length ? t("and {n} more: {sum}", { n: cents.length, sum: betText(sum, isGain) }) : "";
}

/** @param {number} n */
function arcAngle(n) {
  if (n < MAX_NAMED) return NEAR[n];
  const pair = Math.floor((n - MAX_NAMED) / 2);
  return (n % 2 ? 1 : -1) * (FAR + APART * pair);
}

// Reorder children with as few moves as possible: each move restarts an animation and a layout.
/** @param {HTMLElement} list @param {HTMLElement[]} wanted */
function arrange(list, wanted) {
  const staying = new Set(wanted);
  for (const one of [...list.children]) if (!staying.has(/** @type {HTMLElement} */ (one))) one.remove();
  for (const [n, one] of wanted.entries()) {
    const current = list.children[n];
    if (current !== one) list.insertBefore(one, current ?? null);
  }
}

/** @param {string} player @param {State.Game | null} game */
function createFigure(player, game) {
  const who = h("b.who", { dir: "auto" });
  const item = h("li", { "data-name": player }, h("span.face-of"), h("span.words", who, h("span.bet")));
  within(item, ".face-of").innerHTML = player === "house" ? portraitSvg(game, player) : faceSvg(player);
  return item;
}

/**
 * @param {HTMLElement} item
 * @param {Bettor & {cents: number}} person
 * @param {number} n
 * @param {State.You} you
 * @param {boolean} isOver
 */
function updateFigure(item, { name, matched_cents, known, cents }, n, you, isOver) {
  const words = betText(cents, isOver);
  const called = bettorName(name, you);
  const classes = {
    person: true,
    mine: name === you.name,
    sim: isSimulated(name),
    unmatched: known && !matched_cents,
    new: !item.isConnected,
    far: n >= MAX_NAMED,
  };
  setAttributes(item, { class: classes, title: `${called}: ${words}` });
  text(within(item, ".who"), called);
  const bet = within(item, ".bet");
  text(bet, words);
  bet.className = `bet ${!isOver || !cents ? "even" : cents > 0 ? "won" : "lost"}`;
  if (item.dataset.n !== String(n)) {
    item.dataset.n = String(n);
    item.style.setProperty("--a", `${arcAngle(n)}deg`);
    item.style.setProperty("--k", String(n - 1.5));
  }
}
