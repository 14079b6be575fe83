// Where every card of a table lies: from the state to places on the cloth. Pure.
//
// A place is a point of the cloth (x, y in hundredths of its width and height) and a shift from
// it in widths of a card (dx) and heights (dy), so that the same rules serve every size.

import { SEATS } from "./seats.js";

/** @import { BySeat, Seat } from "./messages" */
/** @import { Deal, Slot, Table } from "./table" */

/**
 * @typedef {[x: number, y: number]} Point
 * @typedef {{hand: Point, trick: Point, taken: Point}} SeatPlaces
 * @typedef {BySeat<SeatPlaces> & {stock: Point, turnUp: Point, away: Point, middle: Point}} Places
 *
 * A card on the cloth: what is drawn, and where.
 * @typedef {{id: string, card: string | null, x: number, y: number, dx: number, dy: number, turn: number,
 *   z: number, kind: string, seat?: Seat, gone?: boolean, small?: boolean, own?: boolean}} Piece
 */

/** @type {Places} */
const UPRIGHT = {
  house: { hand: [50, 24], trick: [-0.62, -0.08], taken: [88, 40] },
  challenger: { hand: [50, 76], trick: [0.62, 0.08], taken: [88, 60] },
  stock: [14, 50],
  turnUp: [14, 50],
  away: [104, 50],
  middle: [50, 50],
};
/** @type {Places} */
const WIDE = {
  house: { hand: [56, 17], trick: [-0.6, -0.1], taken: [90, 17] },
  challenger: { hand: [56, 82], trick: [0.6, 0.1], taken: [90, 82] },
  stock: [15, 50],
  turnUp: [15, 50],
  away: [108, 50],
  middle: [56, 50],
};

/**
 * Every card on the cloth, from the lowest to the highest.
 * @param {Pick<Table, "deal">} state
 * @param {boolean} wide
 */
export function pieces(state, wide) {
  const deal = opened(state.deal);
  if (!deal) return restingPack(wide);
  const places = wide ? WIDE : UPRIGHT;
  return [
    ...stockPieces(deal, places, wide),
    ...SEATS.flatMap((seat) => [
      ...takenPieces(deal, seat, places[seat]),
      ...handPieces(deal, seat, places[seat], wide),
    ]),
    ...deal.away.map((slot) =>
      piece(slot, places.away, { seat: slot.seat, kind: "away", gone: true, card: null }),
    ),
    ...trickPieces(deal, places),
  ];
}

/**
 * When a deal is over and its hands are open, every card goes back to who was dealt it.
 * @param {Deal | null} deal
 * @returns {Deal | null}
 */
function opened(deal) {
  if (!deal?.over?.hands) return deal;
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
  return { ...deal, hands, taken: { house: [], challenger: [] }, trick: [] };
}

/**
 * @param {Slot} slot
 * @param {Point} place
 * @param {Partial<Piece>} [more]
 * @returns {Piece}
 */
function piece(slot, [x, y], more = {}) {
  return { id: slot.id, card: slot.card, x, y, dx: 0, dy: 0, turn: 0, z: 1, kind: "hand", ...more };
}

/** @param {boolean} wide */
function restingPack(wide) {
  return stockPieces({ number: 0, stock: 32, turnUp: null }, wide ? WIDE : UPRIGHT, wide);
}

/**
 * @param {Pick<Deal, "number" | "stock" | "turnUp">} deal
 * @param {Places} places
 * @param {boolean} wide
 */
function stockPieces(deal, places, wide) {
  const under = deal.turnUp
    ? [
        piece({ id: `${deal.number}-turn-up`, card: deal.turnUp }, places.turnUp, {
          kind: "turnUp",
          turn: wide ? 90 : 0,
          dx: wide ? 0.62 : 0.0,
          dy: wide ? 0 : -0.5,
          z: 2,
        }),
      ]
    : [];
  const layers = Math.min(4, Math.ceil(deal.stock / 6));
  const pack = Array.from({ length: layers }, (_, n) =>
    piece({ id: `stock-${n}`, card: null }, places.stock, {
      kind: "stock",
      dx: 0.03 * n,
      dy: -0.02 * n,
      z: 3 + n,
    }),
  );
  return [...under, ...pack];
}

/**
 * @param {Deal} deal
 * @param {Seat} seat
 * @param {SeatPlaces} place
 * @param {boolean} wide
 */
function handPieces(deal, seat, place, wide) {
  const hand = deal.hands[seat];
  const step = wide ? 0.98 : 0.94;
  const own = hand.some((slot) => slot.card);
  return hand.map((slot, n) => {
    const middle = n - (hand.length - 1) / 2;
    return piece(slot, place.hand, {
      seat,
      kind: "hand",
      dx: middle * (own ? step : 0.62 * step),
      dy: Math.abs(middle) * 0.015,
      turn: middle * (seat === "house" ? -1 : 1) * (own ? 1 : 2.2),
      z: 10 + n,
      own,
    });
  });
}

/**
 * @param {Deal} deal
 * @param {Seat} seat
 * @param {SeatPlaces} place
 */
function takenPieces(deal, seat, place) {
  return deal.taken[seat].map((slot, n) => {
    const trick = Math.floor(n / 2);
    return piece(slot, place.taken, {
      seat,
      kind: "taken",
      dx: trick * 0.2 - 0.4 + (n % 2) * 0.06,
      dy: (n % 2) * 0.04,
      turn: trick % 2 ? 4 : -3,
      z: 5 + n,
      small: true,
      card: null,
    });
  });
}

/**
 * @param {Deal} deal
 * @param {Places} places
 */
function trickPieces(deal, places) {
  return deal.trick.map((slot, n) =>
    piece(slot, places.middle, {
      seat: slot.seat,
      kind: "trick",
      dx: places[slot.seat].trick[0],
      dy: places[slot.seat].trick[1],
      turn: slot.seat === "house" ? -4 : 3,
      z: 30 + n,
    }),
  );
}
