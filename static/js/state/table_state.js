// Table state for a viewer, from a snapshot. Pure.
//
// The server says what happened and who is to act: nothing here decides by the rules. reducer.js adds events.

import { coverOf, match } from "../verify/matching.js";
import { phaseAfterAction } from "./card_moves.js";
import { stakeMultiplier } from "./matching.js";
import { isBeforeTurnUp, isYou, opponent, parseCards } from "./tokens.js";

/** @param {string} table @returns {State.Table} */
export function emptyTable(table) {
  return {
    table,
    version: 0,
    house: "",
    bot: "",
    target: 5,
    limits: {},
    holder: "",
    queue: [],
    road: [],
    taking: true,
    away: false,
    game: null,
    deal: null,
    you: anonymousViewer(),
    said: null,
    scored: null,
    chance: null,
    poule: null,
    pouleResult: null,
    last: "",
  };
}

/** @returns {State.You} */
export const anonymousViewer = () => ({
  name: "",
  balance_cents: null,
  hand: [],
  legal: [],
  why: {},
  text: "",
  version: 0,
});

/**
 * The fields of a new game that a page must know.
 * @typedef {Partial<Wire.NewGame> & Pick<Wire.NewGame, "players"> & { game: string }} Opening
 */

/**
 * Return the table of a snapshot; `now` is the browser's clock in milliseconds.
 * @param {Wire.Snapshot} snapshot
 * @param {State.You} you
 * @param {number} [now]
 * @returns {State.Table}
 */
export function fromSnapshot(snapshot, you, now = 0) {
  const { table, version, house, challenger: bot, holder, queue, road, limits, bets = [] } = snapshot;
  const { taking = true, away = false, poule = null } = snapshot;
  const { target = 5 } = snapshot.laws ?? {};
  const seats = { house, bot, holder, queue, poule, you };
  const state = { ...emptyTable(table), version, road, target, limits, taking, away, ...seats };
  if (!snapshot.game) return state;
  const opened = newGame(/** @type {Opening} */ (snapshot));
  const book = bookOf(snapshot);
  /** @type {State.Game} */
  const game = {
    ...opened,
    bets: snapshot.closed ? bets : matchedBets({ bets, gallery: opened.gallery }, book),
    book,
    seals: snapshot.seals ?? [],
    cutsOpened: snapshot.cuts_opened ?? 0,
    withheld: snapshot.withheld ?? [],
    score: snapshot.deal?.score ?? opened.score,
    phase: snapshot.deal ? "playing" : snapshot.closed ? "closed" : snapshot.locked ? "locked" : "betting",
  };
  const deal = snapshot.deal ? dealOf(snapshot.deal) : null;
  const said = deal?.phase === "answering" ? { seat: opponent(deal.dealer), action: "P", version } : null;
  return withClock({ ...state, game, deal, said }, snapshot.seconds, now);
}

/** @param {Pick<State.Table, "you" | "game">} state @returns {Wire.Seat | null} */
export function ownSeat({ you, game }) {
  const isOver = !game || ["over", "void"].includes(game.phase);
  return !isOver && isYou({ you, game }, "challenger") ? "challenger" : null;
}

/** Return whether the viewer plays or is about to, and so may not bet. @param {State.Table} state */
export const isPlaying = (state) =>
  ownSeat(state) !== null || Boolean(state.you.name && state.holder === state.you.name);

/** Return the viewer's own bets on the game. @param {Pick<State.Table, "you" | "game">} state */
export const viewerBets = ({ you, game }) =>
  (you.name && game ? game.bets : []).filter(({ player }) => player === you.name);

/** Return whether the viewer has the seat or waits for it. @param {State.Table} state */
export const isSeated = ({ you, holder, queue }) =>
  Boolean(you.name) && [holder, ...queue].includes(you.name);

/**
 * Return how much the running game holds of the viewer's chips. What is not matched is returned at the close.
 * @param {Pick<State.Table, "you" | "game">} state
 */
export function heldCents({ you, game }) {
  if (!game || ["over", "void"].includes(game.phase)) return 0;
  const units = stakedCents({ you, game });
  return units * stakeMultiplier(game.gallery) + (ownSeat({ you, game }) ? 3 * game.stake_cents : 0);
}

/**
 * Return what the viewer has bet on the game; after the close, what is matched of it.
 * @param {Pick<State.Table, "you" | "game">} state
 */
export function stakedCents({ you, game }) {
  const open = game && ["betting", "locked"].includes(game.phase);
  return viewerBets({ you, game }).reduce(
    (sum, bet) => sum + (open ? bet.unit_cents : (bet.matched_cents ?? 0)),
    0,
  );
}

/**
 * Return whether a player's stake was returned because their contribution was revealed too late.
 * @param {State.Game | null} game
 * @param {string} player
 */
export function isStakeReturned(game, player) {
  const { seals = [], withheld = [] } = game ?? {};
  return seals.some((seal) => seal.player === player && withheld.includes(seal.number));
}

/** Return a seat's points, with those that its tricks have won. @param {State.Table} state @param {Wire.Seat} seat */
export function certainPoints({ game, deal, last }, seat) {
  const points = game?.score[seat] ?? 0;
  if (!deal || deal.over || last === "points" || deal.tricks[seat] < 3) return points;
  return points + (deal.bold === opponent(seat) ? 2 : 1);
}

/** @param {State.Table} state @param {number | null | undefined} seconds @param {number} now @returns {State.Table} */
export function withClock(state, seconds, now) {
  if (seconds === undefined || seconds === null) return state;
  return { ...state, endsAt: now + 1000 * seconds, lasts: Math.max(seconds, state.lasts ?? 0) };
}

/** @param {Opening} message @returns {State.Game} */
export const newGame = (message) => ({
  id: message.game,
  commitment: message.commitment ?? "",
  players: message.players,
  bots: message.bots ?? { house: message.players.house },
  laws: { target: 5, ...message.laws },
  gallery: message.gallery ?? {},
  limits: message.limits ?? {},
  stake_cents: message.stake_cents ?? 0,
  phase: "betting",
  seals: [],
  cutsOpened: 0,
  withheld: [],
  bets: [],
  book: bookOf({ cover: message.cover }),
  score: { house: 0, challenger: 0 },
  result: null,
  settled: null,
});

/** @param {Wire.Book} book @returns {State.Totals} */
export function bookOf({ totals_cents = [0, 0], matched_cents = 0, cover = null }) {
  const [house_cents, challenger_cents] = totals_cents;
  return { house_cents, challenger_cents, matched_cents, cover };
}

/**
 * Return a deal as one viewer sees it: hidden cards are empty slots.
 * @param {Wire.Deal} message
 * @returns {State.Deal}
 */
export function dealOf(message) {
  const { number, dealer, turn, turn_up, led, tricks, actions } = message;
  /** @param {string} name @param {number} size @param {string[]} [cards] those that are known */
  const slots = (name, size, cards = []) =>
    Array.from({ length: size }, (_, n) => ({ id: `${number}-${name}-${n}`, card: cards[n] ?? null }));
  /** @param {Wire.Seat} seat */
  const hand = (seat) => {
    const cards = parseCards(message.hands[seat]);
    return slots(seat, Math.max(message.sizes[seat], cards.length), cards);
  };
  /** @param {Wire.Seat} seat */
  const pile = (seat) => slots(`${seat}-taken`, 2 * tricks[seat]).map((slot) => ({ ...slot, seat }));
  /** @type {State.Deal} */
  let deal = {
    number,
    dealer,
    turnUp: turn_up,
    stock: message.stock,
    turn,
    phase: turn_up ? "proposing" : "dealing",
    over: null,
    hands: { house: hand("house"), challenger: hand("challenger") },
    away: [],
    tricks,
    taken: { house: pile("house"), challenger: pile("challenger") },
    trick: led && turn ? [{ seat: opponent(turn), id: `${number}-led`, card: led }] : [],
  };
  const spoken = turn_up ? actions.filter((action) => !isBeforeTurnUp(action)) : actions;
  for (const action of spoken) deal = { ...deal, ...phaseAfterAction(deal, action) };
  return deal;
}

/**
 * Return the bets with the parts that are matched if the book closes now.
 * @param {Pick<State.Game, "bets" | "gallery">} game
 * @param {State.Totals} book
 * @returns {Wire.MatchedBet[]}
 */
export function matchedBets({ bets, gallery }, { cover }) {
  const covering = cover ? coverOf(bets, cover, "", Infinity) : [];
  const matched = match([...bets, ...covering], gallery.matching);
  return bets.map((bet) => ({ ...bet, matched_cents: matched.get(bet.order) }));
}
