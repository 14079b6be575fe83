// Every check of a finished game, one finding after the other.

import { Fault } from "./deal.js";
import { replay } from "./game.js";
import { coverOf, match } from "./matching.js";
import { settle, settlePrincipals } from "./settlement.js";
import { commitmentOf, cutOf, cutsFirst, deckOf, sealOf } from "./shuffle.js";

/**
 * A finding: true, false, or null for what this browser cannot check.
 * @typedef {{what: string, good: boolean | null, detail: string, fault?: Fault}} Finding
 * @typedef {ReturnType<typeof replay>} Replayed
 */

/** @param {unknown} a @param {unknown} b */
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** Check a game as /api/games/ID returns it. @param {Wire.FinishedGame} game @returns {Generator<Finding>} */
export function* checks(game) {
  const { record } = game;
  if (record.fairness?.server_seed) yield* fairChecks(game);
  else yield { what: "seed", good: game.winner ? false : null, detail: "" };
  let replayed = null;
  try {
    replayed = replay(record);
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    yield { what: "play", good: false, detail: fault.message, fault };
    return;
  }
  yield { what: "play", good: true, detail: `${record.deals.length}` };
  if (record.result?.winner) {
    const { result } = record;
    const { score, winner, stake } = replayed;
    const stated = [result.winner, result.stake, result.score.house, result.score.challenger];
    const good = same(stated, [winner, stake, score.house, score.challenger]);
    yield { what: "result", good, detail: `${score.house} : ${score.challenger}` };
  }
  yield* moneyChecks(game, replayed);
}

/** @param {Wire.FinishedGame} told @returns {Generator<Finding>} */
function* fairChecks({ record, seals = [], opened, betting_closed: closed }) {
  const { server_seed = "", commitment, cut, cuts, withheld, chain, number } = record.fairness;
  const sealed = commitmentOf(server_seed);
  const published = opened?.commitment ?? commitment;
  yield { what: "commitment", good: sealed === commitment && sealed === published, detail: sealed };
  if (opened) {
    const good = opened.chain === chain && opened.number === number;
    yield { what: "chain", good, detail: `${chain}.${number}` };
  }
  if (closed) {
    // Every revealed contribution fits its commitment, and none is left out.
    const sent = closed.opened.map((number) => seals[number - 1]);
    const shut = closed.withheld.map((number) => seals[number - 1]?.player);
    const fit = cuts.every(
      ([player, text], at) =>
        sent[at]?.player === player && sent[at].seal === sealOf(record.game, player, text),
    );
    const whole = sent.length === cuts.length && sent.length + shut.length === seals.length;
    const good = whole && fit && same(shut, withheld);
    yield { what: "seals", good, detail: `${seals.length}` };
  }
  const made = cutOf(cuts.map(([, text]) => text));
  yield { what: "cut", good: made === cut, detail: `${cuts.length}` };
  const law = record.laws.first_dealer ?? "cut";
  if (law === "cut" && record.laws.deal !== "house") {
    const first = cutsFirst(server_seed, record.game, cut);
    yield { what: "first dealer", good: first === record.first_dealer, detail: first };
  }
  for (const [at, deal] of record.deals.entries()) {
    const deck = deckOf(server_seed, record.game, cut, at + 1);
    yield { what: "deck", good: deck === deal.deck, detail: `${at + 1}` };
  }
}

/** @param {Wire.FinishedGame} game @param {Replayed} found @returns {Generator<Finding>} */
function* moneyChecks(game, { winner, stake }) {
  const { record, terms, bets, book_locked: locked, betting_closed: closed, settled } = game;
  if (!closed || !terms || !locked) return;
  const { gallery } = terms;
  const { withheld } = record.fairness;
  const staying = bets.filter((bet) => !withheld.includes(bet.player));
  const cover = coverOf(staying, locked.cover, record.players.challenger, bets.length + 1);
  const kept = match([...staying, ...cover], gallery.matching);
  const stands = [...bets, ...cover].map((bet) => ({ ...bet, matched_cents: kept.get(bet.order) ?? 0 }));
  const rows = stands.map((bet) => [bet.order, bet.player, bet.side, bet.unit_cents, bet.matched_cents]);
  const onHouse = stands.filter(({ side }) => side === "house");
  const matched = onHouse.reduce((sum, { matched_cents }) => sum + matched_cents, 0);
  const isMatched =
    matched === closed.matched_cents && (!closed.stands || same(rows, byOrder(closed.stands)));
  yield { what: "matching", good: isMatched, detail: `${rows.length}` };
  if (!winner || !stake) return;
  const paid = settle(stands, gallery, winner, stake);
  const staked = withheld.includes(record.players.challenger) ? 0 : terms.stake_cents;
  const stakes = settlePrincipals(record.players, staked, gallery, winner, stake);
  if (settled) {
    const good = same(paid, byOrder(settled.bets)) && same(stakes, settled.principals);
    yield { what: "settlement", good, detail: `${paid.length}` };
  }
  yield { what: "balance", good: isPaid([...paid, ...stakes], game.paid), detail: "" };
}

/** @template {[number, ...unknown[]]} T @param {T[]} rows */
const byOrder = (rows) => [...rows].sort((a, b) => a[0] - b[0]);

// Return whether the entries moved exactly what is due on every account.
/** @param {Wire.Settlement["bets"]} rows @param {Wire.FinishedGame["paid"]} paid */
function isPaid(rows, paid) {
  /** @type {Record<string, number>} */
  const due = { "house/commission": 0 };
  for (const [, player, , , , gain, fee] of rows) {
    const purse = player === "house" ? "house/bank" : `wallet/${player}`;
    due[purse] = (due[purse] ?? 0) + gain - fee;
    due["house/commission"] += fee;
  }
  const accounts = new Set([...Object.keys(due), ...Object.keys(paid)]);
  return [...accounts].every((account) => (due[account] ?? 0) === (paid[account] ?? 0));
}
