// How an action moves cards on the table: from hands to the trick, away, from the stock. Pure.

const CARD = /^[KQJAT987][SHDC]$/;

/** A deal with its cards where an action leaves them. */
export function moved(deal, seat, action) {
  if (CARD.test(action)) return played(deal, seat, action);
  if (action.startsWith("X")) return exchanged(deal, seat, action);
  if (action.startsWith("L")) return played(deal, seat, action.slice(1));
  if (action === "W") return takenBack(deal);
  return action === "V" ? restored(deal) : deal;
}

// A card of a hidden hand may be any of its slots: the first that shows nothing is taken.
function played(deal, seat, card) {
  const hand = deal.hands[seat];
  const shown = hand.findIndex((slot) => slot.card === card);
  const place = shown >= 0 ? shown : hand.findIndex((slot) => slot.card === null);
  const slot = hand[place] ?? { id: `${deal.number}-${card}` };
  const hands = { ...deal.hands, [seat]: hand.filter((one) => one !== slot) };
  return { ...deal, hands, trick: [...deal.trick, { seat, id: slot.id, card, known: slot.card !== null }] };
}

function exchanged(deal, seat, action) {
  const tokens = action.slice(1).match(/../g) ?? [];
  const hand = [...deal.hands[seat]];
  const gone = tokens.map((card) => {
    const place = hand.findLastIndex((slot) => slot.card === (card === "??" ? null : card));
    return hand.splice(place >= 0 ? place : hand.length - 1, 1)[0];
  });
  const fresh = tokens.map((_, n) => ({ id: `${deal.number}-drawn-${deal.drawn + n}`, card: null }));
  const away = [...deal.away, ...gone.map((slot) => ({ ...slot, seat }))];
  const hands = { ...deal.hands, [seat]: [...hand, ...fresh] };
  return { ...deal, hands, away, drawn: deal.drawn + tokens.length, stock: deal.stock - tokens.length };
}

function takenBack(deal) {
  return { ...deal, hands: withCards(deal.hands, deal.trick), trick: [] };
}

// A revoke was claimed: everything played goes back to where it came from.
function restored(deal) {
  const all = [...deal.taken.house, ...deal.taken.challenger, ...deal.trick];
  const nil = { house: 0, challenger: 0 };
  return { ...deal, hands: withCards(deal.hands, all), taken: { house: [], challenger: [] }, trick: [],
    tricks: nil, over: null };
}

function withCards(hands, slots) {
  const back = (seat) => slots.filter((slot) => slot.seat === seat)
    .map(({ id, card, known }) => ({ id, card: known ? card : null }));
  return { house: [...hands.house, ...back("house")], challenger: [...hands.challenger, ...back("challenger")] };
}
