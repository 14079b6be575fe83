// The gallery: whoever has bet stands behind his player, the largest bets nearest and by name.

import { byId, fill, h, text, within } from "./dom.js";
import { chips, signed, t } from "./i18n.js";
import { bettorName, nameOf } from "./narrate.js";
import { faceSvg, simulated } from "./people.js";
import { SEATS } from "./seats.js";

/** @import { Seat, Stand } from "./messages" */
/** @import { Game, Table, You } from "./table" */

/** @typedef {{name: string, unit_cents: number, matched_cents: number, known: boolean}} Bettor */

const NAMED = 4;
const SHOWN = 18;
// Degrees from the middle of the arc: the named ones, then pairs further and further out.
const NEAR = [-7.5, 7.5, -22, 22];
const FAR = 33;
const APART = 4.6;

/**
 * Draw both groups.
 * @param {Table} state
 */
export function renderGallery(state) {
  byId("main").classList.toggle("playing", state.game?.phase === "playing");
  for (const side of SEATS) renderSide(state, side);
}

/**
 * @param {Table} state
 * @param {Seat} side
 */
function renderSide(state, side) {
  const { game, you } = state;
  const people = game ? bettors(game.bets, side) : [];
  // Whoever looks is always nearest to his player.
  people.sort((a, b) => Number(b.name === you.name) - Number(a.name === you.name));
  const box = byId(`gallery-${side}`);
  const shown = people.slice(0, SHOWN);
  const gains = game?.settled ? gainsOf(game, side) : null;
  const key = JSON.stringify([shown, people.length, you.name, Boolean(gains)]);
  const list = within(box, ".people");
  const known = /** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll("[data-name]"));
  const there = new Set(Array.from(known, (one) => one.dataset.name));
  fill(list, key, () => [
    ...shown.map((person, n) => figure(person, n, you, gains, there.has(person.name))),
    people.length > SHOWN ? h("li.more-people", {}, `+${people.length - SHOWN}`) : null,
  ]);
  text(within(box, ".count"), people.length);
  text(within(box, ".whom"), t("for {name}", { name: game ? nameOf(state, side) : t(side) }));
}

/**
 * What everybody on a side gained or lost, commission taken.
 * @param {Game} game
 * @param {Seat} side
 */
function gainsOf({ settled }, side) {
  /** @type {Map<string, number>} */
  const gains = new Map();
  for (const bet of settled?.bets ?? []) {
    if (bet.side !== side) continue;
    gains.set(bet.player, (gains.get(bet.player) ?? 0) + bet.gain_cents - bet.commission_cents);
  }
  return gains;
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
 * Where on the arc the n-th person stands, in degrees.
 * @param {number} n
 */
function angle(n) {
  if (n < NAMED) return NEAR[n];
  const pair = Math.floor((n - NAMED) / 2);
  return (n % 2 ? 1 : -1) * (FAR + APART * pair);
}

/**
 * Only whoever was not there before is seen to arrive.
 * @param {Bettor} person
 * @param {number} n
 * @param {You} you
 * @param {Map<string, number> | null} gains
 * @param {boolean} wasThere
 */
function figure(person, n, you, gains, wasThere) {
  const { unit_cents, matched_cents, known } = person;
  const name = bettorName(person.name, you);
  const gain = gains?.get(person.name);
  const bet = gain === undefined ? chips(unit_cents) : gain ? signed(gain) : t("unmatched");
  const kinds = {
    mine: person.name === you.name,
    sim: simulated(person.name),
    unmatched: known && !matched_cents,
    new: !wasThere,
    far: n >= NAMED && n < NAMED + 6,
    farther: n >= NAMED + 6,
  };
  const classes = Object.entries(kinds).filter(([, is]) => is);
  const item = h(
    ["li.person", ...classes.map(([kind]) => kind)].join("."),
    { "data-name": person.name, title: `${name}: ${bet}` },
    h("span.face-of"),
    h(
      "span.words",
      {},
      h("b.who", { dir: "auto" }, name),
      h(`span.bet.${(gain ?? 0) > 0 ? "won" : (gain ?? 0) < 0 ? "lost" : "even"}`, {}, bet),
    ),
  );
  within(item, ".face-of").innerHTML = faceSvg(person.name);
  item.style.setProperty("--a", `${angle(n)}deg`);
  item.style.setProperty("--k", String(n - 1.5));
  return item;
}
