// Chips fly over the felt: from the losers to the winners, and what is not matched back to its owners.

import { byId, h, isHurried } from "../common/dom.js";
import { sideTotals } from "../state/matching.js";
import { opponent, SEATS } from "../state/tokens.js";
import { chipFace } from "../table/chips.js";

const CHIPS = 9;
const RETURNED = 3;
const DURATION_MS = 900;
const STAGGER_MS = 60;
const VALUES = [500, 100, 2500];

/** Animate chips if anything was paid and motion is wanted. @param {State.Table} state */
export function animateChips({ game }) {
  const paid = game?.settled?.bets.some(({ gain_cents }) => gain_cents);
  if (!game?.result || !paid) return;
  const { winner } = game.result;
  fly(chipSource(opponent(winner)), chipSource(winner), CHIPS);
}

/** Animate what is not matched when the book is locked. @param {State.Table} state */
export function returnChips({ game }) {
  for (const side of SEATS) {
    if (game && sideTotals(game, side).rest) fly(chipSource(side), byId(`plate-${side}`), RETURNED);
  }
}

/** @param {HTMLElement | undefined} source @param {HTMLElement | undefined} target @param {number} count */
function fly(source, target, count) {
  if (isHurried() || !source || !target) return;
  const felt = byId("cloth");
  const [from, to] = [source, target].map((element) => centre(element, felt));
  for (let n = 0; n < count; n += 1) {
    const chip = h("div.flying", { "aria-hidden": "true" }, chipFace(VALUES[n % VALUES.length]));
    felt.append(chip);
    const moves = chip.animate(
      [from, to].map(({ x, y }) => ({ transform: `translate(${x}px, ${y}px) translate(-50%, -50%)` })),
      { duration: DURATION_MS, delay: n * STAGGER_MS, easing: "ease-in-out", fill: "both" },
    );
    moves.onfinish = () => chip.remove();
  }
}

// Return where the chips of a side are: the piles if shown, else the total; who plays sees neither.
/** @param {Wire.Seat} side */
const chipSource = (side) =>
  ["piles", "total"].map((name) => byId(`${name}-${side}`)).find((one) => one.checkVisibility());

/** @param {HTMLElement} element @param {HTMLElement} felt */
function centre(element, felt) {
  const [inner, outer] = [element.getBoundingClientRect(), felt.getBoundingClientRect()];
  return {
    x: inner.left - outer.left + inner.width / 2,
    y: inner.top - outer.top + inner.height / 2,
  };
}
