// The games of a log, put together from its lines as /api/games/ID would show them.

import { hex, unhex, utf8 } from "./bytes.js";
import { hmac } from "./sha256.js";
import { deckOf } from "./shuffle.js";
import { checks } from "./verify_game.js";

/** @typedef {Record<string, any>} Leaf the decoded line of a log */
/** @import { Finding } from "./verify_game.js" */

/** A game that is under way: what its lines have said. */
export class LoggedGame {
  /** @param {Leaf} opened @param {Leaf} terms */
  constructor(opened, terms) {
    this.opened = opened;
    this.terms = terms;
    /** @type {Leaf[]} */
    this.bets = [];
    /** @type {Leaf[]} */
    this.seals = [];
    /** @type {Map<number, string>} */
    this.texts = new Map();
    /** @type {{number: number, dealer: Leaf["dealer"], tokens: string[], turnUp?: string}[]} */
    this.deals = [];
    /** @type {{deal: number, number: number, action: string, seal: string}[]} */
    this.exchanges = [];
    /** @type {Record<string, number>} */
    this.paid = {};
    /** @type {Record<string, Leaf>} */
    this.by = {};
    this.isBookSound = true;
  }

  /** @param {Leaf} leaf */
  add(leaf) {
    const { type } = leaf;
    const deal = this.deals.at(-1);
    if ((type === "bet" || type === "cut") && leaf.seal) this.seals.push(leaf);
    if (type === "bet") {
      if (this.by.book_locked || leaf.order !== this.bets.length + 1) this.isBookSound = false;
      this.bets.push(leaf);
    } else if (type === "cut_opened") this.texts.set(leaf.number, leaf.text);
    else if (type === "dealt") this.deals.push({ number: leaf.deal, dealer: leaf.dealer, tokens: [] });
    else if (type === "turned_up" && deal) deal.turnUp = leaf.card;
    else if (type === "action" && deal) {
      const number = deal.tokens.push(leaf.action);
      if (leaf.seal)
        this.exchanges.push({ deal: this.deals.length, number, action: leaf.action, seal: leaf.seal });
    } else if (type === "entry") {
      for (const [account, cents] of leaf.postings) this.paid[account] = (this.paid[account] ?? 0) + cents;
    } else this.by[type] = leaf;
  }

  /** Check the finished game. @returns {Generator<Finding>} */
  *check() {
    const { book_locked: locked, game_over: over, game_void: nullified } = this.by;
    const counted = !locked || (locked.bets === this.bets.length && locked.seals === this.seals.length);
    yield { what: "book", good: this.isBookSound && counted, detail: `${this.bets.length}` };
    if (nullified) {
      yield { what: "balance", good: Object.values(this.paid).every((cents) => cents === 0), detail: "" };
      return;
    }
    const { game, server_seed, exchanges = [] } = over;
    // The exchanges revealed at the end are those that were made.
    const made = this.exchanges.filter(({ deal, number, action, seal }, at) => {
      const token = `X${exchanges[at]}`;
      const sealed = hmac(unhex(server_seed), utf8(`${game}|exchange|${deal}|${number}|${token}`));
      return hex(sealed) === seal && token.length === action.length;
    });
    const n = this.exchanges.length;
    yield { what: "exchanges", good: made.length === n && n === exchanges.length, detail: `${n}` };
    const { cut } = this.by.betting_closed;
    const decks = this.deals.map((_, at) => deckOf(server_seed, game, cut, at + 1));
    const good = this.deals.every(
      ({ number, turnUp }, at) =>
        number === at + 1 && (turnUp === undefined || decks[at].slice(20, 22) === turnUp),
    );
    yield { what: "turn-up", good, detail: `${decks.length}` };
    yield* checks(this.finished(over, decks));
  }

  /** @param {Leaf} over @param {string[]} decks @returns {Parameters<typeof checks>[0]} */
  finished({ game, winner, stake, score, server_seed, exchanges = [] }, decks) {
    const { opened, terms, seals, texts, bets, paid } = this;
    const { book_locked, betting_closed: closed } = this.by;
    const cards = exchanges.values();
    const deals = this.deals.map(({ dealer, tokens }, at) => ({
      dealer,
      deck: decks[at],
      actions: tokens.map((token) => (token[0] === "X" ? `X${cards.next().value}` : token)).join(" "),
    }));
    const numbers = [...texts.keys()].sort((a, b) => a - b);
    /** @type {[string, string][]} */
    const cuts = numbers.map((number) => [seals[number - 1].player, texts.get(number) ?? ""]);
    const withheld = seals.filter((_, at) => !texts.has(at + 1)).map(({ player }) => player);
    const { commitment, chain, number, players } = opened;
    return /** @type {any} */ ({
      winner,
      record: {
        game,
        players,
        laws: terms.laws,
        first_dealer: closed.first_dealer,
        deals,
        result: { winner, stake, score },
        fairness: { server_seed, commitment, chain, number, cut: closed.cut, cuts, withheld },
      },
      opened,
      terms,
      seals,
      bets,
      book_locked,
      betting_closed: { withheld: [], ...closed, opened: numbers },
      paid,
    });
  }
}
