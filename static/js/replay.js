// A finished game as states of the table, one for each step, both hands open. Pure.

import { cardsOf, isCard } from "./moves.js";
import { opponent, SEATS } from "./seats.js";
import { emptyTable, fromSnapshot, nobody } from "./state.js";

/** @import { BySeat, Event, Rec, Score, Seat } from "./messages" */
/** @import { Deal, Game, Played, Table } from "./table" */

/**
 * A deal of a record as it stands after a step; whoever replays the record says so.
 * @typedef {{
 *   dealer: Seat, turn: Seat | null, turnUp: string, shown: boolean, stock: string[], phase: string,
 *   hands: BySeat<string[]>, led: string | null, tricks: Score, score: Score,
 *   revoked: Partial<BySeat<boolean>>,
 * }} Position
 *
 * Replays a record, and tells each step as the number of the deal, the token or null, and the deal.
 * @typedef {(number: number, token: string | null, deal: Position) => void} Watch
 * @typedef {(record: Rec, watch: Watch) => void} Replay
 *
 * A step: the deal's number, what it shows, and the table after it.
 * @typedef {{number: number, event: Event, state: Table & {game: Game, deal: Deal}}} Step
 *
 * @typedef {{seat: Seat, card: string}} Card
 * @typedef {{
 *   game: Game, number: number, before: Position, taken: BySeat<Card[]>, away: Card[], began: Score,
 * }} Course
 */

const SUITS = "SHDC";
const RANKS = "KQJAT987";

/**
 * Every step of a record.
 * @param {Rec} record
 * @param {Replay} replay
 * @param {Partial<BySeat<string>>} [bots] the bots by seat
 */
export function steps(record, replay, bots) {
  const { game: id, laws, players = { house: "house", challenger: "challenger" } } = record;
  const snapshot = { table: "", version: 0, game: id, laws, players, bots, commitment: "" };
  const { game } = fromSnapshot(snapshot, nobody());
  /** @type {Step[]} */
  const found = [];
  /** @type {Course | null} */
  let course = null;
  replay(record, (number, token, deal) => {
    const now = structuredClone(deal);
    if (game && course?.number !== number) course = beginning(game, number, now);
    if (course) found.push(...stepsOf(course, token, now, found.length + 1));
  });
  return found;
}

/**
 * @param {Game} game
 * @param {number} number
 * @param {Position} deal
 * @returns {Course}
 */
function beginning(game, number, deal) {
  return { game, number, before: deal, taken: { house: [], challenger: [] }, away: [], began: deal.score };
}

/**
 * What one token shows: one step, or two where it completes a trick.
 * @param {Course} course
 * @param {string | null} token
 * @param {Position} deal
 * @param {number} version
 * @returns {Step[]}
 */
function stepsOf(course, token, deal, version) {
  const { before, number } = course;
  const about = { table: "", version };
  course.before = deal;
  if (token === null) {
    const { dealer, turnUp: card } = deal;
    if (deal.shown) return [shown(course, deal, { ...about, type: "turned_up", card }, [])];
    return [shown(course, deal, { ...about, type: "dealt", deal: { number, dealer } }, [])];
  }
  const seat = speaker(before, token);
  /** @type {Event} */
  const event = { ...about, type: "action", seat, action: token };
  if (token.startsWith("X")) course.away.push(...cardsOf(token.slice(1)).map((card) => ({ card, seat })));
  if (token === "V") course.taken = { house: [], challenger: [] };
  const lying = deal.led && deal.turn ? [{ seat: opponent(deal.turn), card: deal.led }] : [];
  if (!isCard(token) || !before.led) return [shown(course, deal, event, lying)];
  const trick = [
    { seat: opponent(seat), card: before.led },
    { seat, card: token },
  ];
  const { tricks } = deal;
  const full = { ...deal, tricks: before.tricks, score: before.score, phase: "following" };
  const taker = tricks.house > before.tricks.house ? "house" : "challenger";
  const complete = shown(course, full, event, trick);
  course.taken[taker] = [...course.taken[taker], ...trick];
  return [
    complete,
    shown(course, deal, { table: "", version: version + 1, type: "trick", taker, tricks }, []),
  ];
}

/**
 * Who said a token.
 * @param {Position} deal
 * @param {string} token
 * @returns {Seat}
 */
function speaker({ dealer, turn, revoked }, token) {
  if (token.startsWith("E")) return dealer;
  if (token === "V") return revoked.house ? "challenger" : "house";
  const due = turn ?? dealer;
  return token.startsWith("L") || token === "W" ? opponent(due) : due;
}

/**
 * A step, with the table as it looks after it.
 * @param {Course} course
 * @param {Position} deal
 * @param {Event} event
 * @param {Card[]} trick
 * @returns {Step}
 */
function shown({ game, number, taken, away, began }, deal, event, trick) {
  /**
   * @param {Card} card
   * @returns {Played}
   */
  const slot = (card) => ({ ...card, id: `${number}-${card.card}` });
  const [house, challenger] = SEATS.map((seat) =>
    sorted(deal.hands[seat], deal.turnUp[1]).map((card) => slot({ card, seat })),
  );
  const table = {
    number,
    dealer: deal.dealer,
    began,
    turnUp: deal.shown ? deal.turnUp : null,
    stock: deal.stock.length,
    hands: { house, challenger },
    trick: trick.map(slot),
    taken: { house: taken.house.map(slot), challenger: taken.challenger.map(slot) },
    away: away.map(slot),
    drawn: away.length,
    tricks: deal.tricks,
    turn: deal.turn,
    phase: deal.phase,
    exchanged: away.length > 0,
    over: deal.phase === "over" || deal.phase === "annulled" ? {} : null,
  };
  const { version, type } = event;
  const said = type === "action" ? { seat: event.seat, action: event.action, version } : null;
  const running = { ...game, phase: /** @type {const} */ ("playing"), score: deal.score };
  return {
    number,
    event,
    state: { ...emptyTable(""), version, last: type, game: running, deal: table, said },
  };
}

/**
 * @param {string[]} cards
 * @param {string} trumps
 */
function sorted(cards, trumps) {
  const suits = trumps + SUITS.replace(trumps, "");
  return [...cards].sort(
    (a, b) => suits.indexOf(a[1]) - suits.indexOf(b[1]) || RANKS.indexOf(a[0]) - RANKS.indexOf(b[0]),
  );
}
