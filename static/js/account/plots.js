// Small statistical figures. Pure.

const Z_95 = 1.96;
// How wide and high a figure is drawn; the page stretches it.
const WIDE = 900;
const HIGH = 200;

/**
 * Return a share of games with its 95% Wilson score interval.
 * @param {number} won
 * @param {number} games at least one
 */
export function wilsonInterval(won, games) {
  const share = won / games;
  const square = Z_95 ** 2;
  const middle = share + square / (2 * games);
  const spread = Z_95 * Math.sqrt((share * (1 - share)) / games + square / (4 * games ** 2));
  const whole = 1 + square / games;
  return { share, least: (middle - spread) / whole, most: (middle + spread) / whole };
}

/** Return the 95% margin around a half for equal players. @param {number} games */
export const marginOfError = (games) => Math.min(0.5, (Z_95 * 0.5) / Math.sqrt(games));

/**
 * Return the curve of a share over games, inside the 95% band of equal players.
 * @param {[games: number, won: number][]} course
 */
export function curveSvg(course) {
  const all = course.at(-1)?.[0] ?? 1;
  /** @param {number} games @param {number} share */
  const at = (games, share) => `${((games / all) * WIDE).toFixed(1)},${(HIGH * (1 - share)).toFixed(1)}`;
  const upper = course.map(([games]) => at(games, 0.5 + marginOfError(games)));
  const lower = course.map(([games]) => at(games, 0.5 - marginOfError(games))).reverse();
  const line = course.map(([games, won]) => at(games, won / games)).join(" ");
  return `<svg viewBox="0 0 ${WIDE} ${HIGH}" preserveAspectRatio="none" aria-hidden="true">
    <polygon class="band" points="${[...upper, ...lower].join(" ")}"/>
    <path class="half" d="M0 ${HIGH / 2}H${WIDE}"/><polyline points="${line}"/></svg>`;
}

/**
 * Return the range of a balance, no finer than a tenth of it, and the round amounts to mark.
 * @param {number} low
 * @param {number} high
 */
export function balanceAxis(low, high) {
  const air = Math.max(0.1 * (high - low), 0.05 * high, 100);
  const [from, to] = [Math.max(0, low - air), high + air];
  const power = 10 ** Math.floor(Math.log10((to - from) / 4));
  const step = power * ([1, 2, 5].find((n) => n * power >= (to - from) / 4) ?? 10);
  const firstMark = Math.ceil(from / step);
  const marks = Array.from(
    { length: Math.floor(to / step) - firstMark + 1 },
    (_, n) => (firstMark + n) * step,
  );
  return { from, to, marks };
}

/**
 * Return a line that stays as it is until the next point, over lines at some heights; all from 0 to 1.
 * @param {{x: number, y: number}[]} points
 * @param {number[]} heights
 */
export function stepsSvg(points, heights) {
  const steps = points.map(({ x, y }) => `H${(WIDE * x).toFixed(1)}V${(HIGH * (1 - y)).toFixed(1)}`);
  const lines = heights.map((height) => `M0 ${(HIGH * (1 - height)).toFixed(1)}H${WIDE}`);
  return `<svg viewBox="0 0 ${WIDE} ${HIGH}" preserveAspectRatio="none" aria-hidden="true">
    <path d="${lines.join("")}"/>
    <path class="line" d="M0 ${(HIGH * (1 - points[0].y)).toFixed(1)}${steps.join("")}H${WIDE}"/></svg>`;
}

/** @typedef {{target: number, points: number, house: number, challenger: number}} ScoreRow */

/** @param {{house: number, challenger: number, games: number}[]} scores @returns {ScoreRow[]} */
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
