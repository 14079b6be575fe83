// Commitment, cut and decks, from the seed alone.

import { hex, hmacBy, joined, sha256, unhex, utf8 } from "./bytes.js";
import { RANKS } from "./tokens.js";

const PACK = [..."SHDC"].flatMap((suit) => [...RANKS].map((rank) => rank + suit));
const WORDS = 2 ** 32;

/** Return the commitment that must be published before the first bet. @param {string} seed */
export const commitmentOf = async (seed) => hex(await sha256(unhex(seed)));

/** Return the cut of the contributions, in the order received. @param {string[]} texts */
export async function cutOf(texts) {
  const pieces = texts
    .map(utf8)
    .flatMap((bytes) => [Uint8Array.of(bytes.length >> 8, bytes.length & 255), bytes]);
  return hex(await sha256(joined(...pieces)));
}

/**
 * Return a player's commitment to a contribution.
 * @param {string} game
 * @param {string} player
 * @param {string} text
 */
export const sealOf = async (game, player, text) => hex(await sha256(utf8(`${game}|${player}|${text}`)));

/** @param {string} seed @param {string} game @param {string} cut @param {number} deal */
export async function deckOf(seed, game, cut, deal) {
  const hmac = await hmacBy(unhex(seed));
  const words = wordsOf((block) => hmac(`${game}|${deal}|${cut}|${block}`));
  const pack = [...PACK];
  for (let i = 31; i > 0; i -= 1) {
    const j = await below(i + 1, words);
    [pack[i], pack[j]] = [pack[j], pack[i]];
  }
  return pack.join("");
}

// Yield big-endian 32-bit words without end.
/** @param {(block: number) => Promise<Uint8Array>} blockOf @returns {AsyncGenerator<number, never>} */
async function* wordsOf(blockOf) {
  for (let block = 0; ; block += 1) {
    const view = new DataView((await blockOf(block)).buffer);
    for (let at = 0; at < view.byteLength; at += 4) yield view.getUint32(at);
  }
}

/** @param {number} stop @param {AsyncGenerator<number, never>} words */
async function below(stop, words) {
  const limit = WORDS - (WORDS % stop);
  let { value: word } = await words.next();
  while (word >= limit) word = (await words.next()).value;
  return word % stop;
}

/**
 * Return who deals first: the higher cut card, house first, equal cards again.
 * @param {string} seed
 * @param {string} game
 * @param {string} cut
 */
export async function cutsFirst(seed, game, cut) {
  const deck = await deckOf(seed, game, cut, 0);
  for (let at = 0; at < 64; at += 4) {
    const [house, challenger] = [RANKS.indexOf(deck[at]), RANKS.indexOf(deck[at + 2])];
    if (house !== challenger) return house < challenger ? "house" : "challenger";
  }
  return "house";
}
