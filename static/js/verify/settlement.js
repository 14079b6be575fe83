// Settlement of bets, stated a second time, in whole cents. Pure.

/** @typedef {{order: number, player: string, side: Seat, matched_cents: number}} Matched */
/** @import { BySeat, GalleryLaws, Seat, Settlement } from "../state/messages" */

/** @param {number} cents @param {number} bp */
const floorShare = (cents, bp) => Number((BigInt(cents) * BigInt(bp)) / 10000n);

/**
 * Settle bets into rows of order, player, side, matched, escrow, gain, commission.
 * @param {Matched[]} stands
 * @param {GalleryLaws} laws
 * @param {Seat} winner
 * @param {number} stake
 */
export function settle(stands, laws, winner, stake) {
  const single = laws.gallery_stakes === "single";
  const [risk, paid] = single ? [1, 1] : [3, stake];
  return stands.map((bet) => row(bet, risk, paid, winner, laws.commission_bp ?? 500, laws.commission_base));
}

/**
 * Settle the principals' stakes, each on their own seat.
 * @param {BySeat<string>} players
 * @param {number} stake_cents
 * @param {GalleryLaws} laws
 * @param {Seat} winner
 * @param {number} stake
 */
export function settlePrincipals(players, stake_cents, laws, winner, stake) {
  /** @param {string} player @param {Seat} side */
  const bet = (player, side) => ({ order: 0, player, side, matched_cents: stake_cents });
  const both = [bet("house", "house"), bet(players.challenger, "challenger")];
  return both.map((one) =>
    row(one, 3, stake, winner, laws.principal_commission_bp ?? 0, laws.commission_base),
  );
}

/**
 * @param {Matched} bet
 * @param {number} risk
 * @param {number} paid
 * @param {Seat} winner
 * @param {number} bp
 * @param {GalleryLaws["commission_base"]} base
 * @returns {Settlement["bets"][number]}
 */
function row({ order, player, side, matched_cents }, risk, paid, winner, bp, base) {
  const moved = paid * matched_cents;
  const wins = side === winner;
  const charged = moved + (base === "gross" ? matched_cents : 0);
  return [
    order,
    player,
    side,
    matched_cents,
    risk * matched_cents,
    wins ? moved : -moved,
    wins ? floorShare(charged, bp) : 0,
  ];
}
