// A whole game from its record: deals, dealers, score, winner, stake.

import { act, dealHands, Fault, turnUp } from "./deal.js";
import { stakesOf } from "./settlement.js";
import { isBeforeTurnUp, opponent, SEATS } from "./tokens.js";

/** @import { Deal } from "./deal.js" */

/** @type {Required<Wire.Laws>} */
const LAWS = {
  target: 5,
  play: "strict",
  vole_unexchanged: 1,
  packets: [3, 2],
  deal: "alternate",
  first_dealer: "cut",
  enforcement: "strict",
};

/** Replay a record; throw a Fault with its place. @param {Wire.GameRecord} record */
export function replay(record) {
  const laws = { ...LAWS, ...record.laws };
  let dealer = record.first_dealer;
  const first = laws.deal === "house" ? "house" : laws.first_dealer;
  const isFixed = first === "house" || first === "challenger";
  if (isFixed && dealer !== first) throw new Fault("the wrong player deals first");
  let score = { house: 0, challenger: 0 };
  const deals = record.deals.map((entry, at) => {
    const number = at + 1;
    if (Object.values(score).includes(laws.target)) throw new Fault("the game was over before", number);
    if (entry.dealer !== dealer) throw new Fault("the wrong player deals", number);
    const deal = dealHands(entry.deck, dealer, laws, score);
    play(deal, entry.actions, number);
    const finished = deal.phase === "over" || deal.phase === "annulled";
    if (!finished && number < record.deals.length) throw new Fault("the deal is unfinished", number);
    if (deal.phase === "over" && laws.deal !== "house") dealer = opponent(dealer);
    const points = {
      house: deal.score.house - score.house,
      challenger: deal.score.challenger - score.challenger,
    };
    score = { ...deal.score };
    return { points, tricks: deal.tricks };
  });
  const winner = (record.deals.length && SEATS.find((seat) => score[seat] === laws.target)) || null;
  return { deals, score, winner, stake: winner && stakesOf(score[opponent(winner)]) };
}

/** @param {Deal} deal @param {string} actions @param {number} number */
function play(deal, actions, number) {
  const tokens = actions ? actions.split(" ") : [];
  tokens.forEach((token, at) => {
    try {
      if (deal.phase === "dealing" && !isBeforeTurnUp(token)) turnUp(deal);
      act(deal, token);
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
      throw new Fault(fault.message, number, `${at + 1} (${token})`);
    }
  });
  if (deal.phase === "dealing") turnUp(deal);
}
