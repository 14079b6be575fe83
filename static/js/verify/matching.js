// Matching of the two sides, stated a second time, in whole cents. Pure.

import { SEATS } from "./tokens.js";

/** @param {Wire.Bet[]} bets @param {Wire.Seat} side */
function totalOf(bets, side) {
  return bets.reduce((sum, bet) => (bet.side === side ? sum + bet.unit_cents : sum), 0);
}

/**
 * Return the matched part of each bet by order: both sides are cut to the smaller total.
 * @param {Wire.Bet[]} bets
 * @param {Wire.GalleryLaws["matching"]} [matching]
 */
export function match(bets, matching = "pro_rata") {
  const least = Math.min(...SEATS.map((side) => totalOf(bets, side)));
  const cut = matching === "pro_rata" ? inProportion : lastOut;
  /** @type {Map<number, number>} */
  const kept = new Map();
  for (const side of SEATS) {
    const mine = bets.filter((bet) => bet.side === side).sort((a, b) => a.order - b.order);
    const units = mine.map((bet) => bet.unit_cents);
    for (const [at, cents] of cut(units, least).entries()) kept.set(mine[at].order, cents);
  }
  return kept;
}

/** @param {number[]} units @param {number} least */
function inProportion(units, least) {
  const whole = units.reduce((sum, unit) => sum + unit, 0);
  if (!whole) return units;
  const big = units.map((unit) => BigInt(unit) * BigInt(least));
  const kept = big.map((product) => Number(product / BigInt(whole)));
  const rest = big.map((product) => Number(product % BigInt(whole)));
  const left = least - kept.reduce((sum, cents) => sum + cents, 0);
  const byRest = rest.map((_, at) => at).sort((a, b) => rest[b] - rest[a] || a - b);
  for (const at of byRest.slice(0, left)) kept[at] += 1;
  return kept;
}

/** @param {number[]} units @param {number} least */
function lastOut(units, least) {
  let left = least;
  return units.map((unit) => {
    const kept = Math.min(unit, left);
    left -= kept;
    return kept;
  });
}

/**
 * Return the bet by which a principal covers the difference, if there is one.
 * @param {Wire.Bet[]} bets
 * @param {Wire.Cover} cover
 * @param {string} challenger
 * @param {number} order
 * @returns {Wire.Bet[]}
 */
export function coverOf(bets, cover, challenger, order) {
  const gap = totalOf(bets, "challenger") - totalOf(bets, "house");
  const side = gap > 0 ? "house" : "challenger";
  const unit_cents = Math.min(cover[`${side}_cents`], Math.abs(gap));
  const player = side === "house" ? side : challenger;
  return unit_cents ? [{ order, player, side, unit_cents }] : [];
}
