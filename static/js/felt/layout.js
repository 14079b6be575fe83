// Positions of all cards on the felt, from the state. Pure.
//
// A place is a point of the felt (x, y in percent of its width and height) plus an offset in card widths (dx)
// and heights (dy), so that the same rules serve every size.

import { SEATS } from "../state/tokens.js";

/** @import { BySeat, Seat } from "../state/messages" */
/** @import { Deal, Played, Slot, Table } from "../state/table" */

/**
 * A place for cards: their size there, and how far apart those of a hand lie.
 * @typedef {[x: number, y: number, size: number, step?: number]} Place
 * @typedef {{hand: Place, taken: Place, trick: [dx: number, dy: number]}} SeatPlaces
 * @typedef {BySeat<SeatPlaces> & {stock: Place, turnUp: Place, away: Place, middle: Place}} Places
 * @typedef {"across" | "upright" | "seated" | "seated-upright"} Shape
 *
 * A card on the felt: what is drawn, and where.
 * @typedef {{id: string, card: string | null, x: number, y: number, dx: number, dy: number, turn: number,
 *   z: number, size: number, kind: string, seat?: Seat, gone?: boolean,
 *   won?: boolean, asks?: boolean}} Piece
 */

/** @type {Record<Shape, Places>} */
const SHAPES = {
  across: {
    house: { hand: [27.3, 36, 0.95, 0.3], taken: [39, 27, 0.4], trick: [-0.54, -0.02] },
    challenger: { hand: [72.7, 36, 0.95, 0.3], taken: [60, 27, 0.4], trick: [0.54, 0.03] },
    stock: [41, 10.5, 0.62],
    turnUp: [48.2, 10.5, 0.62],
    away: [50, -20, 0.6],
    middle: [50, 49.9, 1],
  },
  upright: {
    house: { hand: [66, 28, 1, 0.5], taken: [88.5, 36.5, 0.42], trick: [-0.56, -0.02] },
    challenger: { hand: [66, 67, 1, 0.5], taken: [88.5, 57, 0.42], trick: [0.56, 0.03] },
    stock: [9.5, 46.9, 0.9],
    turnUp: [20.5, 46.9, 0.9],
    away: [112, 50, 0.6],
    middle: [50, 46.9, 1.24],
  },
  seated: {
    house: { hand: [50, 14.5, 0.6, 0.3], taken: [66, 13, 0.34], trick: [-0.5, -0.03] },
    challenger: { hand: [50.5, 78.5, 1, 0.62], taken: [84, 84, 0.34], trick: [0.5, 0.03] },
    stock: [5.5, 47, 0.5],
    turnUp: [13.2, 47, 0.5],
    away: [50, -20, 0.6],
    middle: [50, 42, 0.84],
  },
  "seated-upright": {
    house: { hand: [50, 18.7, 0.46, 0.31], taken: [88, 18.7, 0.3], trick: [-0.4, -0.03] },
    challenger: { hand: [50, 83.4, 1, 0.6], taken: [92, 51, 0.26], trick: [0.4, 0.03] },
    stock: [10.5, 45.5, 0.5],
    turnUp: [25.5, 45.5, 0.5],
    away: [115, 44, 0.5],
    middle: [72, 45.5, 0.69],
  },
};

/**
 * Return every card on the felt, from the lowest to the highest.
 * @param {Pick<Table, "deal" | "game">} state
 * @param {Shape} shape
 */
export function pieces({ deal: dealt, game }, shape) {
  const places = SHAPES[shape];
  if (!dealt) return stockPieces({ number: 0, stock: 32, turnUp: null }, places);
  // The last trick of a game stays visible; between deals both hands are open.
  const last = game?.result ? dealt.shown : null;
  const deal = last ? dealt : openHands(dealt);
  return [
    ...stockPieces(deal, places),
    ...SEATS.flatMap((seat) => [
      ...takenPieces(deal, seat, places[seat]),
      ...handPieces(deal, seat, places[seat]),
    ]),
    ...deal.away.map((slot) =>
      piece(slot, places.away, { seat: slot.seat, kind: "away", gone: true, card: null }),
    ),
    ...trickPieces(deal, places),
  ];
}

// Give every card back to the hand it was dealt to, once hands are open.
/** @param {Deal} deal @returns {Deal} */
function openHands(deal) {
  if (!deal.over?.hands) return deal;
  const slots = [...deal.taken.house, ...deal.taken.challenger, ...deal.trick];
  const { hands: open } = deal.over;
  const hands = { ...deal.hands };
  for (const seat of SEATS) {
    const left = deal.hands[seat]
      .filter((slot) => !open[seat].includes(slot.card ?? ""))
      .map((slot) => slot.id);
    hands[seat] = open[seat].map((card, n) => {
      const slot =
        slots.find((one) => one.card === card) ?? deal.hands[seat].find((one) => one.card === card);
      return { id: slot?.id ?? left.shift() ?? `${deal.number}-${seat}-open-${n}`, card };
    });
  }
  return { ...deal, hands, taken: { house: [], challenger: [] }, trick: [], shown: null };
}

/** @param {Slot} slot @param {Place} place @param {Partial<Piece>} [more] @returns {Piece} */
const piece = (slot, [x, y, size], more = {}) => ({
  id: slot.id,
  card: slot.card,
  x,
  y,
  dx: 0,
  dy: 0,
  turn: 0,
  z: 1,
  size,
  kind: "hand",
  ...more,
});

/** @param {Pick<Deal, "number" | "stock" | "turnUp">} deal @param {Places} places */
function stockPieces(deal, places) {
  const { number, stock, turnUp: card } = deal;
  const under = { kind: "turnUp", turn: 4, z: 2 };
  const pack = Array.from({ length: Math.min(4, Math.ceil(stock / 6)) }, (_, n) => {
    const layer = { kind: "stock", dx: 0.02 * n, dy: -0.014 * n, z: 3 + n };
    return piece({ id: `stock-${n}`, card: null }, places.stock, layer);
  });
  return card ? [piece({ id: `${number}-turn-up`, card }, places.turnUp, under), ...pack] : pack;
}

/** @param {Deal} deal @param {Seat} seat @param {SeatPlaces} places */
function handPieces(deal, seat, { hand: place }) {
  const hand = deal.hands[seat];
  const spread = hand.some((slot) => slot.card) ? 0.8 : 2;
  return hand.map((slot, n) => {
    const middle = n - (hand.length - 1) / 2;
    return piece(slot, place, {
      seat,
      dx: middle * (place[3] ?? 1),
      dy: Math.abs(middle) * 0.012,
      turn: middle * spread,
      z: 10 + n,
    });
  });
}

// Return the tricks of a seat except the one still in the middle.
/** @param {Deal} deal @param {Seat} seat @param {SeatPlaces} places */
function takenPieces({ taken, shown }, seat, { taken: place }) {
  const held = new Set(shown?.cards.map(({ id }) => id));
  const pile = taken[seat].filter(({ id }) => !held.has(id));
  return pile.map((slot, n) => {
    const trick = Math.floor(n / 2);
    return piece(slot, place, {
      seat,
      kind: "taken",
      dx: 0.1 - trick * 0.1 + (n % 2) * 0.03,
      dy: (n % 2) * 0.02,
      turn: trick % 2 ? 5 : -5,
      z: 5 + n,
      card: null,
    });
  });
}

// Return the cards in the middle: the current trick, or the last one with its taker.
/** @param {Deal} deal @param {Places} places */
function trickPieces({ trick, shown }, places) {
  /** @type {Played[]} */
  const cards = trick.length ? trick : (shown?.cards ?? []);
  return cards.map((slot, n) =>
    piece(slot, places.middle, {
      seat: slot.seat,
      kind: "trick",
      dx: places[slot.seat].trick[0] * places.middle[2],
      dy: places[slot.seat].trick[1],
      turn: slot.seat === "house" ? -3 : 4,
      z: 30 + n + (shown && slot.seat === shown.taker ? 5 : 0),
      asks: trick.length === 1 && slot.seat === "house",
      ...(!trick.length && shown ? { won: slot.seat === shown.taker } : {}),
    }),
  );
}
