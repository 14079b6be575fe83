// One deal by the rules, stated a second time on purpose: the verifier shares no code with the casino.
//
// `act` changes the deal and throws a Fault where a token breaks the rules.

import { isCard, isHigher, opponent, SEATS } from "./tokens.js";

/**
 * A deal. `turn` is the seat that acts, or acted last; `kept` are the hands at the beginning of play, `vulnerable`
 * the seat that pays double, `won` the points of the deal, `ledOut` whether the card was led out of turn, `revoked`
 * and `offended` who did so in the current play and in a claimed one.
 * @typedef {{
 *   laws: Required<Wire.Laws>, dealer: Wire.Seat, elder: Wire.Seat, hands: Wire.BySeat<string[]>, turnUp: string,
 *   stock: string[], score: Wire.Score, phase: string, turn: Wire.Seat, exchanged?: boolean,
 *   vulnerable?: Wire.Seat, marked?: Wire.Seat, kept: Wire.BySeat<string[]>, led: string,
 *   tricks: Wire.Score, won?: Wire.Score | null, exposed: string[], ledOut?: boolean,
 *   revoked: Partial<Wire.BySeat<boolean>>, offended: Partial<Wire.BySeat<boolean>>,
 * }} Deal
 */

/** @param {string} card */
const suit = (card) => card[1];

/** A broken rule, with the deal and token where it happened. */
export class Fault extends Error {
  /** @param {string} words @param {number | null} [deal] @param {string | null} [said] */
  constructor(words, deal = null, said = null) {
    super(words);
    this.deal = deal;
    this.said = said;
  }
}

/** @template T @param {T | null | undefined} value @param {string} words @returns {T} */
function need(value, words) {
  if (!value) throw new Fault(words);
  return value;
}

/**
 * Return a deal with its hands dealt, before the turn-up.
 * @param {string} deck
 * @param {Wire.Seat} dealer
 * @param {Required<Wire.Laws>} laws
 * @param {Wire.Score} score
 * @returns {Deal}
 */
export function dealHands(deck, dealer, laws, score) {
  /** @type {string[]} */
  const cards = deck.match(/../g) ?? [];
  const isPack = deck.length === 64 && cards.every(isCard) && new Set(cards).size === 32;
  need(isPack, "these are not the 32 cards of a pack");
  const elder = opponent(dealer);
  /** @type {Wire.BySeat<string[]>} */
  const hands = { house: [], challenger: [] };
  for (const size of laws.packets) {
    for (const seat of [elder, dealer]) hands[seat].push(...cards.splice(0, size));
  }
  const [turnUp, ...stock] = cards;
  return {
    laws,
    dealer,
    elder,
    hands,
    turnUp,
    stock,
    score: { ...score },
    phase: "dealing",
    turn: dealer,
    kept: hands,
    led: "",
    tricks: { house: 0, challenger: 0 },
    exposed: [],
    revoked: {},
    offended: {},
  };
}

/** Turn the eleventh card; a king scores for the dealer. @param {Deal} deal */
export function turnUp(deal) {
  need(deal.phase === "dealing", "the turn-up is not due");
  if (deal.turnUp[0] === "K") score(deal, deal.dealer, 1);
  Object.assign(deal, gameOver(deal) ? { phase: "over" } : { phase: "proposing", turn: deal.elder });
}

/** @param {Deal} deal */
const gameOver = (deal) => Object.values(deal.score).includes(deal.laws.target);

/** @param {Deal} deal @param {Wire.Seat} seat @param {number} points */
function score(deal, seat, points) {
  const before = deal.score[seat];
  deal.score[seat] = Math.min(deal.laws.target, before + points);
  return deal.score[seat] - before;
}

/** @param {Deal} deal @param {string} token */
export function act(deal, token) {
  need(!(deal.phase === "over" && gameOver(deal)), "the game is over");
  if (isCard(token)) return card(deal, token);
  const word = need(WORDS[token] ?? LONG[token[0]], "no such action");
  word(deal, token);
}

/** @type {Record<string, (deal: Deal, token: string) => void>} */
const WORDS = {
  P(deal) {
    need(deal.phase === "proposing", "no one may propose now");
    Object.assign(deal, { phase: "answering", turn: deal.dealer });
  },
  S(deal) {
    need(deal.phase === "proposing", "no one may stand now");
    beginPlay(deal, deal.elder);
  },
  A(deal) {
    need(deal.phase === "answering", "there is no proposal");
    Object.assign(deal, { phase: "elder_exchange", turn: deal.elder });
  },
  R(deal) {
    need(deal.phase === "answering", "there is no proposal");
    beginPlay(deal, deal.dealer);
  },
  K(deal) {
    const king = `K${suit(deal.turnUp)}`;
    const offended = deal.offended.house || deal.offended.challenger;
    need(playing(deal) && !deal.marked && !offended, "the king cannot be announced now");
    const { turn } = deal;
    need(deal.hands[turn].length === deal.kept[turn].length, "the king cannot be announced now");
    need(deal.hands[turn].includes(king), "the king of trumps is not held");
    deal.marked = turn;
    score(deal, turn, 1);
    if (gameOver(deal)) deal.phase = "over";
  },
  C(deal) {
    need(playing(deal), "there is nothing to concede");
    deal.tricks[opponent(deal.turn)] += size(deal) - deal.tricks.house - deal.tricks.challenger;
    deal.ledOut = false;
    finish(deal);
  },
  N(deal) {
    need(deal.phase === "exposed", "no card was shown by accident");
    deal.phase = "annulled";
  },
  O(deal) {
    need(deal.phase === "exposed", "no card was shown by accident");
    Object.assign(deal, { phase: "dealing", turn: deal.dealer });
  },
  W(deal) {
    need(playing(deal) && deal.ledOut, "no card led out of turn lies on the table");
    deal.hands[opponent(deal.turn)].push(deal.led);
    Object.assign(deal, { phase: "leading", ledOut: false });
  },
  V(deal) {
    need(deal.revoked.house || deal.revoked.challenger, "no card broke the rules");
    for (const seat of SEATS) {
      deal.score[seat] -= deal.won?.[seat] ?? 0;
      if (deal.revoked[seat]) deal.offended[seat] = true;
      deal.hands[seat] = [...deal.kept[seat]];
    }
    Object.assign(deal, { phase: "leading", turn: deal.elder, ledOut: false });
    Object.assign(deal, { won: null, revoked: {}, tricks: { house: 0, challenger: 0 } });
  },
};

/** @type {Record<string, (deal: Deal, token: string) => void>} */
const LONG = {
  X: exchange,
  E(deal, token) {
    const shown = token.slice(1);
    need(isCard(shown), "no such card");
    need(deal.phase === "dealing" || deal.phase === "exposed", "a card exposed comes before all else");
    need(!deal.exposed.includes(shown), "the card is exposed already");
    const owner = SEATS.find((seat) => deal.hands[seat].includes(shown));
    need(owner, "the card was dealt to no one");
    deal.exposed.push(shown);
    if (owner === deal.elder) Object.assign(deal, { phase: "exposed", turn: deal.elder });
  },
  L(deal, token) {
    const led = token.slice(1);
    need(isCard(led), "no such card");
    const canLead = deal.laws.enforcement === "claims" && deal.phase === "leading";
    need(canLead, "no lead out of turn can be made now");
    take(deal, opponent(deal.turn), led);
    Object.assign(deal, { phase: "following", led, ledOut: true });
  },
};

/** @param {Deal} deal */
const playing = (deal) => deal.phase === "leading" || deal.phase === "following";
/** @param {Deal} deal */
const size = (deal) => deal.laws.packets[0] + deal.laws.packets[1];

// A player who stands or refuses before any exchange is vulnerable.
/** @param {Deal} deal @param {Wire.Seat | null} speaker */
function beginPlay(deal, speaker) {
  if (speaker && !deal.exchanged) deal.vulnerable = speaker;
  const kept = { house: [...deal.hands.house], challenger: [...deal.hands.challenger] };
  Object.assign(deal, { phase: "leading", turn: deal.elder, kept });
}

/** @param {Deal} deal @param {string} token */
function exchange(deal, token) {
  need(deal.phase.endsWith("_exchange"), "nothing can be exchanged now");
  const cards = token.slice(1).match(/../g) ?? [];
  need(token.length % 2 === 1 && cards.every(isCard), "no such cards");
  need(new Set(cards).size === cards.length, "a card appears twice");
  need(cards.length <= deal.stock.length, "the stock has too few cards");
  need(cards.length > 0 || deal.stock.length === 0, "at least one card must go");
  for (const one of cards) take(deal, deal.turn, one);
  deal.hands[deal.turn].push(...deal.stock.splice(0, cards.length));
  if (cards.length) deal.exchanged = true;
  if (deal.phase === "elder_exchange") Object.assign(deal, { phase: "dealer_exchange", turn: deal.dealer });
  else if (deal.stock.length) Object.assign(deal, { phase: "proposing", turn: deal.elder });
  else beginPlay(deal, null);
}

/** @param {Deal} deal @param {Wire.Seat} seat @param {string} one */
function take(deal, seat, one) {
  const at = deal.hands[seat].indexOf(one);
  need(at >= 0, "the card is not held");
  deal.hands[seat].splice(at, 1);
}

/** @param {Deal} deal @param {string} token */
function card(deal, token) {
  need(playing(deal), "no card is due");
  const { turn: seat, led } = deal;
  if (deal.phase === "leading") {
    take(deal, seat, token);
    return void Object.assign(deal, { phase: "following", turn: opponent(seat), led: token });
  }
  need(deal.hands[seat].includes(token), "the card is not held");
  if (!answers(deal.hands[seat], led, suit(deal.turnUp), deal.laws.play).includes(token)) {
    need(deal.laws.enforcement === "claims", "the card does not follow, win or trump as it must");
    deal.revoked[seat] = true;
  }
  take(deal, seat, token);
  const wins = suit(token) === suit(led) ? isHigher(token, led) : suit(token) === suit(deal.turnUp);
  const taker = wins ? seat : opponent(seat);
  deal.tricks[taker] += 1;
  Object.assign(deal, { phase: "leading", turn: taker, ledOut: false });
  if (!deal.hands[seat].length) finish(deal);
}

/**
 * Return the cards of a hand that may answer the card led.
 * @param {string[]} hand
 * @param {string} led
 * @param {string} trumps
 * @param {Wire.Laws["play"]} play
 */
export function answers(hand, led, trumps, play) {
  const follow = hand.filter((one) => suit(one) === suit(led));
  if (play === "ordinary") return follow.length ? follow : hand;
  const better = follow.filter((one) => isHigher(one, led));
  if (follow.length) return better.length ? better : follow;
  const ruffs = hand.filter((one) => suit(one) === trumps);
  return ruffs.length ? ruffs : hand;
}

/** @param {Deal} deal */
function finish(deal) {
  const taker = deal.tricks.house > deal.tricks.challenger ? "house" : "challenger";
  const all = deal.tricks[taker] === size(deal);
  let points = all ? (deal.exchanged ? 2 : deal.laws.vole_unexchanged) : 1;
  if (deal.vulnerable === opponent(taker)) points = 2;
  if (deal.offended[taker]) points -= 1;
  deal.won = { house: 0, challenger: 0, [taker]: score(deal, taker, points) };
  deal.phase = "over";
}
