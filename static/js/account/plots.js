// Small figures: a share with how sure it is, a curve with its band. Pure.

const Z_95 = 1.96;

/**
 * A share of games with the bounds within which the true one lies, 19 times of 20 (Wilson).
 * @param {number} won
 * @param {number} games at least one
 * @returns {{share: number, least: number, most: number}}
 */
export function wilsonInterval(won, games) {
  const share = won / games;
  const square = Z_95 ** 2;
  const middle = share + square / (2 * games);
  const spread = Z_95 * Math.sqrt((share * (1 - share)) / games + square / (4 * games ** 2));
  const whole = 1 + square / games;
  return { share, least: (middle - spread) / whole, most: (middle + spread) / whole };
}

/**
 * How far from a half the share of equals strays, 19 times of 20.
 * @param {number} games
 */
export const marginOfError = (games) => Math.min(0.5, (Z_95 * 0.5) / Math.sqrt(games));

/**
 * The curve of a share over games, in a band that equals would keep to; from 0 to 1 upwards.
 * @param {[games: number, won: number][]} course
 * @param {number} wide
 * @param {number} high
 */
export function curveSvg(course, wide, high) {
  const all = course.at(-1)?.[0] ?? 1;
  /** @param {number} games @param {number} share */
  const at = (games, share) => `${((games / all) * wide).toFixed(1)},${(high * (1 - share)).toFixed(1)}`;
  const upper = course.map(([games]) => at(games, 0.5 + marginOfError(games)));
  const lower = course.map(([games]) => at(games, 0.5 - marginOfError(games))).reverse();
  const line = course.map(([games, won]) => at(games, won / games)).join(" ");
  return `<svg viewBox="0 0 ${wide} ${high}" preserveAspectRatio="none" aria-hidden="true">
    <polygon class="band" points="${[...upper, ...lower].join(" ")}"/>
    <path class="half" d="M0 ${high / 2}H${wide}"/><polyline points="${line}"/></svg>`;
}

/** @typedef {{target: number, points: number, house: number, challenger: number}} ScoreRow */

/**
 * The rows of final scores: what the winner and the loser had, how many games each side won so.
 * @param {{house: number, challenger: number, games: number}[]} scores
 * @returns {ScoreRow[]}
 */
export function scoresByWinner(scores) {
  /** @type {Map<string, ScoreRow>} */
  const rows = new Map();
  for (const { house, challenger, games } of scores) {
    const [points, target] = [house, challenger].sort((a, b) => a - b);
    const row = rows.get(`${target}:${points}`) ?? { target, points, house: 0, challenger: 0 };
    row[house > challenger ? "house" : "challenger"] += games;
    rows.set(`${target}:${points}`, row);
  }
  return [...rows.values()].sort((a, b) => a.target - b.target || a.points - b.points);
}
