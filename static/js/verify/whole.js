// Everything that can be checked of a finished game, one finding after the other.

import { canHash } from "./bytes.js";
import { Fault } from "./deal.js";
import { replay } from "./game.js";
import { coverOf, match } from "./matching.js";
import { settle, settlePrincipals } from "./settling.js";
import { commitmentOf, cutOf, cutsFirst, deckOf } from "./shuffle.js";

/**
 * What was found: true or false, or null for what this browser cannot check.
 * @typedef {{what: string, good: boolean | null, detail: string, fault?: Fault}} Finding
 * @typedef {ReturnType<typeof replay>} Replayed
 */
/** @import { FinishedGame, Rec } from "../messages" */

/**
 * @param {unknown} a
 * @param {unknown} b
 */
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/**
 * Check a game as /api/games/ID tells it; yields {what, good, detail} in order.
 * @param {FinishedGame} told
 * @returns {AsyncGenerator<Finding>}
 */
export async function* checks(told) {
  const { record } = told;
  if (canHash()) yield* fairChecks(told);
  else yield { what: "hashes", good: null, detail: "" };
  let found = null;
  try {
    found = replay(record);
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    yield { what: "play", good: false, detail: fault.message, fault };
    return;
  }
  yield { what: "play", good: true, detail: `${record.deals.length}` };
  if (told.winner) yield resultCheck(record, found);
  yield* moneyChecks(told, found);
}

/**
 * @param {FinishedGame} told
 * @returns {AsyncGenerator<Finding>}
 */
async function* fairChecks({ record, cuts = [], opened }) {
  const { server_seed, commitment, cut } = record.fairness;
  const sealed = await commitmentOf(server_seed);
  const published = opened?.commitment ?? commitment;
  yield { what: "commitment", good: sealed === commitment && sealed === published, detail: sealed };
  const made = await cutOf(cuts.map(({ text }) => text));
  yield { what: "cut", good: made === cut, detail: `${cuts.length}` };
  const law = record.laws.first_dealer ?? "cut";
  if (law === "cut" && record.laws.deal !== "house" && record.deals.length) {
    const first = await cutsFirst(server_seed, record.game, cut);
    yield { what: "first dealer", good: first === record.first_dealer, detail: first };
  }
  for (const [at, deal] of record.deals.entries()) {
    const deck = await deckOf(server_seed, record.game, cut, at + 1);
    yield { what: "deck", good: deck === deal.deck, detail: `${at + 1}` };
  }
}

/**
 * @param {Rec} record
 * @param {Replayed} found
 * @returns {Finding}
 */
function resultCheck({ result }, { score, winner, stake }) {
  const good =
    result.winner === winner &&
    result.stake === stake &&
    result.score.house === score.house &&
    result.score.challenger === score.challenger;
  return { what: "result", good, detail: `${score.house} : ${score.challenger}` };
}

/**
 * @param {FinishedGame} told
 * @param {Replayed} found
 * @returns {Generator<Finding>}
 */
function* moneyChecks({ record, opened, bets, betting_closed: closed, settled }, { winner, stake }) {
  if (!closed || !opened) return;
  const { gallery } = opened;
  const { players } = record;
  const cover = coverOf(bets, closed.cover, players.challenger);
  const entered = cover ? [...bets, cover] : bets;
  const kept = match(entered, gallery.matching);
  const stands = entered.map((bet) => ({ ...bet, matched_cents: kept.get(bet.order) ?? 0 }));
  const rows = stands.map((bet) => [bet.order, bet.player, bet.side, bet.unit_cents, bet.matched_cents]);
  const listed = [...closed.stands].sort((a, b) => a[0] - b[0]);
  yield { what: "matching", good: same(rows, listed), detail: `${rows.length}` };
  if (!settled || !winner || !stake) return;
  const paid = settle(stands, gallery, winner, stake);
  const stakes = settlePrincipals(players, opened.stake_cents, gallery, winner, stake);
  const good =
    same(
      paid,
      [...settled.bets].sort((a, b) => a[0] - b[0]),
    ) && same(stakes, settled.principals);
  yield { what: "settlement", good, detail: `${paid.length}` };
  const sum = [...paid, ...stakes].reduce((total, one) => total + one[5], 0);
  yield { what: "balance", good: sum === 0, detail: "" };
}
