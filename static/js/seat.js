// Being the challenger: what may be done now, as buttons and as cards that lift.
//
// What is legal, and why something is not, is told by the server; here it is only shown.

import { refusal } from "./api.js";
import { cardName } from "./cards.js";
import { byId, fill, h, show, text } from "./dom.js";
import { t, tn } from "./i18n.js";
import { cardsOf } from "./moves.js";
import { emptyTable, seatOf } from "./state.js";

/** @import { Answer } from "./messages" */
/** @import { Table, You } from "./table" */
/** @import { Mood } from "./cloth.js" */
/** @import { Piece } from "./layout.js" */

/** @type {[token: string, word: string, meaning: string][]} */
const WORDS = [
  ["P", "I propose", "Ask to exchange cards"],
  ["S", "I play", "Play at once, with these cards"],
  ["A", "How many?", "Accept: both exchange cards"],
  ["R", "Play!", "Refuse: play with these cards"],
  ["N", "A new deal, please", "A card of yours was shown"],
  ["O", "Let it stand", "Play with these cards"],
  ["V", "A revoke!", "Play the hands again"],
  ["W", "I take it back", "Take the card led out of turn back"],
];

/** The controls of the person in the challenger's seat. */
export class SeatControls {
  state = emptyTable("");
  seated = false;
  /** @type {Set<string>} */
  chosen = new Set();
  asked = "";
  place = "";
  sending = false;
  message = "";
  /** Called when the cards look otherwise than before. */
  onchange = () => {};
  /** @type {Promise<typeof import("./refusals.js")> | undefined} */
  learning;
  /** @type {typeof import("./refusals.js").said | undefined} */
  said;

  /**
   * Each of these sends a message and gives the house's answer.
   * @param {{
   *   act: (action: string) => Promise<Answer<object>>,
   *   take: () => Promise<Answer<object>>,
   *   leave: () => Promise<Answer<object>>,
   * }} messages
   */
  constructor({ act, take, leave }) {
    this.act = act;
    this.take = take;
    this.leave = leave;
    byId("pieces").addEventListener("click", (event) => this.touch(event));
    byId("pieces").addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      this.touch(event);
    });
    byId("take-seat").addEventListener("click", () => this.send(this.take));
    byId("leave-seat").addEventListener("click", () =>
      this.seated ? byId("leave-dialog", HTMLDialogElement).showModal() : this.send(this.leave),
    );
    byId("leave-yes").addEventListener("click", () => this.send(this.leave));
    byId("concede-yes").addEventListener("click", () => this.send(() => this.act("C")));
  }

  /**
   * Draw the controls, and forget what was chosen for an older question.
   * @param {Table} state
   */
  render(state) {
    this.state = state;
    this.seated = seatOf(state) === "challenger";
    const asked = state.you.legal.join();
    const place = [asked, state.game?.id, state.holder, ...state.queue].join();
    if (asked !== this.asked) this.chosen.clear();
    if (place !== this.place) this.message = "";
    if (this.seated) this.learnToSay();
    Object.assign(this, { asked, place });
    this.renderPlace(state);
    this.renderControls(state);
  }

  // Only who plays needs the sentences of refusals before the house says no.
  async learnToSay() {
    this.learning ??= import("./refusals.js");
    this.said = (await this.learning.catch(() => null))?.said;
  }

  /** @param {Table} state */
  renderPlace({ you, queue, holder, game, bot }) {
    const seated = you.name && holder === you.name;
    const waiting = queue.indexOf(you.name) + 1;
    show(byId("take-seat"), Boolean(you.name) && !seated && !waiting);
    show(byId("leave-seat"), Boolean(seated || waiting));
    text(byId("leave-seat"), seated ? t("Leave the seat") : t("Leave the queue"));
    const held = (game ? game.bots.challenger : bot && !holder) && !queue.length;
    const words = !you.name
      ? t("Enter to bet or to play against the house yourself.")
      : seated
        ? t("You challenge the house.")
        : waiting
          ? t("You are number {n} in the queue: your game comes next or soon.", { n: waiting })
          : queue.length
            ? t("In the queue: {names}.", { names: queue.slice(0, 4).join(", ") })
            : held
              ? t("A bot holds the challenger's seat until a person takes it.")
              : "";
    text(byId("seat-words"), words);
    // Who plays reads it beside his cards.
    text(byId("seat-message"), this.seated ? "" : this.message);
  }

  /** @param {Table} state */
  renderControls({ you }) {
    const box = byId("controls");
    const { legal } = you;
    show(box, this.seated && (legal.length > 0 || Boolean(this.message)));
    const kinds = legal.filter((token) => !token.startsWith("X") || token === "X");
    const exchanging = this.exchanging(legal);
    const key = JSON.stringify([legal, [...this.chosen], this.sending, this.message]);
    fill(box, key, () => [
      h("p.ask", {}, this.question(legal), h("span.turn-left", { "aria-hidden": "true" })),
      h("div.buttons", {}, ...this.buttons(kinds), ...(exchanging ? [this.exchangeButton(you)] : [])),
      h("p.refusal", { role: "alert" }, this.message),
    ]);
  }

  /** @param {string[]} legal */
  question(legal) {
    if (this.exchanging(legal)) return t("Choose the cards to discard: one to {n}.", { n: this.most(legal) });
    if (legal.includes("P")) return t("You speak first: exchange cards, or play?");
    if (legal.includes("A")) return t("The house proposes to exchange cards. Your answer?");
    if (legal.some((token) => token.length === 2)) return t("Your turn: play one of the raised cards.");
    return legal.length ? t("Your turn.") : "";
  }

  /** @param {string[]} legal */
  exchanging(legal) {
    return legal.some((token) => /^X./.test(token));
  }

  /** @param {string[]} legal */
  most(legal) {
    return Math.max(...legal.map((token) => (token.startsWith("X") ? (token.length - 1) / 2 : 0)));
  }

  /** @param {string[]} tokens */
  buttons(tokens) {
    const found = WORDS.filter(([token]) => tokens.includes(token)).map(([token, word, meaning]) =>
      this.button(token, t(word), t(meaning)),
    );
    if (tokens.includes("K"))
      found.push(this.button("K", t("The king!"), t("Announce the king of trumps: 1 point"), "gold"));
    if (tokens.includes("X")) found.push(this.button("X", t("None"), t("The stock is empty")));
    if (tokens.includes("C")) {
      found.push(
        h(
          "button.quiet",
          { type: "button", onclick: () => byId("concede-dialog", HTMLDialogElement).showModal() },
          t("Lay down the hand"),
        ),
      );
    }
    return found;
  }

  /**
   * @param {string} token
   * @param {string} word
   * @param {string} meaning
   * @param {string} [kind]
   */
  button(token, word, meaning, kind = "") {
    return h(
      `button.act${kind ? `.${kind}` : ""}`,
      {
        type: "button",
        "data-action": token,
        disabled: this.sending,
        onclick: () => this.send(() => this.act(token)),
      },
      h("b", {}, word),
      h("small", {}, meaning),
    );
  }

  /** @param {You} you */
  exchangeButton(you) {
    const cards = you.hand.filter((card) => this.chosen.has(card));
    const token = this.tokenOf(cards, you.legal);
    return h(
      "button.act.gold",
      {
        type: "button",
        disabled: !token || this.sending,
        "data-action": "X",
        onclick: () => this.send(() => this.act(token ?? "")),
      },
      h(
        "b",
        {},
        cards.length ? tn("Exchange {n} card", "Exchange {n} cards", { n: cards.length }) : t("Exchange"),
      ),
      h("small", {}, cards.length ? cards.map(cardName).join(", ") : t("no card chosen yet")),
    );
  }

  /**
   * The legal exchange of just these cards, whatever the order the server names them in.
   * @param {string[]} cards
   * @param {string[]} legal
   */
  tokenOf(cards, legal) {
    const wanted = [...cards].sort().join();
    return cards.length
      ? legal.find((token) => /^X./.test(token) && cardsOf(token.slice(1)).sort().join() === wanted)
      : undefined;
  }

  /**
   * Whether a piece on the cloth is one of the person's own cards.
   * @param {Piece} piece
   */
  can(piece) {
    return (
      this.seated &&
      piece.seat === "challenger" &&
      piece.kind === "hand" &&
      Boolean(piece.card) &&
      !this.state.deal?.over
    );
  }

  /**
   * How an own card looks: lifted, chosen, or refused with the reason.
   * @param {string} card
   * @returns {Mood}
   */
  mood(card) {
    const { legal, why } = this.state.you;
    if (this.exchanging(legal)) return { pressed: this.chosen.has(card), legal: true };
    if (legal.includes(card)) return { legal: true };
    if (!legal.some((token) => token.length === 2)) return {};
    if (!why[card]) return { dull: true };
    return { refused: this.said?.(why[card]) ?? why[card].message };
  }

  /** @param {UIEvent} event */
  touch(event) {
    const target = event.target instanceof Element ? event.target : null;
    /** @type {HTMLElement | null | undefined} */
    const element = target?.closest(".piece[role=button]");
    const card = element?.dataset.card;
    if (!card) return;
    const { legal } = this.state.you;
    if (this.exchanging(legal)) {
      if (!this.chosen.delete(card) && this.chosen.size < this.most(legal)) this.chosen.add(card);
      this.onchange();
    } else if (this.mood(card).refused || !legal.length) {
      this.message = this.mood(card).refused ?? t("It is not your turn.");
      this.onchange();
    } else {
      // Also a card that does not lift: the house says in its own words why not.
      this.send(() => this.act(card));
    }
  }

  /** @param {() => Promise<Answer<object>>} what */
  async send(what) {
    if (this.sending) return;
    this.sending = true;
    this.onchange();
    const answer = await what();
    this.sending = false;
    this.message = answer.ok ? "" : await refusal(answer);
    this.onchange();
  }
}
