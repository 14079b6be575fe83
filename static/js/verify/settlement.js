// Settlement of bets, stated a second time, in whole cents. Pure.

/** @typedef {{order: number, player: string, side: Wire.Seat, matched_cents: number}} Matched */

/** @param {number} cents @param {number} bp */
const floorShare = (cents, bp) => Number((BigInt(cents) * BigInt(bp)) / 10000n);

/** Return how many stakes a loser with this score pays. @param {number} points */
export const stakesOf = (points) => (points >= 3 ? 1 : points > 0 ? 2 : 3);

/**
 * Settle bets into rows of order, player, side, matched, escrow, gain, commission.
 * @param {Matched[]} stands
 * @param {Wire.GalleryLaws} laws
 * @param {Wire.Seat} winner
 * @param {number} stake
 * @returns {Wire.Settlement["bets"]}
 */
export function settle(stands, { gallery_stakes, commission_bp = 500, commission_base }, winner, stake) {
  const [risk, paid] = gallery_stakes === "single" ? [1, 1] : [3, stake];
  return stands.map(({ order, player, side, matched_cents }) => {
    const moved = paid * matched_cents;
    const wins = side === winner;
    const charged = moved + (commission_base === "gross" ? matched_cents : 0);
    const fee = wins ? floorShare(charged, commission_bp) : 0;
    return [order, player, side, matched_cents, risk * matched_cents, wins ? moved : -moved, fee];
  });
}

/**
 * Settle the principals' stakes, each on their own seat; they count as often as the game.
 * @param {Wire.BySeat<string>} players
 * @param {number} matched_cents
 * @param {Wire.GalleryLaws} laws
 * @param {Wire.Seat} winner
 * @param {number} stake
 */
export function settlePrincipals(players, matched_cents, laws, winner, stake) {
  /** @type {Matched[]} */
  const both = [
    { order: 0, player: "house", side: "house", matched_cents },
    { order: 0, player: players.challenger, side: "challenger", matched_cents },
  ];
  const commission_bp = laws.principal_commission_bp ?? 0;
  return settle(both, { ...laws, gallery_stakes: "game", commission_bp }, winner, stake);
}
