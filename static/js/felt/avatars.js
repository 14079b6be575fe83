// Names and portraits of bots, simulated bettors and people.

import { t } from "../text/i18n.js";

/** @typedef {Pick<State.Game, "players" | "bots">} Seats who sits where, and which of them are bots */
/** @typedef {{house?: string, challenger?: string | null}} Bots who plays; people have no other name */

// Said: Maître Hubert; Sosthène; Odile; Camille; Mathilde; Basile; Anatole; Blanche; Clément; Delphine
// Said: Eugénie; Achille; Berthe; Célestin; Denise; Estelle
// Said: Odette; Boris; Ines; Otto; Mei; Luca; Freya; Omar; Colette; Pavel; Diego; Greta; Kenji; Bianca
// Said: Lars; Amira; Marcel; Vera; Carmen; Emil; Priya; Enzo; Ingrid; Rhys; Margot; Misha; Pablo; Clara
// Said: Aiko; Dario; Nils; Leila; Lucien; Olga; Rafael; Heidi; Ravi; Chiara; Sven; Niamh; Nadia; Mateo
// Said: Anton; Zofia; Paolo; Astrid; Goran; Fleur; Ilya; Lola; Jonas; Milena; Rosa; Olaf; Fiona; Gaston
// Said: Dasha; Sol; Liesl; Janek; Elena; Maja; Ewan

// Names and portraits of each bot: the first in either seat, the second of a challenger that plays against the
// same bot. So a bot keeps its name throughout a poule, whose bots all differ.
/** @type {Record<string, [name: string, second: string, bust: string, second: string]>} */
const BOTS = {
  novice: ["Odile", "Basile", "1", "1"],
  anatole: ["Anatole", "Achille", "3", "3"],
  blanche: ["Blanche", "Berthe", "5", "5"],
  clement: ["Clément", "Célestin", "4", "4"],
  delphine: ["Delphine", "Denise", "6", "6"],
  regle: ["Maître Hubert", "Camille", "0", "2"],
  eugenie: ["Eugénie", "Estelle", "7", "7"],
  expert: ["Sosthène", "Mathilde", "8", "9"],
};
// Heads of the sprite by apparent gender, for simulated bettors. People get a letter: nothing is known of
// their looks.
const WOMENS_HEADS = [0, 3, 4];
const MENS_HEADS = [1, 2, 5, 6, 7];
const WOMEN =
  /^(?!Luca|Misha|Ilya).*a$|^(Aiko|Astrid|Carmen|Colette|Fleur|Heidi|Ines|Ingrid|Liesl|Margot|Mei|Niamh|Odette)$/;
const COLOURS = { hue: 8, skin: 6, hair: 6, coat: 6 };

/** Return whether a bot is none of the house's. @param {string} [bot] */
export const isOutside = (bot) => Boolean(bot && !(bot in BOTS));

/** Return 1 for a challenger that plays against the same bot, else 0. @param {Bots} bots @param {Wire.Seat} seat */
const lookOf = (bots, seat) => Number(seat === "challenger" && bots.house === bots.challenger);

/** Return the name to show of a seat's bot: of the operator's own, its class. @param {Bots} bots @param {Wire.Seat} [seat] */
export function botName(bots, seat = "house") {
  const bot = bots[seat] ?? "";
  const name = BOTS[bot]?.[lookOf(bots, seat)];
  return name ? t(name) : bot.slice(bot.indexOf(":") + 1);
}

/** Return whether a bettor is simulated: their names contain a star. */
export const isSimulated = (/** @type {string} */ player) => player.includes("*");

const withoutStar = (/** @type {string} */ player) => player.replace(/\*\d*$/, "");

/** Return a bettor's name without the star: a simulated one's in the language of the page. */
export const plainName = (/** @type {string} */ player) =>
  isSimulated(player) ? t(withoutStar(player)) : player;

/** @param {string} name */
function nameHash(name) {
  let sum = 7;
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003;
  return sum;
}

/**
 * Return the head of a simulated bettor from the page's sprite, or the first letter of a person's name.
 * @param {string} name
 */
export function faceSvg(name) {
  const classes = Object.entries(COLOURS).map(([part, n]) => `${part}-${nameHash(part + name) % n}`);
  if (!isSimulated(name)) return letterSvg(name, classes[0]);
  const heads = WOMEN.test(withoutStar(name)) ? WOMENS_HEADS : MENS_HEADS;
  return symbolSvg(classes.join(" "), `face-${heads[nameHash(name) % heads.length]}`, 64);
}

/** @param {string} name @param {string} hue */
function letterSvg(name, hue) {
  const first = name.match(/[\p{L}\p{N}]/u)?.[0].toUpperCase() ?? "";
  return svg(hue, 64, `<circle class="f-bg" cx="32" cy="32" r="32"/><text x="32" y="43">${first}</text>`);
}

/**
 * Return who plays, or who will play in the next game.
 * @param {Pick<State.Table, "game" | "version" | "house" | "bot" | "holder" | "poule">} state
 * @returns {Seats | null}
 */
export function seatsOf({ game, version, house, bot, holder, poule }) {
  if (game || !version) return game;
  const players = poule
    ? { house: poule.entrants[poule.seats.house - 1], challenger: poule.entrants[poule.seats.challenger - 1] }
    : { house, challenger: holder || bot };
  const isPerson = poule ? poule.seats.challenger === poule.person : holder;
  return { players, bots: isPerson ? { house: players.house } : players };
}

/**
 * Return the portrait of a seat: a bot, a person, or an empty chair.
 * @param {Seats | null} seats
 * @param {Wire.Seat} seat
 */
export function portraitSvg(seats, seat) {
  const bot = seats?.bots[seat];
  const player = seats?.players[seat];
  // In practice the player is called so, whatever their name is.
  const face = player === "you" ? document.getElementById("purse-name")?.textContent || t("you") : player;
  if (!bot) return face ? faceSvg(face) : symbolSvg("", "empty-seat", 120);
  const look = lookOf(seats.bots, seat);
  const bust = `bust-${BOTS[bot]?.[look + 2] ?? 1}`;
  // A table's page holds only the portraits of its own bots.
  const isMissing = globalThis.document?.getElementById?.(bust) === null;
  return isMissing ? faceSvg(botName(seats.bots, seat)) : symbolSvg(`bot-${bot} look-${look}`, bust, 120);
}

/**
 * Draw the portrait of a seat unless it is there already.
 * @param {HTMLElement} medal
 * @param {Seats | null} seats
 * @param {Wire.Seat} seat
 */
export function renderPortrait(medal, seats, seat) {
  const who = `${seats?.players[seat]}/${seats?.bots[seat]}`;
  if (medal.dataset.who === who) return;
  medal.dataset.who = who;
  medal.innerHTML = portraitSvg(seats, seat);
}

/** @param {string} classes @param {string} symbol @param {number} size */
const symbolSvg = (classes, symbol, size) => svg(classes, size, `<use href="#${symbol}"/>`);

/** @param {string} classes @param {number} size @param {string} inner */
const svg = (classes, size, inner) =>
  `<svg class="head-of ${classes}" viewBox="0 0 ${size} ${size}" aria-hidden="true">${inner}</svg>`;
