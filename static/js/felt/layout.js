// The cards on the felt, from the state. Pure.
//
// A card lies at the place of its kind and seat, which places.css gives for each shape of the felt, plus an offset
// in steps of that place (dx) and in card heights (dy).

import { SEATS } from "../state/tokens.js";

/**
 * A card on the felt: what is drawn, and where.
 * @typedef {{id: string, card: string | null, kind: "stock" | "turnUp" | "hand" | "taken" | "trick" | "away",
 *   dx: number, dy: number, turn: number, z: number, seat?: Wire.Seat, won?: boolean, asks?: boolean}} Piece
 */

/** Return every card on the felt, from the lowest to the highest. @param {Pick<State.Table, "deal" | "game">} state */
export function pieces({ deal: dealt, game }) {
  if (!dealt) return stockPieces({ number: 0, stock: 32, turnUp: null });
  // The last trick of a game stays visible; between deals both hands are open.
  const last = game?.result ? dealt.shown : null;
  const deal = last ? dealt : openHands(dealt);
  return [
    ...stockPieces(deal),
    ...SEATS.flatMap((seat) => [...takenPieces(deal, seat), ...handPieces(deal, seat)]),
    ...deal.away.map((slot) => piece(slot, "away", { seat: slot.seat, card: null })),
    ...trickPieces(deal),
  ];
}

// Give every card back to the hand it was dealt to, once hands are open.
/** @param {State.Deal} deal @returns {State.Deal} */
function openHands(deal) {
  if (!deal.over?.hands) return deal;
  const { hands: open } = deal.over;
  const hands = { ...deal.hands };
  for (const seat of SEATS) {
    const slots = [...deal.taken.house, ...deal.taken.challenger, ...deal.trick, ...deal.hands[seat]];
    const left = deal.hands[seat]
      .filter((slot) => !open[seat].includes(slot.card ?? ""))
      .map((slot) => slot.id);
    hands[seat] = open[seat].map((card, n) => {
      const slot = slots.find((one) => one.card === card);
      return { id: slot?.id ?? left.shift() ?? `${deal.number}-${seat}-open-${n}`, card };
    });
  }
  return { ...deal, hands, taken: { house: [], challenger: [] }, trick: [], shown: null };
}

/** @param {State.Slot} slot @param {Piece["kind"]} kind @param {Partial<Piece>} more @returns {Piece} */
const piece = ({ id, card }, kind, more) => ({ id, card, kind, dx: 0, dy: 0, turn: 0, z: 1, ...more });

/** @param {Pick<State.Deal, "number" | "stock" | "turnUp">} deal */
function stockPieces({ number, stock, turnUp: card }) {
  const pack = Array.from({ length: Math.min(4, Math.ceil(stock / 6)) }, (_, n) =>
    piece({ id: `stock-${n}`, card: null }, "stock", { dx: 0.02 * n, dy: -0.014 * n, z: 3 + n }),
  );
  return card ? [piece({ id: `${number}-turn-up`, card }, "turnUp", { turn: 4, z: 2 }), ...pack] : pack;
}

/** @param {State.Deal} deal @param {Wire.Seat} seat */
function handPieces({ hands }, seat) {
  const hand = hands[seat];
  const spread = hand.some((slot) => slot.card) ? 0.8 : 2;
  return hand.map((slot, n) => {
    const dx = n - (hand.length - 1) / 2;
    return piece(slot, "hand", { seat, dx, dy: Math.abs(dx) * 0.012, turn: dx * spread, z: 10 + n });
  });
}

// Return the tricks of a seat except the one still in the middle.
/** @param {State.Deal} deal @param {Wire.Seat} seat */
function takenPieces({ taken, shown }, seat) {
  const held = new Set(shown?.cards.map(({ id }) => id));
  const pile = taken[seat].filter(({ id }) => !held.has(id));
  return pile.map((slot, n) => {
    const trick = Math.floor(n / 2);
    return piece(slot, "taken", {
      seat,
      dx: 0.1 - trick * 0.1 + (n % 2) * 0.03,
      dy: (n % 2) * 0.02,
      turn: trick % 2 ? 5 : -5,
      z: 5 + n,
      card: null,
    });
  });
}

// Return the cards in the middle: the current trick, or the last one with its taker.
/** @param {State.Deal} deal */
function trickPieces({ trick, shown }) {
  /** @type {State.Played[]} */
  const cards = trick.length ? trick : (shown?.cards ?? []);
  return cards.map((slot, n) => {
    const { seat } = slot;
    return piece(slot, "trick", {
      seat,
      ...(seat === "house" ? { dx: -1, dy: -0.03, turn: -3 } : { dx: 1, dy: 0.03, turn: 4 }),
      z: 30 + n + (shown && seat === shown.taker ? 5 : 0),
      asks: trick.length === 1 && seat === "house",
      ...(!trick.length && shown ? { won: seat === shown.taker } : {}),
    });
  });
}
