// A finished game as states of the table, one for each step, both hands open. Pure.

import { isCard } from "./verify/deal.js";
import { replay } from "./verify/game.js";

const other = (seat) => (seat === "house" ? "challenger" : "house");
const SUITS = "SHDC";
const RANKS = "KQJAT987";

/** Every step of a record: {number, event, state}, where the event is what the step shows; `bots` by seat. */
export function steps(record, bots = null) {
  const found = [];
  let run = null;
  const watch = (number, token, deal) => {
    if (!run || run.number !== number) run = beginning(record, bots, number, deal);
    found.push(...step(run, token, structuredClone(deal)));
  };
  replay(record, watch);
  return found.map((one, at) => ({ ...one, state: { ...one.state, version: at + 1 } }));
}

function beginning(record, bots, number, deal) {
  return {
    record,
    bots,
    number,
    before: null,
    taken: { house: [], challenger: [] },
    away: [],
    began: { ...deal.score },
  };
}

function step(run, token, deal) {
  const { before, number } = run;
  run.before = deal;
  if (token === null) {
    const event = deal.shown
      ? { type: "turned_up", card: deal.turnUp }
      : { type: "dealt", deal: { number, dealer: deal.dealer } };
    return [shown(run, deal, event, [])];
  }
  const seat = speaker(before, token);
  const event = { type: "action", seat, action: token };
  if (token.startsWith("X"))
    run.away.push(...(token.slice(1).match(/../g) ?? []).map((card) => ({ card, seat })));
  if (token === "V") run.taken = { house: [], challenger: [] };
  const on = deal.led ? [{ seat: other(deal.turn), card: deal.led }] : [];
  if (!isCard(token) || !before.led) return [shown(run, deal, event, on)];
  const trick = [
    { seat: other(seat), card: before.led },
    { seat, card: token },
  ];
  const taker = deal.tricks.house > before.tricks.house ? "house" : "challenger";
  const lying = shown(
    run,
    { ...deal, tricks: before.tricks, score: before.score, phase: "following" },
    event,
    trick,
  );
  run.taken[taker] = [...run.taken[taker], ...trick];
  return [lying, shown(run, deal, { type: "trick", taker, tricks: deal.tricks }, [])];
}

function speaker(deal, token) {
  if (token.startsWith("E")) return deal.dealer;
  if (token.startsWith("L") || token === "W") return other(deal.turn);
  if (token === "V") return deal.revoked.house ? "challenger" : "house";
  return deal.turn;
}

function shown(run, deal, event, trick) {
  const { record, bots, number } = run;
  const slot = (one) => ({ ...one, id: `${number}-${one.card}` });
  const hand = (seat) => sorted(deal.hands[seat], deal.turnUp[1]).map((card) => slot({ card }));
  const game = {
    id: record.game,
    players: record.players ?? { house: "house", challenger: "challenger" },
    bots,
    laws: record.laws,
    phase: "playing",
    score: deal.score,
    result: null,
    bets: [],
  };
  const table = {
    number,
    dealer: deal.dealer,
    began: run.began,
    turnUp: deal.shown ? deal.turnUp : null,
    stock: deal.stock.length,
    hands: { house: hand("house"), challenger: hand("challenger") },
    trick: trick.map(slot),
    taken: { house: run.taken.house.map(slot), challenger: run.taken.challenger.map(slot) },
    away: run.away.map(slot),
    tricks: deal.tricks,
    turn: deal.turn,
    phase: deal.phase,
    exchanged: run.away.length > 0,
    over: deal.phase === "over" || deal.phase === "annulled" ? {} : null,
  };
  const said = event.type === "action" ? { seat: event.seat, action: event.action, version: number } : null;
  return { number, event, state: { game, deal: table, said, you: { name: "", legal: [] } } };
}

function sorted(cards, trumps) {
  const suits = trumps + SUITS.replace(trumps, "");
  return [...cards].sort(
    (a, b) => suits.indexOf(a[1]) - suits.indexOf(b[1]) || RANKS.indexOf(a[0]) - RANKS.indexOf(b[0]),
  );
}
