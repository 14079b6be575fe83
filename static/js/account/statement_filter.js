// A statement as it is read: game by game with what it came to, or every movement; filtered. Pure.

import { gameName } from "../text/game_names.js";

/** @import { Change } from "../state/messages" */

/**
 * A line of a statement: `kind` is a move, or what a game came to.
 * @typedef {{kind: string, at_ms: number, game: string, cents: number, balance_cents: number}} StatementLine
 *
 * What is asked for; "" asks for anything. `day` is a date as a form has it: "2026-11-22".
 * @typedef {{kind: string, game: string, day: string}} Filter
 */

/**
 * Every movement as a line.
 * @param {Change[]} changes
 * @returns {StatementLine[]}
 */
export const movementLines = (changes) => changes.map(({ move, ...rest }) => ({ kind: move, ...rest }));

/**
 * One line for each game, at its last movement, with the sum of all; what has no game stays.
 * @param {Change[]} changes
 * @param {string[]} open games in which chips are still at risk
 * @returns {StatementLine[]}
 */
export function gameLines(changes, open) {
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
  return [...lines.values()].map(({ moves, ...line }) => ({ ...line, kind: outcome(moves, line, open) }));
}

/**
 * What a game came to, by the movements it has had; if all was lost, nothing came back.
 * @param {string[]} moves
 * @param {{game: string, cents: number}} line
 * @param {string[]} open
 */
function outcome(moves, { game, cents }, open) {
  if (!game || moves.includes("correct")) return moves[moves.length - 1];
  if (open.includes(game)) return "open";
  if (moves.includes("void")) return "void";
  return cents > 0 ? "won" : cents < 0 ? "lost" : "even";
}

/**
 * The day of a moment in the reader's own time, as a form writes it.
 * @param {number} ms
 */
export function dayOf(ms) {
  const at = new Date(ms);
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/**
 * The lines that are asked for.
 * @param {StatementLine[]} lines
 * @param {Filter} wanted
 */
export function filterLines(lines, { kind, game, day }) {
  const part = game.trim().toLowerCase();
  return lines.filter(
    (line) =>
      (!kind || line.kind === kind) &&
      (!part || `${line.game} ${gameName(line.game)}`.toLowerCase().includes(part)) &&
      (!day || dayOf(line.at_ms) === day),
  );
}
