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
export function parseCards(cards) {
  return typeof cards === "string" ? (cards.match(/../g) ?? []) : (cards ?? []);
}

/**
 * A deal with its cards where an action leaves them.
 * @param {Deal} before
 * @param {Seat} seat
 * @param {string} action
 * @returns {Deal}
 */
export function moveCards(before, seat, action) {
  const deal = abandonExchange(before, seat);
  if (isCard(action)) return playCard(deal, seat, action);
  if (action.startsWith("X")) return exchangeCards(deal, seat, action);
  if (action.startsWith("L")) return playCard(deal, seat, action.slice(1));
  if (action === "W") return takeBackLead(deal);
  return action === "V" ? restoreHands(deal) : deal;
}

/**
 * A card of a hidden hand may be any of its slots: the first that shows nothing is taken.
 * @param {Deal} deal
 * @param {Seat} seat
 * @param {string} card
 * @returns {Deal}
 */
function playCard(deal, seat, card) {
  const hand = deal.hands[seat];
  const shown = hand.findIndex((slot) => slot.card === card);
  const index = shown >= 0 ? shown : hand.findIndex((slot) => slot.card === null);
  const slot = hand[index] ?? { id: `${deal.number}-${card}` };
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

/**
 * A deal in which a seat's own exchange is done, by the cards it holds now.
 * @param {Deal} deal
 * @param {Seat} seat
 * @param {string[]} cards
 * @returns {Deal}
 */
export function finishExchange(deal, seat, cards) {
  if (deal.exchanging?.seat !== seat) return deal;
  const gone = deal.hands[seat].filter((slot) => !cards.includes(slot.card ?? ""));
  return { ...replaceCards(deal, seat, gone), exchanging: null };
}

/**
 * Some slots of a hand go away, as many new ones come from the stock.
 * @param {Deal} deal
 * @param {Seat} seat
 * @param {Slot[]} gone
 * @returns {Deal}
 */
function replaceCards(deal, seat, gone) {
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
function abandonExchange(deal, seat) {
  if (deal.exchanging?.seat !== seat) return deal;
  const hand = deal.hands[seat].map((slot) => ({ ...slot, card: null }));
  const gone = hand.slice(-deal.exchanging.tokens.length);
  return {
    ...replaceCards({ ...deal, hands: { ...deal.hands, [seat]: hand } }, seat, gone),
    exchanging: null,
  };
}

/**
 * @param {Deal} deal
 * @returns {Deal}
 */
function takeBackLead(deal) {
  return { ...deal, hands: returnCards(deal.hands, deal.trick), trick: [] };
}

/**
 * A revoke was claimed: everything played goes back to where it came from.
 * @param {Deal} deal
 * @returns {Deal}
 */
function restoreHands(deal) {
  const all = [...deal.taken.house, ...deal.taken.challenger, ...deal.trick];
  const nil = { house: 0, challenger: 0 };
  return {
    ...deal,
    hands: returnCards(deal.hands, all),
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
function returnCards(hands, slots) {
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

/**
 * A deal once its trumps are known: the elder speaks.
 * @param {Deal} deal
 * @returns {Deal}
 */
export function afterTurnUp(deal) {
  return { ...deal, phase: "proposing", turn: deal.dealer === "house" ? "challenger" : "house" };
}

/**
 * Whether an action is about cards exposed while dealing.
 * @param {string} action
 */
export const isBeforeTurnUp = (action) => /^(E..|N|O)$/.test(action);

/**
 * The stage after an action.
 * @param {Deal} deal
 * @param {string} action
 * @returns {Partial<Deal>}
 */
export function phaseAfterAction(deal, action) {
  if (action.startsWith("X")) return { phase: afterExchange(deal), exchanged: true };
  if (action === "K") return {};
  if (action.startsWith("E")) return { phase: "exposed" };
  return { phase: PHASE_AFTER[action] ?? (deal.phase === "leading" ? "following" : "leading") };
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

/** @param {Deal} deal */
function afterExchange({ phase, stock }) {
  if (phase === "elder_exchange") return "dealer_exchange";
  return stock > 0 ? "proposing" : "leading";
}
