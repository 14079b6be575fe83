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
  // Rebuild both trees from shared subtrees: both roots must match.
  const parts = [...partsOf(0, before.size), ...partsOf(before.size, later.size)];
  /** @type {Map<string, Uint8Array>} */
  const hashes = new Map();
  for (const [level, place] of parts)
    hashes.set(`${level}/${place}`, await nodeOf(level, place, later.size, tile));
  const [old, whole] = [await rootOf(0, before.size, hashes), await rootOf(0, later.size, hashes)];
  return same(old, before.root) && same(whole, later.root);
}

// Return the complete subtrees [level, place] that cover the leaves from low to high.
/** @param {number} low @param {number} high */
function partsOf(low, high) {
  /** @type {[level: number, place: number][]} */
  const parts = [];
  let at = low;
  while (at < high) {
    let level = 0;
    while (at % 2 ** (level + 1) === 0 && at + 2 ** (level + 1) <= high) level += 1;
    parts.push([level, at / 2 ** level]);
    at += 2 ** level;
  }
  return parts;
}

/**
 * Return the hash over the leaves from low to high, from the hashes of complete subtrees.
 * @param {number} low
 * @param {number} high
 * @param {Map<string, Uint8Array>} hashes
 * @returns {Promise<Uint8Array>}
 */
async function rootOf(low, high, hashes) {
  const level = Math.log2(high - low);
  const known =
    Number.isInteger(level) && low % (high - low) === 0 && hashes.get(`${level}/${low / (high - low)}`);
  if (known) return known;
  let half = 1;
  while (2 * half < high - low) half *= 2;
  return nodeHash(await rootOf(low, low + half, hashes), await rootOf(low + half, high, hashes));
}

/**
 * Return the hash of a complete subtree, from the tile with its lowest stored level. Browsers keep the tiles, which
 * never change.
 * @param {number} level
 * @param {number} place
 * @param {number} size
 * @param {Tile} tile
 * @returns {Promise<Uint8Array>}
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
    const pairs = Array.from({ length: hashes.length / 2 }, (_, n) =>
      nodeHash(hashes[2 * n], hashes[2 * n + 1]),
    );
    hashes = await Promise.all(pairs);
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
