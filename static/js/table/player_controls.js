// The player's controls: buttons, and cards that lift. Loaded for players only.
//
// The server decides what is legal and why something is not.

import { all, byId, fill, h, onShortcut, show, text } from "../common/dom.js";
import { cardName, cardSign } from "../felt/cards.js";
import { emptyTable } from "../state/table_state.js";
import { isCard, parseCards } from "../state/tokens.js";
import { errorText } from "../text/error_text.js";
import { spokenWords } from "../text/event_text.js";
import { language, loadTexts, t, tn } from "../text/i18n.js";
import { cardPrompt } from "../text/prompts.js";

/** @import { Attributes } from "../common/dom.js" */
/** @import { CardLook } from "../felt/felt.js" */
/** @import { Piece } from "../felt/layout.js" */

/**
 * The player's seat, which sends actions.
 * @typedef {{seated: boolean, sending: boolean, message: string, onchange: () => void,
 *   act: (action: string) => Promise<Wire.Answer<object>>,
 *   moreTime?: () => unknown,
 *   send: (what: () => Promise<Wire.Answer<object>>) => Promise<void>}} Player
 */

await loadTexts("player_controls");

/** What each word of the player means. @type {[token: string, meaning: string][]} */
const ACTIONS = [
  ["P", "Ask to exchange cards"],
  ["S", "Play at once, with these cards"],
  ["A", "Accept: both exchange cards"],
  ["R", "Refuse: play with these cards"],
  ["N", "A card of yours was shown"],
  ["O", "Play with these cards"],
  ["V", "A card broke the rules: play the hands again"],
  ["W", "Take the card led out of turn back"],
  ["K", "Announce the king of trumps: 1 point"],
];

/** @type {Record<string, string>} */
const PRICED_MEANINGS = {
  S: "Play at once: if you lose, they score 2",
  R: "Refuse at once: if you lose, they score 2",
};
const EMPTY_STOCK = "The stock is empty: you keep your cards.";
const LAST_CARD_MS = 900;
const EMPTY_STOCK_MS = 2500;
const LAST_MS = 10_000;

export class PlayerControls {
  state = emptyTable("");
  /** @type {Set<string>} */
  chosen = new Set();
  asked = "";
  /** Whether this question was announced and its choices focused. */
  isFocused = false;
  isCalling = false;
  /** The card where Tab enters the hand: the last that had the focus. */
  stop = "";
  /** The king of trumps that was pressed, to be played once it is announced. */
  king = "";
  /** Whether the question has warned that the king is not announced yet. */
  isWarned = false;

  /** @param {Player} seat the seat, which sends */
  constructor(seat) {
    this.seat = seat;
    byId("pieces").addEventListener("click", (event) => this.onCard(event));
    byId("pieces").addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      this.onCard(event);
    });
    byId("pieces").addEventListener("focusin", ({ target }) => {
      this.stop = (target instanceof HTMLElement && target.dataset.card) || "";
      this.seat.onchange();
    });
    byId("concede-yes").addEventListener("click", () => this.send("C"));
    onShortcut(byId("controls"), (event) => this.onKey(event));
  }

  // The arrows go along the hand; 1 to 5 choose or play its cards, from the left.
  /** @param {KeyboardEvent} event */
  onKey({ key }) {
    const { legal, hand } = this.state.you;
    if (!legal.length) return;
    // Beyond one end of the hand is the other.
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: Infinity, End: -Infinity }[key];
    if (step) focusCard(step);
    const card = hand[Number(key) - 1];
    if (card && (this.isExchanging || legal.some(isCard))) this.choose(card);
  }

  // In a poule, or where the game is void then, the page says what leaving costs.
  /** @param {string} price of losing; "" for a game that is won */
  askLeaving(price) {
    const box = byId("leave-words");
    const rest = t("If you leave now, every trick still to play goes to your opponent.");
    const lost = t("You lose at most {price}.", { price });
    if (!box.dataset.fixed) text(box, `${rest} ${price ? lost : t("You win all the same.")}`);
    show(byId("leave-clock"), this.seat.seated && this.state.game?.phase === "playing");
    byId("leave-dialog", HTMLDialogElement).showModal();
  }

  /** @param {string} action */
  send(action) {
    this.king = "";
    // The buttons go away while the answer is awaited.
    byId("desk").focus();
    return this.seat.send(() => this.seat.act(action));
  }

  // Draw the controls; a new question clears the chosen cards.
  /** @param {State.Table} state */
  render(state) {
    this.state = state;
    const question = state.you.legal.join();
    const fresh = question !== this.asked;
    if (fresh) {
      this.chosen.clear();
      this.isFocused = false;
      this.isWarned = false;
      if (!question) text(byId("urgent"), "");
    }
    this.asked = question;
    if (!state.you.hand.includes(this.stop)) [this.stop = ""] = state.you.hand;
    this.renderControls();
    // Wait for the answer to the previous action before asking again.
    if (question && !this.isFocused && !this.seat.sending) {
      this.isFocused = true;
      // Cards are drawn after the controls.
      requestAnimationFrame(() => {
        if (this.asked !== question) return;
        this.focusFirst();
        this.announce();
      });
    }
    if (fresh) this.playOnly();
    const { legal } = state.you;
    if (state.game?.result) this.king = "";
    // The answer to the announcement may come before the next question, or after it.
    if (legal.includes(this.king) && !legal.includes("K") && !this.seat.sending) this.send(this.king);
  }

  announce() {
    const cards = this.state.you.hand.map(cardName).join(", ");
    // Replace the node so that screen readers repeat an identical sentence, as after announcing the king.
    byId("urgent").replaceChildren(`${this.question()} ${t("Your hand: {cards}.", { cards })}`);
  }

  /** Focus the first choice for keyboard users. */
  focusFirst() {
    const here = document.activeElement;
    if (!here?.matches("body, #desk") && !here?.closest(".piece, #controls, #settlement, dialog")) return;
    const choice = byId("controls").querySelector("button:not(.quiet):not(:disabled)");
    const first = choice ?? document.querySelector(".piece.legal[role=button]");
    if (first instanceof HTMLElement) first.focus();
  }

  // With an empty stock there is no choice; the last card is played for those who wish it.
  playOnly() {
    const { legal, hand, version } = this.state.you;
    // Conceding is always possible and does not count.
    const [only, ...others] = legal.filter((action) => action !== "C");
    const isAutomatic = document.documentElement.dataset.last === "itself";
    const isLast = isAutomatic && hand.length === 1 && only === hand[0];
    if (others.length || (only !== "X" && !isLast)) return;
    const send = () => this.state.you.version === version && this.send(only);
    setTimeout(send, isLast ? LAST_CARD_MS : EMPTY_STOCK_MS);
  }

  renderControls() {
    const box = byId("controls");
    const { legal } = this.state.you;
    show(box, this.seat.seated && (legal.length > 0 || Boolean(this.seat.message)));
    const { sending, message } = this.seat;
    const key = JSON.stringify([legal, [...this.chosen], this.isWarned, sending, message]);
    const isNew = box.dataset.key !== key;
    fill(box, key, () => [
      h("p.ask", (this.isExchanging && this.discardText()) || this.question()),
      this.clock(),
      h(
        "div.buttons",
        ...this.buttons(),
        ...(this.isExchanging ? this.exchangeButtons() : []),
        h("p.refusal", { role: "alert" }, this.seat.message),
      ),
    ]);
    // A message redraws the choices: keep the focus there.
    const isLost = this.isFocused && document.activeElement?.matches("body, #desk");
    if (isNew && isLost && !this.seat.sending) this.focusFirst();
  }

  // Return the clock and the button for more time; practice has neither.
  clock() {
    const more = this.seat.moreTime && this.state.you.legal.length;
    const label = t("+{n} s", { n: Number(byId("main").dataset.turnSeconds) });
    return h(
      "span.turn-clock",
      h("span.turn-left", { "aria-hidden": "true" }),
      more
        ? h(
            "button.quiet.more-time",
            {
              type: "button",
              "aria-keyshortcuts": "t",
              title: t("More time"),
              "aria-label": `${label}: ${t("More time")}`,
              disabled: this.seat.sending,
              onclick: () => this.seat.moreTime?.(),
            },
            label,
          )
        : null,
    );
  }

  // Show the clock; call the viewer to their turn by the tab's title, and by their portrait in the last seconds.
  /** @param {State.Table} state @param {number} left milliseconds @param {string} title */
  renderTurn({ you, lasts }, left, title) {
    const isMine = you.legal.length > 0;
    const n = Math.ceil(left / 1000);
    const isLast = isMine && left > 0 && left <= LAST_MS;
    byId("main").classList.toggle("hurried", isLast);
    const seconds = isLast ? `${t("{n} s", { n })} · ` : "";
    if (isMine || this.isCalling) document.title = isMine ? `● ${seconds}${t("Your turn.")} ${title}` : title;
    this.isCalling = isMine;
    /** @type {HTMLElement | null} */
    const turn = byId("controls").querySelector(".turn-left");
    if (!turn) return;
    // Without a connection, the time is not known.
    text(turn, n || "–");
    turn.style.setProperty("--left", String(left / (1000 * (lasts || 1))));
    turn.classList.toggle("last", isLast);
  }

  question() {
    const { legal, hand } = this.state.you;
    if (this.isExchanging)
      return t("Choose the cards to discard, 1 to {n}, then press Exchange.", { n: this.maxDiscards });
    if (legal.includes("X")) return t(EMPTY_STOCK);
    if (legal.includes("P")) return t("You speak first: exchange cards, or play?");
    if (legal.includes("A")) return t("Your opponent proposes to exchange cards. Do you accept?");
    if (legal.includes("K"))
      return this.isWarned
        ? t("Announce the king first (+1 point)? If not, choose a card again.")
        : t("You hold the king of trumps: announce it before your first card.");
    if (legal.some(isCard)) return cardPrompt({ legal, hand }, this.state.deal);
    return legal.length ? t("Your turn.") : "";
  }

  get isExchanging() {
    return this.state.you.legal.some((token) => /^X./.test(token));
  }

  get maxDiscards() {
    const { legal } = this.state.you;
    return Math.max(...legal.map((token) => (token.startsWith("X") ? (token.length - 1) / 2 : 0)));
  }

  buttons() {
    const { legal } = this.state.you;
    // Standing or refusing before any exchange costs a point more if lost (R3.7).
    const priced = this.state.deal?.exchanged ? {} : PRICED_MEANINGS;
    const buttons = ACTIONS.filter(([token]) => legal.includes(token)).map(([token, meaning]) =>
      this.button(token, t(priced[token] ?? meaning), token === "K" ? ".gold" : ""),
    );
    const [card, ...others] = legal.filter(isCard);
    if (card && !others.length) buttons.push(this.button(card, "", buttons.length ? "" : ".gold"));
    if (legal.includes("X")) buttons.push(this.button("X", ""));
    if (legal.includes("C")) {
      const onclick = () => byId("concede-dialog", HTMLDialogElement).showModal();
      const means = t("Your opponent takes the remaining tricks");
      buttons.push(actButton(".quiet", t("Lay down the hand"), means, { onclick }));
    }
    return buttons;
  }

  /** @param {string} token @param {string} meaning @param {string} [kind] */
  button(token, meaning, kind = "") {
    const [word] = spokenWords(token) ?? [t("Play {card}", { card: cardSign(token) })];
    const onclick = () => (isCard(token) ? this.choose(token) : this.send(token));
    return actButton(kind, word, meaning, { "data-action": token, disabled: this.seat.sending, onclick });
  }

  get chosenCards() {
    return this.state.you.hand.filter((card) => this.chosen.has(card));
  }

  discardText() {
    const signs = this.chosenCards.map(cardSign);
    const cards = new Intl.ListFormat(language).format(signs);
    return signs.length ? tn("{cards} goes.", "{cards} go.", { n: signs.length, cards }) : "";
  }

  exchangeButtons() {
    const cards = this.chosenCards;
    // The server may list the cards of an exchange in another order.
    const inOrder = (/** @type {string[]} */ some) => some.toSorted().join();
    const token = this.state.you.legal.find(
      (one) => /^X./.test(one) && inOrder(parseCards(one.slice(1))) === inOrder(cards),
    );
    const n = cards.length;
    const word = n ? tn("Exchange {n} card", "Exchange {n} cards", { n }) : t("Exchange");
    const { sending } = this.seat;
    const clear = () => {
      this.chosen.clear();
      this.seat.onchange();
    };
    return [
      actButton(".gold", word, n ? "" : t("no card chosen yet"), {
        "data-action": "X",
        "aria-label": n ? `${word}: ${cards.map(cardName).join(", ")}` : null,
        disabled: !token || sending,
        onclick: () => this.send(token ?? ""),
      }),
      actButton(".clear", t("Clear"), "", { disabled: !n || sending, onclick: clear }),
    ];
  }

  /** @param {Piece} piece */
  isOwn({ seat, kind, card }) {
    return this.seat.seated && seat === "challenger" && kind === "hand" && !!card && !this.state.deal?.over;
  }

  // Return how an own card looks: lifted, chosen, or refused with the reason.
  /** @param {string} card @returns {CardLook} */
  lookOf(card) {
    const { legal, why } = this.state.you;
    if (byId("controls").inert) return {};
    if (this.isExchanging) return { pressed: this.chosen.has(card), legal: true };
    if (legal.includes(card)) return { legal: true };
    if (!legal.some(isCard)) return {};
    if (!why[card]) return { dull: true };
    // The server names one of the cards that may be played.
    const values = { ...why[card].values, held: legal.filter(isCard).join("") };
    return { refused: errorText({ ...why[card], values }) };
  }

  /** @param {UIEvent} event */
  onCard(event) {
    const target = event.target instanceof Element ? event.target : null;
    /** @type {HTMLElement | null | undefined} */
    const element = target?.closest(".piece[role=button]");
    if (element?.dataset.card) this.choose(element.dataset.card);
  }

  /** @param {string} card of the own hand */
  choose(card) {
    const { legal } = this.state.you;
    if (byId("controls").inert) return;
    if (this.isExchanging) {
      if (!this.chosen.delete(card) && this.chosen.size < this.maxDiscards) this.chosen.add(card);
      this.seat.onchange();
    } else if (this.lookOf(card).refused || !legal.length || legal.includes("X")) {
      this.seat.message = this.lookOf(card).refused ?? t(legal.length ? EMPTY_STOCK : "It is not your turn.");
      this.seat.onchange();
    } else if (legal.includes("K") && card === `K${this.state.deal?.turnUp?.[1]}`) {
      this.send("K");
      this.king = card;
    } else if (legal.includes("K") && !this.isWarned) {
      this.isWarned = true;
      this.announce();
      this.seat.onchange();
    } else {
      // Send even a card that is not legal: the server explains why.
      this.send(card);
    }
  }
}

/** Move the focus along the hand, from its end on to the other. @param {number} step */
function focusCard(step) {
  const cards = [...all(".piece[role=button]", HTMLElement)];
  const to = cards.indexOf(/** @type {HTMLElement} */ (document.activeElement)) + step;
  (cards[to] ?? cards.at(step < 0 ? -1 : 0))?.focus();
}

/**
 * Return a button that says what it does in a word, and below it what that means.
 * @param {string} kind ".gold", or another class of it
 * @param {string} word
 * @param {string} meaning
 * @param {Attributes} attributes
 */
const actButton = (kind, word, meaning, attributes) =>
  h(
    `button.act${kind}`,
    { type: "button", ...attributes },
    h("b", word),
    meaning ? h("small", meaning) : null,
  );
