// What lies on the two sides, and what a bet pays. Pure.

/**
 * Return what lies on a side: bets and cover while bets are taken, then what is matched. The rest goes back.
 * @param {{phase: string, book: State.Totals}} game
 * @param {Wire.Seat} side
 */
export function sideTotals({ phase, book }, side) {
  const bets = book[`${side}_cents`];
  const cover = Math.max(0, book.matched_cents - bets);
  const rest = Math.max(0, bets - book.matched_cents);
  return { total: phase === "betting" ? bets + cover : book.matched_cents, cover, rest };
}

/**
 * Return how many units a bet pays for a game of `stake`; under "single" laws always one.
 * @param {Partial<Wire.GalleryLaws>} laws
 * @param {number} [stake] by default that of the dearest game
 */
export const stakeMultiplier = ({ gallery_stakes }, stake = 3) => (gallery_stakes === "single" ? 1 : stake);

/**
 * Return what a winning bet gains after commission.
 * @param {number} matched_cents
 * @param {number} units
 * @param {Wire.GalleryLaws} laws
 */
export function netWin(matched_cents, units, { commission_bp = 500, commission_base = "winnings" }) {
  const gain = matched_cents * units;
  const charged = commission_base === "gross" ? gain + matched_cents : gain;
  return gain - Math.floor((charged * commission_bp) / 10_000);
}
