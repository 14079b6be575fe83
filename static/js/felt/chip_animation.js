// Chips fly over the felt from the losers to the winners.

import { byId, h, isHurried } from "../common/dom.js";
import { opponent } from "../state/tokens.js";
import { chipFace } from "../table/chips.js";

const CHIPS = 9;
const DURATION_MS = 900;
const STAGGER_MS = 60;
const VALUES = [500, 100, 2500];

/** Animate chips if anything was paid and motion is wanted. @param {State.Table} state */
export function animateChips({ game }) {
  const paid = game?.settled?.bets.some(({ gain_cents }) => gain_cents);
  if (!game?.result || !paid || isHurried()) return;
  const { winner } = game.result;
  const felt = byId("cloth");
  const sides = [chipSource(opponent(winner)), chipSource(winner)];
  const places = sides.flatMap((element) => (element ? [centre(element, felt)] : []));
  if (places.length < 2) return;
  for (let n = 0; n < CHIPS; n += 1) {
    const chip = h("div.flying", { "aria-hidden": "true" }, chipFace(VALUES[n % VALUES.length]));
    felt.append(chip);
    const moves = chip.animate(
      places.map(({ x, y }) => ({ transform: `translate(${x}px, ${y}px) translate(-50%, -50%)` })),
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
