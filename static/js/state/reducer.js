// Reducers: table state and event to table state. Pure.
//
// An event type that is missing here makes the connection request a snapshot.

import { finishExchange, moveCards, phaseAfterAction } from "./card_moves.js";
import { bookOf, certainPoints, dealOf, matchedBets, newGame, ownSeat, withClock } from "./table_state.js";
import { opponent, parseCards, SEATS } from "./tokens.js";

/** @typedef {Exclude<Wire.Event["type"], "restored">} Reducible */
/** @typedef {(state: State.Running, event: Wire.Event) => State.Table} Reduce */

/** Return whether an event type has a reducer. @param {{type: string}} event */
export const isKnown = (event) => Object.hasOwn(REDUCERS, event.type);

/**
 * Return the table after an event; a settlement starts the clock of the next game.
 * @param {State.Table} state
 * @param {Wire.Event} event
 * @param {number} [now]
 * @param {number} [pause] seconds between two games
 * @returns {State.Table}
 */
export function fold(state, event, now = 0, pause) {
  const reduce = /** @type {Record<string, Reduce>} */ (REDUCERS)[event.type];
  const after = reduce(/** @type {State.Running} */ (state), event);
  // When a game is given up, the felt keeps its cards and words, except a card that was not answered.
  const { deal, said } = state.game?.forfeit && after.game?.forfeit ? state : after;
  return withClock(
    { ...after, deal, said, version: event.version, last: event.type },
    event.type === "settled" ? pause : event.seconds,
    now,
  );
}

/** @param {State.Table} state @param {Wire.You} message @param {number} [now] @returns {State.Table} */
export function foldYou(state, message, now = 0) {
  const you = { ...state.you, ...message };
  const seat = state.game?.forfeit ? null : ownSeat({ ...state, you });
  return withClock(revealHand({ ...state, you }, seat, you.hand), message.seconds, now);
}

/** @type {{[Type in Reducible]: (state: State.Running, event: Wire.EventOf<Type>) => State.Table}} */
const REDUCERS = {
  game_opened(state, event) {
    /** @type {State.Table["you"]} */
    const you = { ...state.you, hand: [], legal: [], why: {}, text: "" };
    const opened = { ...state, game: newGame(event), deal: null, said: null, scored: null };
    return { ...opened, holder: event.holder, you, lasts: 0, endsAt: null };
  },

  cut: withSeal,
  bet_accepted: withBet,

  book_locked(state, event) {
    const book = bookOf(event);
    const bets = matchedBets(state.game, book);
    return withGame({ ...state, endsAt: null, lasts: 0 }, { phase: "locked", book, bets });
  },

  cuts_opened: (state, { opened }) => withGame(state, { cutsOpened: opened }),

  book(state, event) {
    const book = bookOf(event);
    const sealed = (event.new_cuts ?? []).reduce(withSeal, state);
    const next = (event.new_bets ?? []).reduce(withBet, sealed);
    return withGame(next, { book, bets: matchedBets(next.game, book) });
  },

  betting_closed(state, event) {
    const { bets, opened = [], withheld = [] } = event;
    const book = bookOf(event);
    const closed = withGame(state, { phase: "closed", bets, book, withheld, cutsOpened: opened.length });
    return { ...closed, endsAt: null, lasts: 0 };
  },

  dealt(state, event) {
    const deal = dealOf(event.deal);
    const you = { ...state.you, hand: [], legal: [], why: {} };
    const dealt = withGame(state, { phase: "playing", score: event.deal.score });
    return { ...dealt, deal, you, said: null, scored: null, endsAt: null, lasts: 0 };
  },

  turned_up: (state, { card, turn }) => ({
    ...state,
    deal: { ...state.deal, turnUp: card, turn, phase: "proposing" },
  }),

  action(state, event) {
    const { seat, action, turn, version } = event;
    const { deal: before } = state;
    const moved = moveCards(before, seat, action);
    const deal = event.deal
      ? { ...dealOf(event.deal), away: renameSlots(before.away) }
      : { ...moved, ...phaseAfterAction(moved, action), shown: null, turn };
    const you = state.you.legal.length ? { ...state.you, legal: [], why: {} } : state.you;
    return { ...state, deal, you, said: { seat, action, version }, endsAt: null, lasts: 0 };
  },

  trick(state, { taker, tricks }) {
    const { deal } = state;
    const taken = { ...deal.taken, [taker]: [...deal.taken[taker], ...deal.trick] };
    return { ...state, deal: { ...deal, trick: [], shown: { taker, cards: deal.trick }, taken, tricks } };
  },

  points(state, { score }) {
    const old = state.game.score;
    if (state.game.forfeit) return withGame(state, { score });
    const seat = SEATS[Number(score.challenger > old.challenger)];
    const n = score[seat] - old[seat];
    const scored = n > 0 ? { seat, n, reason: scoreReason(state, seat, n) } : null;
    return { ...withGame(state, { score }), scored };
  },

  deal_over(state, event) {
    const { tricks, score, hands } = event;
    const opened = hands && { house: parseCards(hands.house), challenger: parseCards(hands.challenger) };
    const deal = { ...state.deal, tricks, over: { hands: opened }, turn: null, phase: "over" };
    return { ...withGame(state, { score }), deal, endsAt: null };
  },

  game_over(state, event) {
    const { winner, score, stake } = event;
    const { id, forfeit } = state.game;
    const over = withGame(state, { phase: "over", score, result: { winner, stake, score } });
    if (forfeit) {
      // All the points of the deals that were not played are given up together: to the challenger, only kings.
      const n = score[winner] - forfeit.score[winner];
      const then = withGame({ ...state, last: "" }, { score: forfeit.score });
      if (score[winner] <= certainPoints(then, winner))
        over.scored = { seat: winner, n, reason: scoreReason(state, winner, n) };
      else if (winner === "house") over.scored = { seat: winner, n, reason: forfeit.late ? "late" : "left" };
      else over.scored = { seat: winner, n: 1, reason: "turned" };
    }
    return withRecentGame({ ...over, endsAt: null }, { game: id, winner, stake });
  },

  settled: (state, { bets, principals }) => withGame(state, { settled: { bets, principals } }),

  game_void(state) {
    const over = { ...withGame(state, { phase: "void" }), endsAt: null };
    return withRecentGame(over, { game: state.game.id, winner: null, stake: 0 });
  },

  seat(state, event) {
    const { holder, queue, player, late = false } = event;
    const seated = { ...state, holder, queue };
    if (event.what !== "defaulted") return seated;
    const after = withGame(seated, { forfeit: { player, late, score: state.game.score } });
    return { ...after, deal: state.deal && { ...state.deal, trick: [] } };
  },

  poule: (state, { poule, result }) => ({ ...state, poule, pouleResult: result }),

  checkpoint: (state) => state,

  notice: (state, { taking, away = false }) => ({ ...state, taking, away }),
};

/** @param {State.Table} state @param {Wire.Seat} seat @param {number} n @returns {State.ScoreReason} */
function scoreReason({ game, deal, last, said }, seat, n) {
  if (last === "turned_up") return "turned";
  if (said?.action === "K" && last === "action") return "king";
  if (n > 1 && deal?.bold === opponent(seat)) return deal.dealer === deal.bold ? "refused" : "bold";
  if (deal?.tricks[seat] !== 5) return "most";
  const pays = deal.exchanged || deal.bold === opponent(seat) || game?.laws.vole_unexchanged === 2;
  return pays ? "all" : "unexchanged";
}

/** @param {State.Running} state @param {State.Game["seals"][number]} seal @returns {State.Running} */
function withSeal(state, { number, player }) {
  const { seals } = state.game;
  return number <= seals.length ? state : withGame(state, { seals: [...seals, { number, player }] });
}

/** @param {State.Running} state @param {Wire.AcceptedBet} bet @returns {State.Running} */
function withBet(state, { order, player, side, unit_cents, seal_number: number }) {
  const sealed = number ? withSeal(state, { number, player }) : state;
  const { bets } = state.game;
  const known = bets.some((bet) => bet.order === order);
  return known ? sealed : withGame(sealed, { bets: [...bets, { order, player, side, unit_cents }] });
}

/** @template {State.Table} T @param {T} state @param {Partial<State.Game>} changes @returns {T} */
const withGame = (state, changes) => (state.game ? { ...state, game: { ...state.game, ...changes } } : state);

// Give discarded cards new ids: a restarted deal reuses the first ones.
/** @param {State.Played[]} away @returns {State.Played[]} */
const renameSlots = (away) =>
  away.map((slot, n) => ({ ...slot, id: `${slot.id.split("-", 1)[0]}-away-${n}` }));

/** @param {State.Table} state @param {Wire.GameResult} game @returns {State.Table} */
const withRecentGame = (state, game) => ({ ...state, road: [...state.road, game].slice(-60) });

/**
 * Show the cards of a seat: known ones keep their slots, new ones fill the empty slots.
 * @param {State.Table} state
 * @param {Wire.Seat | null} seat
 * @param {string[]} cards
 * @returns {State.Table}
 */
export function revealHand(state, seat, cards) {
  if (!seat || !state.deal || !cards?.length) return state;
  const deal = finishExchange(state.deal, seat, cards);
  const hand = deal.hands[seat];
  const known = hand.filter(({ card }) => card && cards.includes(card));
  const fresh = cards.filter((card) => !known.some((slot) => slot.card === card));
  const filled = hand.map((slot) => (known.includes(slot) ? slot : { ...slot, card: fresh.shift() ?? null }));
  filled.sort((a, b) => cards.indexOf(a.card ?? "") - cards.indexOf(b.card ?? ""));
  return { ...state, deal: { ...deal, hands: { ...deal.hands, [seat]: filled } } };
}
