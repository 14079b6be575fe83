// Statement lines: one per game with its result, or one per movement; and the filter. Pure.

import { gameName } from "../text/game_names.js";

/**
 * A statement line: `kind` is a move, or the result of a game.
 * @typedef {{kind: string, at_ms: number, game: string, cents: number, balance_cents: number}} StatementLine
 *
 * "" matches anything. `day` is a date as a form writes it: "2026-11-22".
 * @typedef {{kind: string, game: string, day: string}} Filter
 */

/** @param {Wire.Change[]} changes @returns {StatementLine[]} */
export const movementLines = (changes) => changes.map(({ move, ...rest }) => ({ kind: move, ...rest }));

/**
 * Return one line per game, at its last movement, with the sum; movements without a game stay.
 * @param {Wire.Change[]} changes
 * @param {string[]} open games in which chips are still at risk
 * @param {string[]} [betOn] games that were bet on, not played
 * @returns {StatementLine[]}
 */
export function gameLines(changes, open, betOn = []) {
  /** @type {Map<string, StatementLine & {moves: string[]}>} */
  const lines = new Map();
  changes.forEach(({ move, game, cents, at_ms, balance_cents }, n) => {
    const key = game || `#${n}`;
    const before = lines.get(key);
    lines.delete(key);
    const moves = [...(before?.moves ?? []), move];
    const sum = (before?.cents ?? 0) + cents;
    lines.set(key, { kind: "", moves, at_ms, game, cents: sum, balance_cents });
  });
  return [...lines.values()].map(({ moves, ...line }) => {
    const kind = outcome(moves, line, open);
    const isBet = betOn.includes(line.game) && ["won", "lost"].includes(kind);
    return { ...line, kind: isBet ? `bet_${kind}` : kind };
  });
}

// Return the result of a game by its movements and their sum.
/** @param {string[]} moves @param {{game: string, cents: number}} line @param {string[]} open */
function outcome(moves, { game, cents }, open) {
  if (!game || moves.includes("correct")) return moves[moves.length - 1];
  if (open.includes(game)) return "open";
  if (moves.includes("void")) return "void";
  return cents > 0 ? "won" : cents < 0 ? "lost" : "even";
}

/** Return the local date of a timestamp, as a form writes it: as Swedes do. @param {number} ms */
export const dayOf = (ms) => new Date(ms).toLocaleDateString("sv");

/** @param {StatementLine[]} lines @param {Filter} wanted */
export function filterLines(lines, { kind, game, day }) {
  const part = game.trim().toLowerCase();
  return lines.filter(
    (line) =>
      (!kind || line.kind === kind) &&
      (!part || `${line.game} ${gameName(line.game)}`.toLowerCase().includes(part)) &&
      (!day || dayOf(line.at_ms) === day),
  );
}
