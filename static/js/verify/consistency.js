// Consistency proofs between two signed logs, computed from the log's tiles (C2SP tlog-tiles).

import { same } from "./bytes.js";
import { nodeHash } from "./receipt.js";

const WIDTH = 256;
/**
 * @typedef {{size: number, root: Uint8Array}} Beginning
 * @typedef {(path: string) => Promise<Uint8Array>} Tile
 */

/**
 * Return whether the log of `later` extends the log of `before`; `tile(path)` fetches a tile.
 * @param {Beginning} before
 * @param {Beginning} later
 * @param {Tile} tile
 */
export async function isContinued(before, later, tile) {
  if (before.size > later.size) return false;
  if (before.size === later.size) return same(before.root, later.root);
  if (before.size === 0) return true;
  /**
   * Return the hash over the leaves from low to high, and over those of them that the older log has. Both come from
   * the same subtrees, none of which has leaves on both sides of its end.
   * @param {number} low
   * @param {number} high
   * @returns {Promise<{old: Uint8Array, whole: Uint8Array}>}
   */
  const rootsOf = async (low, high) => {
    const level = Math.log2(high - low);
    if (Number.isInteger(level) && (before.size <= low || high <= before.size)) {
      const hash = await nodeOf(level, low / 2 ** level, later.size, tile);
      return { old: hash, whole: hash };
    }
    const middle = low + 2 ** Math.floor(Math.log2(high - low - 1));
    const left = await rootsOf(low, middle);
    const right = await rootsOf(middle, high);
    const whole = nodeHash(left.whole, right.whole);
    return { old: before.size <= middle ? left.old : nodeHash(left.old, right.old), whole };
  };
  const { old, whole } = await rootsOf(0, later.size);
  return same(old, before.root) && same(whole, later.root);
}

/**
 * Return the hash of a complete subtree, from the tile with its lowest stored level. Browsers keep the tiles, which
 * never change.
 * @param {number} level
 * @param {number} place
 * @param {number} size
 * @param {Tile} tile
 */
async function nodeOf(level, place, size, tile) {
  const [row, above] = [Math.floor(level / 8), level % 8];
  const first = place * 2 ** above;
  const [at, from] = [Math.floor(first / WIDTH), first % WIDTH];
  const bytes = await tile(pathOf(row, at, size));
  let hashes = Array.from({ length: 2 ** above }, (_, n) =>
    bytes.slice(32 * (from + n), 32 * (from + n + 1)),
  );
  while (hashes.length > 1) {
    hashes = Array.from({ length: hashes.length / 2 }, (_, n) => nodeHash(hashes[2 * n], hashes[2 * n + 1]));
  }
  return hashes[0];
}

/** @param {number} row @param {number} at @param {number} size */
function pathOf(row, at, size) {
  const stored = Math.floor(size / WIDTH ** row);
  const width = Math.min(WIDTH, stored - at * WIDTH);
  const digits = String(at).padStart(3 * Math.ceil(String(at).length / 3), "0");
  const parts = (digits.match(/\d{3}/g) ?? []).map((part, n, all) =>
    n < all.length - 1 ? `x${part}` : part,
  );
  return `tile/${row}/${parts.join("/")}${width < WIDTH ? `.p/${width}` : ""}`;
}
