// How bets will be matched. An estimate: the server decides when betting closes. Pure.

/** @import { Bet, Cover, GalleryLaws, Seat } from "./messages" */
/** @import { Totals } from "./table" */

/**
 * Return bets in the order in which they were accepted.
 * @template {{order: number}} T
 * @param {T[]} bets
 */
export const byOrder = (bets) => [...bets].sort((a, b) => a.order - b.order);

/**
 * Return how much of each unit is matched when only `left` of a side can be.
 * @param {number[]} units
 * @param {number} left at most the sum of the units
 * @param {GalleryLaws["matching"]} [matching]
 * @returns {number[]}
 */
export const matchUnits = (units, left, matching = "pro_rata") =>
  matching === "pro_rata" ? proRata(units, left) : firstComeFirst(units, left);

// Round each share down; the remaining cents go to the largest remainders.
/** @param {number[]} units @param {number} left */
function proRata(units, left) {
  const sum = BigInt(units.reduce((total, unit) => total + unit, 0));
  if (!sum) return units.map(() => 0);
  const shares = units.map((unit, at) => {
    const product = BigInt(unit) * BigInt(left);
    return { at, cents: Number(product / sum), remainder: product % sum };
  });
  const odd = left - shares.reduce((total, { cents }) => total + cents, 0);
  const first = [...shares].sort((a, b) =>
    a.remainder === b.remainder ? a.at - b.at : a.remainder < b.remainder ? 1 : -1,
  );
  for (const share of first.slice(0, odd)) share.cents += 1;
  return shares.map(({ cents }) => cents);
}

/** @param {number[]} units @param {number} left */
function firstComeFirst(units, left) {
  let before = 0;
  return units.map((unit) => {
    const cents = Math.max(0, Math.min(unit, left - before));
    before += unit;
    return cents;
  });
}

/**
 * Return how much of one more bet would be matched if betting closed now.
 * @param {Bet[]} bets
 * @param {Seat} side
 * @param {number} unit_cents
 * @param {Cover | null} cover
 * @param {GalleryLaws["matching"]} [matching]
 */
export function expectedMatch(bets, side, unit_cents, cover, matching) {
  const earlier = byOrder(bets).filter((bet) => bet.side === side);
  const backing = [...earlier.map((bet) => bet.unit_cents), unit_cents];
  const own = backing.reduce((sum, unit) => sum + unit, 0);
  const against = bets.reduce((sum, bet) => (bet.side === side ? sum : sum + bet.unit_cents), 0);
  const coverLeft = (side === "house" ? cover?.challenger_cents : cover?.house_cents) ?? 0;
  if (own > against)
    return matchUnits(backing, Math.min(own, against + coverLeft), matching)[backing.length - 1];
  // The other side is larger: the whole bet is matched.
  return unit_cents;
}

/**
 * Return what lies on a side: bets and cover while bets are taken, then what is matched. The rest goes back.
 * @param {{phase: string, book: Totals}} game
 * @param {Seat} side
 */
export function sideTotals({ phase, book }, side) {
  const bets = book[`${side}_cents`];
  const cover = Math.max(0, book.matched_cents - bets);
  const rest = Math.max(0, bets - book.matched_cents);
  return { total: phase === "betting" ? bets + cover : book.matched_cents, cover, rest };
}

/**
 * Return how many units a bet pays for a game of `stake`; under "single" laws always one.
 * @param {Partial<GalleryLaws>} laws
 * @param {number} [stake] by default that of the dearest game
 */
export const stakeMultiplier = ({ gallery_stakes }, stake = 3) => (gallery_stakes === "single" ? 1 : stake);

/**
 * Return what a winning bet gains after commission.
 * @param {number} matched_cents
 * @param {number} units
 * @param {GalleryLaws} laws
 */
export function netWin(matched_cents, units, { commission_bp = 500, commission_base = "winnings" }) {
  const gain = matched_cents * units;
  const charged = commission_base === "gross" ? gain + matched_cents : gain;
  return gain - Math.floor((charged * commission_bp) / 10_000);
}
