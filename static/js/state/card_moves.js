// How an action moves cards, and which phase follows. Pure.
//
// Whose turn it is and what is legal comes from the server.

import { isCard, opponent, parseCards } from "./tokens.js";

/** @param {State.Deal} before @param {Wire.Seat} seat @param {string} action @returns {State.Deal} */
export function moveCards(before, seat, action) {
  const deal = abandonExchange(before, seat);
  if (isCard(action)) return playCard(deal, seat, action);
  if (action.startsWith("X")) return exchangeCards(deal, seat, action);
  return action.startsWith("L") ? playCard(deal, seat, action.slice(1)) : deal;
}

// Play a card; of a hidden hand, the first slot that shows none.
/** @param {State.Deal} deal @param {Wire.Seat} seat @param {string} card @returns {State.Deal} */
function playCard(deal, seat, card) {
  const hand = deal.hands[seat];
  const shown = hand.findIndex((slot) => slot.card === card);
  const index = shown >= 0 ? shown : hand.findIndex((slot) => slot.card === null);
  const slot = hand[index] ?? { id: `${deal.number}-${card}` };
  const hands = { ...deal.hands, [seat]: hand.filter((one) => one !== slot) };
  return { ...deal, hands, trick: [...deal.trick, { seat, id: slot.id, card }] };
}

// Exchange cards. The viewer's own exchange arrives without its cards: the next hand tells which went.
/** @param {State.Deal} deal @param {Wire.Seat} seat @param {string} action @returns {State.Deal} */
function exchangeCards(deal, seat, action) {
  const tokens = parseCards(action.slice(1));
  const hand = [...deal.hands[seat]];
  const stock = deal.stock - tokens.length;
  if (tokens.includes("??") && hand.some((slot) => slot.card))
    return { ...deal, stock, exchanging: { seat, tokens } };
  const gone = tokens.map((card) => {
    const index = hand.findLastIndex((slot) => slot.card === (card === "??" ? null : card));
    return hand.splice(index >= 0 ? index : hand.length - 1, 1)[0];
  });
  return { ...replaceCards(deal, seat, gone), stock };
}

/** @param {State.Deal} deal @param {Wire.Seat} seat @param {string[]} cards @returns {State.Deal} */
export function finishExchange(deal, seat, cards) {
  if (deal.exchanging?.seat !== seat) return deal;
  const gone = deal.hands[seat].filter((slot) => !cards.includes(slot.card ?? ""));
  return { ...replaceCards(deal, seat, gone), exchanging: null };
}

// Discard slots of a hand and draw as many from the stock.
/** @param {State.Deal} deal @param {Wire.Seat} seat @param {State.Slot[]} gone @returns {State.Deal} */
function replaceCards(deal, seat, gone) {
  const kept = deal.hands[seat].filter((slot) => !gone.includes(slot));
  const fresh = gone.map((_, n) => ({ id: `${deal.number}-drawn-${deal.away.length + n}`, card: null }));
  const away = [...deal.away, ...gone.map((slot) => ({ ...slot, seat }))];
  return { ...deal, hands: { ...deal.hands, [seat]: [...kept, ...fresh] }, away };
}

// Finish an exchange whose next hand never arrived: which cards went is unknown, so show none.
/** @param {State.Deal} deal @param {Wire.Seat} seat @returns {State.Deal} */
function abandonExchange(deal, seat) {
  if (deal.exchanging?.seat !== seat) return deal;
  const hand = deal.hands[seat].map((slot) => ({ ...slot, card: null }));
  const gone = hand.slice(-deal.exchanging.tokens.length);
  return {
    ...replaceCards({ ...deal, hands: { ...deal.hands, [seat]: hand } }, seat, gone),
    exchanging: null,
  };
}

/** @param {State.Deal} deal @param {string} action @returns {Partial<State.Deal>} */
export function phaseAfterAction(deal, action) {
  if (action.startsWith("X")) return { phase: afterExchange(deal), exchanged: true };
  if (action === "K") return {};
  if (action.startsWith("E")) return { phase: "exposed" };
  const phase = PHASE_AFTER[action] ?? (deal.phase === "leading" ? "following" : "leading");
  // A player who stands or refuses before any exchange is vulnerable.
  if (deal.exchanged || !["S", "R"].includes(action)) return { phase };
  return { phase, bold: action === "R" ? deal.dealer : opponent(deal.dealer) };
}

/** @type {Record<string, string>} */
const PHASE_AFTER = {
  P: "answering",
  S: "leading",
  A: "elder_exchange",
  R: "leading",
  V: "leading",
  C: "over",
  N: "annulled",
  O: "dealing",
  W: "leading",
};

/** @param {State.Deal} deal */
function afterExchange({ phase, stock }) {
  if (phase === "elder_exchange") return "dealer_exchange";
  return stock > 0 ? "proposing" : "leading";
}

/**
 * Return how a trick was won: by a trump, by the higher card of the suit, because the other card is of neither, or
 * because the rest was conceded.
 * @param {State.Deal} deal
 * @returns {"higher" | "trump" | "led" | "rest"}
 */
export function trickReason({ shown, turnUp }) {
  const [a = "", b = ""] = shown?.cards.map(({ card }) => card ?? "") ?? [];
  if (!b) return "rest";
  if (a[1] === b[1]) return "higher";
  return [a[1], b[1]].includes(turnUp?.[1] ?? "") ? "trump" : "led";
}
