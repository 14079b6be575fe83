// The gallery: bettors stand behind their player, the largest bets nearest and with names.

import { byId, classNames, h, text, within } from "../common/dom.js";
import { faceSvg, isSimulated, portraitSvg } from "../felt/avatars.js";
import { viewerBets } from "../state/table_state.js";
import { SEATS } from "../state/tokens.js";
import { bettorName, nameOf } from "../text/event_text.js";
import { amount, signed, t } from "../text/i18n.js";
import { sideGain } from "./bet_spots.js";

/** @import { Seat, MatchedBet } from "../state/messages" */
/** @import { Game, Table, You } from "../state/table" */

/** @typedef {{name: string, unit_cents: number, matched_cents: number, known: boolean}} Bettor */

const MAX_NAMED = 4;
const MAX_SHOWN = 18;
// With hundreds of bets within seconds, redraw at most once per second.
const REDRAW_MS = 1000;
let drawnAt = -REDRAW_MS;
let drawnFor = "";
let timer = 0;
// Degrees from the middle of the arc: the named ones, then pairs further out.
const NEAR = [-7.5, 7.5, -22, 22];
const FAR = 33;
const APART = 4.6;

/** @param {Table} state */
export function renderGallery(state) {
  byId("main").classList.toggle("playing", state.game?.phase === "playing");
  clearTimeout(timer);
  const { game, you } = state;
  const bets = game?.bets ?? [];
  const mine = viewerBets(state).length;
  const moment = [game?.id, game?.phase, Boolean(game?.settled), you.name, mine].join();
  const wait =
    bets.length > 2 * MAX_SHOWN && moment === drawnFor ? drawnAt + REDRAW_MS - performance.now() : 0;
  if (wait > 0) timer = setTimeout(() => renderGallery(state), wait);
  else [drawnAt, drawnFor] = [performance.now(), moment];
  for (const side of SEATS) renderSide(state, side, wait <= 0);
}

/**
 * @param {Table} state
 * @param {Seat} side
 * @param {boolean} redraw whether those who stand there are drawn too, not only counted
 */
function renderSide(state, side, redraw) {
  const { game, you } = state;
  const people = game ? bettors(game.bets, side) : [];
  // The viewer always stands nearest.
  people.sort((a, b) => Number(b.name === you.name) - Number(a.name === you.name));
  const box = byId(`gallery-${side}`);
  const shown = people.slice(0, MAX_SHOWN);
  const open = game?.phase === "betting";
  const key = JSON.stringify([shown, people.length, you.name, open, Boolean(game?.settled)]);
  const list = within(box, ".people");
  if (redraw && list.dataset.key !== key) {
    list.dataset.key = key;
    const known = /** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll("[data-name]"));
    const existing = new Map(Array.from(known, (one) => [one.dataset.name, one]));
    const figures = shown.map((person, n) => {
      const was = existing.get(person.name);
      const gain = game?.settled ? sideGain(game, side, person.name) : null;
      const words = betText(person, open, gain);
      return updateFigure(was ?? createFigure(person.name, game), person, n, you, { gain, words, was });
    });
    const more = people.length > MAX_SHOWN ? h("li.more-people", `+${people.length - MAX_SHOWN}`) : null;
    arrange(list, more ? [...figures, more] : figures);
    list.tabIndex = people.length ? 0 : -1;
  }
  text(within(box, ".count"), game ? people.length : "");
  text(within(box, ".whom"), game ? t("for {name}", { name: nameOf(state, side) }) : "");
}

/** @param {MatchedBet[]} bets @param {Seat} side */
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

/**
 * Return what stands below a bettor: the bet, once the book is locked its matched part, at the end the gain.
 * @param {Bettor} bettor @param {boolean} open whether bets are taken @param {number | null} gain
 */
export function betText({ unit_cents, matched_cents, known }, open, gain) {
  const cents = known && !open ? matched_cents : unit_cents;
  return gain ? signed(gain) : cents && gain === null ? amount(cents) : t("unmatched");
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

/** @param {string} player @param {Game | null} game */
function createFigure(player, game) {
  const who = h("b.who", { dir: "auto" });
  const item = h("li", { "data-name": player }, h("span.face-of"), h("span.words", who, h("span.bet")));
  within(item, ".face-of").innerHTML = player === "house" ? portraitSvg(game, player) : faceSvg(player);
  return item;
}

/**
 * @param {HTMLElement} item
 * @param {Bettor} person
 * @param {number} n
 * @param {You} you
 * @param {{gain: number | null, words: string, was?: HTMLElement}} bets
 */
function updateFigure(item, person, n, you, { gain, words, was }) {
  const { name, matched_cents, known } = person;
  item.className = classNames({
    person: true,
    mine: name === you.name,
    sim: isSimulated(name),
    unmatched: known && !matched_cents,
    new: !was,
    far: n >= MAX_NAMED && n < MAX_NAMED + 6,
    farther: n >= MAX_NAMED + 6,
  });
  const called = bettorName(name, you);
  item.title = `${called}: ${words}`;
  text(within(item, ".who"), called);
  const bet = within(item, ".bet");
  text(bet, words);
  bet.className = `bet ${(gain ?? 0) > 0 ? "won" : (gain ?? 0) < 0 ? "lost" : "even"}`;
  if (item.dataset.n !== String(n)) {
    item.dataset.n = String(n);
    item.style.setProperty("--a", `${arcAngle(n)}deg`);
    item.style.setProperty("--k", String(n - 1.5));
  }
  return item;
}
