// What a table looks like to whoever watches it: the server's messages, folded. Pure.
//
// The server says what happened and who is to act; nothing here decides anything by the rules.
// Seats and sides are "house" and "challenger", cards and actions the tokens of a game record
// ("KH", "P", "X7H8D"; an exchange of hidden cards is "X" and "??" for each), amounts whole cents;
// several cards are one text ("KH7S") or a list. A pair by seat is {house, challenger}.
//
// Answer to `join`: {ok, version, snapshot} or, after `since`, {ok, version, events: [missed]}.
//   snapshot: table, version, laws, gallery, limits, stake_cents, challenger (the bot that plays if
//     no person does), holder, queue [names], taking, road [{game, winner, stake}] of the last games,
//     seconds left to bet or to act, and while a game runs: game, commitment, players, bots,
//     cuts [texts], cut, bets [{order, player, side, unit_cents, matched_cents}],
//     totals_cents [house, challenger], matched_cents, closed, deal (see below) or null
//
// Events: {table, game, version, type, …}; `seconds`, where a clock runs, may stand in any.
//   game_opened    commitment, players, bots {seat: name} of seats that no person holds, laws,
//                  gallery {gallery_stakes, matching, commission_bp, …}, limits, stake_cents,
//                  cover as in a book
//   cut            player, text, number: which of the game's cuts it is, from 1
//   bet_accepted   order, player, side, unit_cents
//   book           totals_cents, matched_cents, closed, cover {house_cents, challenger_cents}:
//                  the most that the principals would add; new_bets and new_cuts, in a crowd,
//                  instead of single bet_accepted and cut events
//   betting_closed the same, cover as it was, bets with matched_cents, cuts, cut, first_dealer
//   dealt          deal {number, dealer, turn, turn_up, score, tricks, stock, sizes, led,
//                  hands {seat: cards} as far as this viewer sees them, actions [tokens]}
//   turned_up      card
//   action         seat, action, turn: who is to act next, or null; deal, as it stands, after an
//                  action that takes play back
//   trick          taker, tricks
//   points         score
//   deal_over      score, tricks, hands {seat: cards} as they were when play began
//   game_over      winner, score, stake 1 | 2 | 3, server_seed
//   settled        bets [{order, player, side, matched_cents, gain_cents, commission_cents}],
//                  principals: the same of house and challenger for their own stake
//   game_void      reason
//   seat           player, what "queued" | "seated" | "left" | "defaulted", holder, queue
//   checkpoint     note
//   notice         taking: whether bets are taken at all
// After an event of any other type a client asks for a new snapshot: `restored` says no more than
// that the house, after a fault of its disk, has read the table from its log again.
//
// `you`, to one person alone: any of name, balance_cents, bets (own, on the running game),
//   game, version, hand [cards], legal [tokens], why {card: refusal}
//   of cards that may not be played, seconds. Who sits and who waits follows from the names.

import { moved, takenUp } from "./moves.js";
import { afterAction, afterTurnUp, beforeTurnUp } from "./phases.js";
import { match } from "./verify/matching.js";

export const SEATS = ["house", "challenger"];

/** A table of which nothing is known yet. */
export function emptyTable(table) {
  return {
    table,
    version: 0,
    bot: "",
    limits: {},
    holder: "",
    queue: [],
    road: [],
    taking: true,
    game: null,
    deal: null,
    you: nobody(),
    said: null,
    checkpoint: null,
    last: "",
  };
}

/** Who has not entered. */
export function nobody() {
  return { name: "", balance_cents: null, bets: [], hand: [], legal: [], why: {}, version: 0 };
}

/** The table that a snapshot describes; `now` is the browser's clock in milliseconds. */
export function fromSnapshot(snapshot, you, now = 0) {
  const {
    table,
    version,
    challenger: bot = "",
    limits = {},
    holder = "",
    queue = [],
    road = [],
    taking = true,
    seconds,
  } = snapshot;
  const state = { ...emptyTable(table), version, bot, limits, holder, queue, road, taking, you };
  if (!snapshot.game) return state;
  const game = {
    ...newGame(snapshot),
    bets: snapshot.bets ?? [],
    book: bookOf(snapshot),
    cut: snapshot.cut ?? "",
    cuts: (snapshot.cuts ?? []).map((text) => ({ text })),
    score: snapshot.deal?.score ?? nil(),
    phase: snapshot.deal ? "playing" : snapshot.closed ? "closed" : "betting",
  };
  const deal = snapshot.deal ? dealOf(snapshot.deal) : null;
  return withClock({ ...state, game, deal }, seconds, now);
}

/** Whether an event is the next one: "next", "old", or "gap", which asks for a new join. */
export function order(state, event) {
  if (event.version <= state.version) return "old";
  return event.version === state.version + 1 ? "next" : "gap";
}

/** Whether an event can be folded; after any other only a new snapshot helps. */
export function knows(event) {
  return event.type in FOLD;
}

/** The table after an event. */
export function fold(state, event, now = 0) {
  const after = FOLD[event.type](state, event, now);
  return withClock(
    { ...after, version: event.version ?? after.version, last: event.type },
    event.seconds,
    now,
  );
}

/** The table after a message to this person alone. */
export function foldYou(state, told, now = 0) {
  const you = { ...state.you, ...told };
  return withClock(reveal({ ...state, you }, seatOf({ ...state, you }), you.hand), told.seconds, now);
}

/** The seat this person holds in the running game, or null. */
export function seatOf({ you, game }) {
  const plays = you.name && game && game.players.challenger === you.name && !game.bots.challenger;
  return plays && !["over", "void"].includes(game.phase) ? "challenger" : null;
}

function withClock(state, seconds, now) {
  if (seconds === undefined || seconds === null) return state;
  return { ...state, endsAt: now + 1000 * seconds, lasts: Math.max(seconds, state.lasts ?? 0) };
}

function nil() {
  return { house: 0, challenger: 0 };
}

/** The cards of a list or of a text. */
export function cardsOf(cards) {
  return typeof cards === "string" ? (cards.match(/../g) ?? []) : (cards ?? []);
}

function newGame(told) {
  const {
    game,
    commitment,
    players,
    bots = { house: told.players.house },
    laws = {},
    gallery = {},
    limits = {},
    stake_cents = 0,
    cover,
  } = told;
  return {
    id: game,
    commitment,
    players,
    bots,
    laws,
    gallery,
    limits,
    stake_cents,
    phase: "betting",
    cuts: [],
    cut: "",
    bets: [],
    book: bookOf({ cover }),
    score: nil(),
    result: null,
    settled: null,
    deals: [],
  };
}

function bookOf({ totals_cents = [0, 0], matched_cents = 0, cover = null }) {
  const [house_cents, challenger_cents] = totals_cents;
  return { house_cents, challenger_cents, matched_cents, cover };
}

// A deal in any state, as a viewer is told it: cards he does not see lie in slots without one.
function dealOf(told) {
  const hand = (seat) => {
    const cards = cardsOf(told.hands?.[seat]);
    const size = Math.max(told.sizes?.[seat] ?? 5, cards.length);
    return Array.from({ length: size }, (_, n) => ({
      id: `${told.number}-${seat}-${n}`,
      card: cards[n] ?? null,
    }));
  };
  const { number, dealer, turn = null, turn_up = null, led = null, tricks = nil(), actions = [] } = told;
  const pile = (seat) =>
    Array.from({ length: 2 * tricks[seat] }, (_, n) => ({ id: `${number}-${seat}-taken-${n}`, card: null }));
  const base = {
    number,
    dealer,
    began: told.score ?? nil(),
    turnUp: turn_up,
    stock: told.stock ?? 21,
    turn,
    phase: "dealing",
    over: null,
    hands: { house: hand("house"), challenger: hand("challenger") },
    away: [],
    drawn: 0,
    tricks,
    taken: { house: pile("house"), challenger: pile("challenger") },
    trick: led ? [{ seat: turn === "house" ? "challenger" : "house", id: `${number}-led`, card: led }] : [],
  };
  const asked = turn_up ? afterTurnUp(base) : base;
  const said = turn_up ? actions.filter((action) => !beforeTurnUp(action)) : actions;
  let deal = asked;
  for (const action of said) deal = { ...deal, ...afterAction(deal, action) };
  return { ...deal, turn };
}

const FOLD = {
  game_opened(state, event) {
    const you = { ...state.you, bets: [], hand: [], legal: [], why: {} };
    const game = { ...newGame(event), book: bookOf({ cover: event.cover }) };
    const opened = { ...state, game, deal: null, said: null, lasts: 0, endsAt: null };
    return { ...opened, holder: event.bots?.challenger ? "" : event.players.challenger, you };
  },

  cut(state, { player, text, number }) {
    const known = number <= state.game.cuts.length;
    return known ? state : withGame(state, { cuts: [...state.game.cuts, { player, text }] });
  },

  bet_accepted(state, { order, player, side, unit_cents }) {
    const known = state.game.bets.some((bet) => bet.order === order);
    return known
      ? state
      : withGame(state, { bets: [...state.game.bets, { order, player, side, unit_cents }] });
  },

  book(state, event) {
    const book = bookOf(event);
    const cut = (event.new_cuts ?? []).reduce(FOLD.cut, state);
    const told = (event.new_bets ?? []).reduce(FOLD.bet_accepted, cut);
    return withGame(told, { book, bets: standing(told.game, book) });
  },

  betting_closed(state, event) {
    const { bets, cut, cuts } = event;
    const told = { phase: "closed", bets, book: bookOf(event), cut, first_dealer: event.first_dealer };
    const closed = withGame(state, { ...told, cuts: cuts?.map((text) => ({ text })) ?? state.game.cuts });
    return { ...closed, endsAt: null, lasts: 0 };
  },

  dealt(state, event) {
    const deal = dealOf(event.deal);
    const you = { ...state.you, hand: [], legal: [], why: {} };
    const dealt = withGame(state, { phase: "playing", score: deal.began });
    return { ...dealt, deal, you, said: null, endsAt: null, lasts: 0 };
  },

  turned_up(state, { card }) {
    return { ...state, deal: afterTurnUp({ ...state.deal, turnUp: card }) };
  },

  action(state, event) {
    const { seat, action, turn = null, version } = event;
    const done = event.deal ? dealOf(event.deal) : moved(state.deal, seat, action);
    const deal = event.deal
      ? { ...done, away: apart(state.deal.away) }
      : { ...done, ...afterAction(done, action), turn };
    const you = state.you.legal.length ? { ...state.you, legal: [], why: {} } : state.you;
    return { ...state, deal, you, said: { seat, action, version }, endsAt: null, lasts: 0 };
  },

  trick(state, { taker, tricks }) {
    const { deal } = state;
    const taken = { ...deal.taken, [taker]: [...deal.taken[taker], ...deal.trick] };
    return { ...state, deal: { ...deal, trick: [], taken, tricks } };
  },

  points(state, { score }) {
    return withGame(state, { score });
  },

  deal_over(state, event) {
    const { tricks, score, hands } = event;
    const opened = hands && { house: cardsOf(hands.house), challenger: cardsOf(hands.challenger) };
    const deal = { ...state.deal, tricks, over: { hands: opened }, turn: null, phase: "over" };
    const told = { number: deal.number, dealer: deal.dealer, tricks, score };
    return { ...withGame(state, { deals: [...state.game.deals, told] }), deal, endsAt: null };
  },

  game_over(state, event) {
    const { winner, score, stake, server_seed } = event;
    const over = withGame(state, { phase: "over", score, result: { winner, stake, score }, server_seed });
    return onRoad({ ...over, endsAt: null }, { game: state.game.id, winner, stake });
  },

  settled(state, { bets, principals = [] }) {
    return withGame(state, { settled: { bets, principals } });
  },

  game_void(state, { reason }) {
    const over = withGame(state, { phase: "void", reason });
    return onRoad({ ...over, endsAt: null }, { game: state.game.id, winner: null, stake: 0 });
  },

  seat(state, event) {
    const { holder = state.holder, queue = state.queue } = event;
    return { ...state, holder, queue };
  },

  checkpoint(state, event) {
    return { ...state, checkpoint: event.note };
  },

  notice(state, { taking }) {
    return { ...state, taking };
  },
};

function withGame(state, changes) {
  return state.game ? { ...state, game: { ...state.game, ...changes } } : state;
}

// The cards laid away keep lying when a deal is told anew, whose hands take the first slots again.
function apart(away) {
  return away.map((slot, n) => ({ ...slot, id: `${slot.id.split("-", 1)[0]}-away-${n}` }));
}

function onRoad(state, game) {
  return { ...state, road: [...state.road, game].slice(-60) };
}

// How every bet stands while the book is open: the cover is what is matched beyond the lesser side.
function standing({ bets, gallery }, book) {
  const { house_cents, challenger_cents, matched_cents } = book;
  const unit_cents = matched_cents - Math.min(house_cents, challenger_cents);
  const side = house_cents < challenger_cents ? "house" : "challenger";
  const cover = unit_cents > 0 ? [{ order: Infinity, side, unit_cents }] : [];
  const kept = match([...bets, ...cover], gallery.matching);
  return bets.map((bet) => ({ ...bet, matched_cents: kept.get(bet.order) }));
}

// Show a player his own cards: those known stay in their slots, new ones fill the empty slots.
function reveal(state, seat, cards) {
  if (!seat || !state.deal || !cards?.length) return state;
  const deal = takenUp(state.deal, seat, cards);
  const hand = deal.hands[seat];
  const known = hand.filter((slot) => cards.includes(slot.card));
  const fresh = cards.filter((card) => !known.some((slot) => slot.card === card));
  const filled = hand.map((slot) => (known.includes(slot) ? slot : { ...slot, card: fresh.shift() ?? null }));
  filled.sort((a, b) => cards.indexOf(a.card) - cards.indexOf(b.card));
  return { ...state, deal: { ...deal, hands: { ...deal.hands, [seat]: filled } } };
}
