// Commitment, cut and decks, from the seed alone.

import { hex, joined, unhex, utf8 } from "./bytes.js";
import { hmac, sha256 } from "./sha256.js";
import { RANKS } from "./tokens.js";

const PACK = [..."SHDC"].flatMap((suit) => [...RANKS].map((rank) => rank + suit));
const WORDS = 2 ** 32;

/** Return the commitment that must be published before the first bet. @param {string} seed */
export const commitmentOf = (seed) => hex(sha256(unhex(seed)));

/** Return the cut of the contributions, in the order received. @param {string[]} texts */
export function cutOf(texts) {
  const pieces = texts
    .map(utf8)
    .flatMap((bytes) => [Uint8Array.of(bytes.length >> 8, bytes.length & 255), bytes]);
  return hex(sha256(joined(...pieces)));
}

/**
 * Return a player's commitment to a contribution.
 * @param {string} game
 * @param {string} player
 * @param {string} text
 */
export const sealOf = (game, player, text) => hex(sha256(utf8(`${game}|${player}|${text}`)));

/** @param {string} seed @param {string} game @param {string} cut @param {number} deal */
export function deckOf(seed, game, cut, deal) {
  const words = wordsOf(unhex(seed), `${game}|${deal}|${cut}`);
  const pack = [...PACK];
  for (let i = 31; i > 0; i -= 1) {
    const j = below(i + 1, words);
    [pack[i], pack[j]] = [pack[j], pack[i]];
  }
  return pack.join("");
}

// Yield big-endian 32-bit words without end.
/** @param {Uint8Array} key @param {string} text @returns {Generator<number, never>} */
function* wordsOf(key, text) {
  for (let block = 0; ; block += 1) {
    const view = new DataView(hmac(key, utf8(`${text}|${block}`)).buffer);
    for (let at = 0; at < view.byteLength; at += 4) yield view.getUint32(at);
  }
}

/** @param {number} stop @param {Generator<number, never>} words */
function below(stop, words) {
  const limit = WORDS - (WORDS % stop);
  let { value: word } = words.next();
  while (word >= limit) word = words.next().value;
  return word % stop;
}

/**
 * Return who deals first: the higher cut card, house first, equal cards again.
 * @param {string} seed
 * @param {string} game
 * @param {string} cut
 */
export function cutsFirst(seed, game, cut) {
  const deck = deckOf(seed, game, cut, 0);
  for (let at = 0; at < 64; at += 4) {
    const [house, challenger] = [RANKS.indexOf(deck[at]), RANKS.indexOf(deck[at + 2])];
    if (house !== challenger) return house < challenger ? "house" : "challenger";
  }
  return "house";
}
