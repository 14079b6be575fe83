// Positions of all cards on the felt, from the state. Pure.
//
// A place is a point of the felt (x, y in percent of its width and height) plus an offset in card widths (dx)
// and heights (dy), so that the same rules serve every size.

import { SEATS } from "../state/tokens.js";

/** @import { BySeat, Seat } from "../state/messages" */
/** @import { Deal, Played, Slot, Table } from "../state/table" */

/**
 * A place for cards: their size there, and how far apart they lie.
 * @typedef {{at: [x: number, y: number], size: number, step?: number}} Place
 * @typedef {{hand: Place, taken: Place, trick: [dx: number, dy: number]}} SeatPlaces
 * @typedef {BySeat<SeatPlaces> & {stock: Place, turnUp: Place, away: Place, middle: Place}} Places
 * @typedef {"across" | "upright" | "seated" | "seated-upright"} Shape
 *
 * A card on the felt: what is drawn, and where.
 * @typedef {{id: string, card: string | null, x: number, y: number, dx: number, dy: number, turn: number,
 *   z: number, size: number, kind: string, seat?: Seat, gone?: boolean, own?: boolean,
 *   won?: boolean, asks?: boolean}} Piece
 */

/** @type {Record<Shape, Places>} */
const SHAPES = {
  across: {
    house: {
      hand: { at: [27.3, 36], size: 0.95, step: 0.3 },
      taken: { at: [39, 27], size: 0.4 },
      trick: [-0.54, -0.02],
    },
    challenger: {
      hand: { at: [72.7, 36], size: 0.95, step: 0.3 },
      taken: { at: [60, 27], size: 0.4 },
      trick: [0.54, 0.03],
    },
    stock: { at: [41, 10.5], size: 0.62 },
    turnUp: { at: [48.2, 10.5], size: 0.62 },
    away: { at: [50, -20], size: 0.6 },
    middle: { at: [50, 49.9], size: 1 },
  },
  upright: {
    house: {
      hand: { at: [66, 28], size: 1, step: 0.5 },
      taken: { at: [91, 38], size: 0.42 },
      trick: [-0.56, -0.02],
    },
    challenger: {
      hand: { at: [66, 67], size: 1, step: 0.5 },
      taken: { at: [91, 55.5], size: 0.42 },
      trick: [0.56, 0.03],
    },
    stock: { at: [9.5, 46.9], size: 0.9 },
    turnUp: { at: [20.5, 46.9], size: 0.9 },
    away: { at: [112, 50], size: 0.6 },
    middle: { at: [50, 46.9], size: 1.24 },
  },
  seated: {
    house: {
      hand: { at: [50, 14.5], size: 0.6, step: 0.3 },
      taken: { at: [66, 13], size: 0.34 },
      trick: [-0.5, -0.03],
    },
    challenger: {
      hand: { at: [50.5, 78.5], size: 1, step: 0.62 },
      taken: { at: [84, 84], size: 0.34 },
      trick: [0.5, 0.03],
    },
    stock: { at: [5.5, 47], size: 0.5 },
    turnUp: { at: [13.2, 47], size: 0.5 },
    away: { at: [50, -20], size: 0.6 },
    middle: { at: [50, 42], size: 0.84 },
  },
  "seated-upright": {
    house: {
      hand: { at: [50, 18.7], size: 0.46, step: 0.31 },
      taken: { at: [88, 18.7], size: 0.3 },
      trick: [-0.4, -0.03],
    },
    challenger: {
      hand: { at: [50, 83.4], size: 1, step: 0.6 },
      taken: { at: [93.5, 51], size: 0.26 },
      trick: [0.4, 0.03],
    },
    stock: { at: [10.5, 45.5], size: 0.5 },
    turnUp: { at: [25.5, 45.5], size: 0.5 },
    away: { at: [115, 44], size: 0.5 },
    middle: { at: [72, 45.5], size: 0.69 },
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
const piece = (slot, { at: [x, y], size }, more = {}) => ({
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
  const under = deal.turnUp
    ? [
        piece({ id: `${deal.number}-turn-up`, card: deal.turnUp }, places.turnUp, {
          kind: "turnUp",
          turn: 4,
          z: 2,
        }),
      ]
    : [];
  const layers = Math.min(4, Math.ceil(deal.stock / 6));
  const pack = Array.from({ length: layers }, (_, n) =>
    piece({ id: `stock-${n}`, card: null }, places.stock, {
      kind: "stock",
      dx: 0.02 * n,
      dy: -0.014 * n,
      z: 3 + n,
    }),
  );
  return [...under, ...pack];
}

/** @param {Deal} deal @param {Seat} seat @param {SeatPlaces} places */
function handPieces(deal, seat, { hand: place }) {
  const hand = deal.hands[seat];
  const own = hand.some((slot) => slot.card);
  return hand.map((slot, n) => {
    const middle = n - (hand.length - 1) / 2;
    return piece(slot, place, {
      seat,
      kind: "hand",
      dx: middle * (place.step ?? 1),
      dy: Math.abs(middle) * 0.012,
      turn: middle * (own ? 0.8 : 2),
      z: 10 + n,
      own,
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
      dx: places[slot.seat].trick[0] * places.middle.size,
      dy: places[slot.seat].trick[1],
      turn: slot.seat === "house" ? -3 : 4,
      z: 30 + n + (shown && slot.seat === shown.taker ? 5 : 0),
      asks: trick.length === 1 && slot.seat === "house",
      ...(!trick.length && shown ? { won: slot.seat === shown.taker } : {}),
    }),
  );
}
