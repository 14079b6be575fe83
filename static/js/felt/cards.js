// Cards as SVG, from the sprite in templates/_deck.svg; card names.

import { t } from "../text/i18n.js";

/** @type {Record<string, string>} */
const SUIT_NAMES = { S: "spades", H: "hearts", D: "diamonds", C: "clubs" };
/** @type {Record<string, string>} */
const SUIT_SIGNS = { S: "♠", H: "♥", D: "♦", C: "♣" };
/** @type {Record<string, string>} */
const RANK_NAMES = {
  K: "king",
  Q: "queen",
  J: "jack",
  A: "ace",
  T: "ten",
  9: "nine",
  8: "eight",
  7: "seven",
};

/** @typedef {[x: number, y: number]} Point */

/** @param {number} y @returns {Point[]} */
const pair = (y) => [
  [-16.5, y],
  [16.5, y],
];
// Positions of the pips from the centre of the card: those upright, and those upside down.
/** @type {Record<string, [upright: Point[], turned: Point[]]>} */
const PIPS = {
  7: [[...pair(-36), ...pair(0), [0, -18]], pair(36)],
  8: [
    [...pair(-36), ...pair(0), [0, -18]],
    [...pair(36), [0, 18]],
  ],
  9: [
    [...pair(-38), ...pair(-13), [0, 0]],
    [...pair(38), ...pair(13)],
  ],
  T: [
    [...pair(-38), ...pair(-13), [0, -26]],
    [...pair(38), ...pair(13), [0, 26]],
  ],
};

// Said: king; queen; jack; ace; ten; nine; eight; seven; of {spades|hearts|diamonds|clubs}

/** @param {string} suit */
export const ofSuit = (suit) => t(`of ${SUIT_NAMES[suit]}`);

/** Return the name of a card: "king of hearts". @param {string} card */
export const cardName = (card) => `${t(RANK_NAMES[card[0]])} ${ofSuit(card[1])}`;

// Said: the {king|queen|jack|ace|ten|nine|eight|seven}

/**
 * Return the name of a card as the object of a sentence: "the king of hearts" (accusative in Russian).
 * @param {string} card
 */
export const playedCard = (card) => `${t(`the ${RANK_NAMES[card[0]]}`)} ${ofSuit(card[1])}`;

/** Return a card in short: "10♥", "K♠". @param {string} card */
export const cardSign = (card) => cornerIndex(card) + SUIT_SIGNS[card[1]];

// Said: spades; hearts; diamonds; clubs

/** @param {string} suit */
export const suitName = (suit) => t(SUIT_NAMES[suit]);

// Said: index {K|Q|J|A}

/** Return the letter or number in a card's corner, in the page's language. @param {string} card */
export const cornerIndex = (card) => (card[0] === "T" ? "10" : t(`index ${card[0]}`).replace("index ", ""));

/** @param {string | null} card */
export const cardSvg = (card) =>
  card ? faceSvg(card) : '<span class="face back" aria-hidden="true"></span>';

/** @param {string} card */
function faceSvg(card) {
  const suit = card[1];
  const body = FRENCH[card[0]] ? courtSvg(card) : pipsSvg(card[0], suit);
  const corner = indexSvg(card, suit);
  return `<svg class="face suit-${suit}" viewBox="0 0 100 140" aria-hidden="true">
    <rect class="card-paper" x="1" y="1" width="98" height="138" rx="8"/>
    ${body}${corner}<g transform="rotate(180 50 70)">${corner}</g></svg>`;
}

/** @param {string} card @param {string} suit */
function indexSvg(card, suit) {
  const french = FRENCH[card[0]];
  const letters = french
    ? letterSvg(french, " french") + letterSvg(cornerIndex(card), " own")
    : letterSvg(cornerIndex(card));
  return `${letters}<use href="#pip-${suit}" x="7.5" y="31" width="13" height="13"/>`;
}

/** @param {string} text @param {string} [kind] " french" or " own": whose letter it is, where the person can choose */
function letterSvg(text, kind = "") {
  // Squeeze wide letters of unknown fonts into the corner.
  const width = text.length > 1 ? 21 : /[7-9J]/.test(text) ? 0 : 18;
  const narrow = width ? ` textLength="${width}" lengthAdjust="spacingAndGlyphs"` : "";
  return `<text class="index${kind}" x="15" y="27"${narrow}>${text}</text>`;
}

/** @param {string} rank @param {string} suit */
function pipsSvg(rank, suit) {
  if (rank === "A") return `<use href="#pip-${suit}" x="26" y="46" width="48" height="48"/>`;
  /** @param {Point} point */
  const pip = ([x, y]) => `<use href="#pip-${suit}" x="${x - 9}" y="${y - 9}" width="18" height="18"/>`;
  const [upright, turned] = PIPS[rank];
  return `<g transform="translate(50 70)">${upright.map(pip).join("")}
    <g transform="rotate(180)">${turned.map(([x, y]) => pip([-x, -y])).join("")}</g></g>`;
}

/** @type {Record<string, string>} */
const FRENCH = { K: "R", Q: "D", J: "V" };

/** @param {string} card */
function courtSvg(card) {
  const [rank] = card;
  // Along the frame, visible with French courts.
  const name = `<use href="#name-${card}"/>`;
  const x = rank === "J" ? 23 : 25;
  const half = `<use href="#court-${rank}" x="${x}" y="16.5" width="60" height="54.4"/>`;
  return `<rect class="court-ground" x="19" y="11" width="62" height="118" rx="3"/>
    <g transform="translate(-5 0)">${half}<g transform="rotate(180 55 70)">${half}</g></g>
    <path class="court-frame" d="M19 11H81V129H19Z"/>${name}<g transform="rotate(180 50 70)">${name}</g>`;
}
