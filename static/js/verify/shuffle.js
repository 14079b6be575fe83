// Commitment, cut and decks, from the seed alone.

import { hex, hmacBy, joined, sha256, unhex, utf8 } from "./bytes.js";

const RANKS = "KQJAT987";
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
  const next = wordsOf((block) => hmac(`${game}|${deal}|${cut}|${block}`));
  const pack = [...PACK];
  for (let i = 31; i > 0; i -= 1) {
    const j = await below(i + 1, next);
    [pack[i], pack[j]] = [pack[j], pack[i]];
  }
  return pack.join("");
}

// Return a stream of big-endian 32-bit words.
/** @param {(block: number) => Promise<Uint8Array>} blockOf */
function wordsOf(blockOf) {
  /** @type {DataView} */
  let view;
  let block = 0;
  let at = 32;
  return async () => {
    if (at === 32) {
      view = new DataView((await blockOf(block)).buffer);
      block += 1;
      at = 0;
    }
    at += 4;
    return view.getUint32(at - 4);
  };
}

/** @param {number} stop @param {() => Promise<number>} next */
async function below(stop, next) {
  const limit = WORDS - (WORDS % stop);
  let word = await next();
  while (word >= limit) word = await next();
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
