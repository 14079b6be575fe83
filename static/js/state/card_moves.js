// How an action moves cards on the table: from hands to the trick, away, from the stock. Pure.

/** @import { BySeat, Seat } from "./messages" */
/** @import { Deal, Played, Slot } from "./table" */

const CARD = /^[KQJAT987][SHDC]$/;

/**
 * Whether an action plays a card.
 * @param {string} action
 */
export const isCard = (action) => CARD.test(action);

/**
 * The cards of a list or of a text.
 * @param {string | string[] | undefined} cards
 * @returns {string[]}
 */
export function cardsOf(cards) {
  return typeof cards === "string" ? (cards.match(/../g) ?? []) : (cards ?? []);
}

/**
 * A deal with its cards where an action leaves them.
 * @param {Deal} before
 * @param {Seat} seat
 * @param {string} action
 * @returns {Deal}
 */
export function moved(before, seat, action) {
  const deal = unseen(before, seat);
  if (isCard(action)) return played(deal, seat, action);
  if (action.startsWith("X")) return exchanged(deal, seat, action);
  if (action.startsWith("L")) return played(deal, seat, action.slice(1));
  if (action === "W") return takenBack(deal);
  return action === "V" ? restored(deal) : deal;
}

/**
 * A card of a hidden hand may be any of its slots: the first that shows nothing is taken.
 * @param {Deal} deal
 * @param {Seat} seat
 * @param {string} card
 * @returns {Deal}
 */
function played(deal, seat, card) {
  const hand = deal.hands[seat];
  const shown = hand.findIndex((slot) => slot.card === card);
  const place = shown >= 0 ? shown : hand.findIndex((slot) => slot.card === null);
  const slot = hand[place] ?? { id: `${deal.number}-${card}` };
  const hands = { ...deal.hands, [seat]: hand.filter((one) => one !== slot) };
  return { ...deal, hands, trick: [...deal.trick, { seat, id: slot.id, card, known: slot.card !== null }] };
}

/**
 * Who sees his own hand is told of an exchange without its cards: his next hand says which went.
 * @param {Deal} deal
 * @param {Seat} seat
 * @param {string} action
 * @returns {Deal}
 */
function exchanged(deal, seat, action) {
  const tokens = cardsOf(action.slice(1));
  const hand = [...deal.hands[seat]];
  const stock = deal.stock - tokens.length;
  if (tokens.includes("??") && hand.some((slot) => slot.card))
    return { ...deal, stock, exchanging: { seat, tokens } };
  const gone = tokens.map((card) => {
    const place = hand.findLastIndex((slot) => slot.card === (card === "??" ? null : card));
    return hand.splice(place >= 0 ? place : hand.length - 1, 1)[0];
  });
  return { ...replaced(deal, seat, gone), stock };
}

/**
 * A deal in which a seat's own exchange is done, by the cards it holds now.
 * @param {Deal} deal
 * @param {Seat} seat
 * @param {string[]} cards
 * @returns {Deal}
 */
export function takenUp(deal, seat, cards) {
  if (deal.exchanging?.seat !== seat) return deal;
  const gone = deal.hands[seat].filter((slot) => !cards.includes(slot.card ?? ""));
  return { ...replaced(deal, seat, gone), exchanging: null };
}

/**
 * Some slots of a hand go away, as many new ones come from the stock.
 * @param {Deal} deal
 * @param {Seat} seat
 * @param {Slot[]} gone
 * @returns {Deal}
 */
function replaced(deal, seat, gone) {
  const kept = deal.hands[seat].filter((slot) => !gone.includes(slot));
  const fresh = gone.map((_, n) => ({ id: `${deal.number}-drawn-${deal.drawn + n}`, card: null }));
  const away = [...deal.away, ...gone.map((slot) => ({ ...slot, seat }))];
  return {
    ...deal,
    hands: { ...deal.hands, [seat]: [...kept, ...fresh] },
    away,
    drawn: deal.drawn + gone.length,
  };
}

/**
 * The next hand has not been told in between: which cards went is not known, so none is shown.
 * @param {Deal} deal
 * @param {Seat} seat
 * @returns {Deal}
 */
function unseen(deal, seat) {
  if (deal.exchanging?.seat !== seat) return deal;
  const hand = deal.hands[seat].map((slot) => ({ ...slot, card: null }));
  const gone = hand.slice(-deal.exchanging.tokens.length);
  return { ...replaced({ ...deal, hands: { ...deal.hands, [seat]: hand } }, seat, gone), exchanging: null };
}

/**
 * @param {Deal} deal
 * @returns {Deal}
 */
function takenBack(deal) {
  return { ...deal, hands: withCards(deal.hands, deal.trick), trick: [] };
}

/**
 * A revoke was claimed: everything played goes back to where it came from.
 * @param {Deal} deal
 * @returns {Deal}
 */
function restored(deal) {
  const all = [...deal.taken.house, ...deal.taken.challenger, ...deal.trick];
  const nil = { house: 0, challenger: 0 };
  return {
    ...deal,
    hands: withCards(deal.hands, all),
    taken: { house: [], challenger: [] },
    trick: [],
    tricks: nil,
    over: null,
  };
}

/**
 * @param {BySeat<Slot[]>} hands
 * @param {Played[]} slots
 * @returns {BySeat<Slot[]>}
 */
function withCards(hands, slots) {
  /** @param {Seat} seat */
  const back = (seat) =>
    slots
      .filter((slot) => slot.seat === seat)
      .map(({ id, card, known }) => ({ id, card: known ? card : null }));
  return {
    house: [...hands.house, ...back("house")],
    challenger: [...hands.challenger, ...back("challenger")],
  };
}
