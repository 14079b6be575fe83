// The betting desk: the clock's ring, both totals, the chip rail, what a bet would put at risk.

import { refusal } from "./api.js";
import * as rail from "./chips.js";
import { byId, fill, h, show, text, within } from "./dom.js";
import { chips, t } from "./i18n.js";
import { foreseen, won } from "./matching.js";
import { nameOf } from "./narrate.js";
import { SEATS } from "./seats.js";
import { emptyTable, seatOf } from "./state.js";

/** @import { Answer, BetPlaced, Refusal, Seat as Side } from "./messages" */
/** @import { Game, Table, You } from "./table" */

const BUTTONS = { undo: rail.undo, repeat: rail.repeat, clear: rail.clear, double: rail.double };
const KEYS = new Map([
  ["u", rail.undo],
  ["r", rail.repeat],
  ["c", rail.clear],
  ["d", rail.double],
]);
const WRITTEN_IN = "input:not([type=radio]):not([type=checkbox]), textarea, select";

export class Desk {
  state = emptyTable("");
  stack = rail.emptyStack();
  /** @type {Side | null} */
  side = null;
  /** @type {string | null} */
  message = null;
  good = false;
  sending = false;
  /** @type {string | undefined} */
  game;

  /** @param {(side: Side, unit_cents: number) => Promise<Answer<BetPlaced>>} place sends a bet */
  constructor(place) {
    this.place = place;
    this.listen();
  }

  /**
   * Draw the desk for a state.
   * @param {Table} state
   */
  render(state) {
    this.state = state;
    const { game, you } = state;
    const open = game?.phase === "betting";
    if (game?.id !== this.game || (this.good && !open)) {
      this.game = game?.id;
      this.message = null;
    }
    const playing = seatOf(state) === "challenger";
    const betted = game?.bets.some((bet) => bet.player === you.name);
    // Who has no bet on a running game may look at the chips and lay them ready for the next.
    show(byId("bet-form"), Boolean(you.name) && (open || !betted) && !playing && state.taking);
    show(byId("enter-form"), !you.name);
    this.renderWait(game, you, open, playing);
    this.renderSides();
    this.renderRail();
    this.renderOffer();
    this.renderBook();
    this.renderMine();
  }

  /**
   * @param {Game | null} game
   * @param {You} you
   * @param {boolean} open
   * @param {boolean} playing
   */
  renderWait(game, you, open, playing) {
    const words = !this.state.taking
      ? t("No bets are taken now: the disk is full or failing.")
      : playing
        ? t("You are playing this game, so you cannot bet on it.")
        : !game && !this.state.holder && !this.state.bot
          ? t("Nobody is challenging the house: take the seat to start a game.")
          : !game || game.phase === "over" || game.phase === "void"
            ? t("The next game opens in a moment.")
            : open
              ? ""
              : t("The book is closed while the game is played. Bet on the next one.");
    show(byId("bet-wait"), Boolean(you.name && words));
    text(byId("bet-wait"), words);
  }

  renderSides() {
    const { game, you } = this.state;
    const locked = you.name && game?.bets.find((bet) => bet.player === you.name);
    if (locked) this.side = locked.side;
    for (const side of SEATS) {
      const input = byId(`side-${side}`, HTMLInputElement);
      input.checked = this.side === side;
      input.disabled = Boolean(locked && locked.side !== side);
      text(byId(`side-name-${side}`), this.state.game ? nameOf(this.state, side) : t(side));
    }
  }

  renderRail() {
    const { limits } = this.state.game ?? this.state;
    const values = rail.railFor(limits);
    fill(byId("rail"), values.join(), () => values.map((value, n) => this.chip(value, n)));
    const laid = rail.pile(rail.total(this.stack));
    fill(byId("laid"), laid.join(), () => laid.map((value) => h(`i.chip.${rail.colour(value)}`)));
    const typed = byId("unit", HTMLInputElement);
    if (document.activeElement !== typed) {
      typed.value = this.stack.chips.length ? chips(rail.total(this.stack)) : "";
    }
    for (const name of ["undo", "clear", "double"]) {
      byId(name, HTMLButtonElement).disabled = !this.stack.chips.length;
    }
    byId("repeat", HTMLButtonElement).disabled = !this.stack.last;
  }

  /**
   * @param {number} value
   * @param {number} n
   */
  chip(value, n) {
    const button = h(
      `button.chip.${rail.colour(value)}`,
      {
        type: "button",
        draggable: "true",
        "aria-label": t("add a chip of {n}", { n: chips(value) }),
        "aria-keyshortcuts": String(n + 1),
      },
      h("span", {}, chips(value)),
    );
    button.addEventListener("click", () => this.change((stack) => rail.add(stack, value)));
    button.addEventListener("dragstart", (event) => event.dataTransfer?.setData("text/plain", String(value)));
    return button;
  }

  // What the bet on the desk would come to, said before it is made.
  renderOffer() {
    const { game, you } = this.state;
    const { side } = this;
    const unit = rail.total(this.stack);
    const button = byId("place", HTMLButtonElement);
    const ready = game?.phase === "betting" && unit > 0 && side !== null;
    button.disabled = !ready || this.sending;
    text(
      button,
      ready
        ? t("Bet {unit} on {name}", { unit: chips(unit), name: nameOf(this.state, side) })
        : !side
          ? t("Choose a side")
          : unit
            ? t("Wait for the next game")
            : t("Lay down chips"),
    );
    const offer = byId("offer");
    fill(offer, JSON.stringify([ready, unit, side, game?.bets, game?.book]), () =>
      ready
        ? this.offer(game, side, unit)
        : [
            h(
              "p.hint",
              {},
              game?.gallery.gallery_stakes === "single"
                ? t("A unit is what you can lose.")
                : t(
                    "If your side loses with 3 points or more (single), you lose one unit; with 1 or 2 (double), two; with none (triple), three.",
                  ),
            ),
          ],
    );
    const message = this.message ?? this.warning(unit, you);
    text(byId("bet-message"), message ?? "");
    byId("bet-message").classList.toggle("bad", Boolean(message) && !this.good);
  }

  /**
   * @param {Game} game
   * @param {Side} side
   * @param {number} unit
   */
  offer(game, side, unit) {
    const times = game.gallery.gallery_stakes === "single" ? 1 : 3;
    const matched = foreseen(game.bets, side, unit, game.book.cover, game.gallery.matching);
    const fee = game.gallery.commission_bp ?? 500;
    /**
     * @param {string} name
     * @param {string} value
     * @param {string} note
     */
    const line = (name, value, note) =>
      h("div", {}, h("dt", {}, name), h("dd", {}, h("b", {}, value), " ", h("small", {}, note)));
    return [
      h(
        "dl.terms",
        {},
        line(
          t("at most"),
          t("{n} at risk", { n: chips(unit * times) }),
          times === 3 ? t("three units, if you lose a triple") : t("one unit"),
        ),
        line(
          t("now"),
          t("{n} matched", { n: chips(matched) }),
          matched < unit ? t("the rest comes back at once") : t("all of it"),
        ),
        line(
          t("you may win"),
          (times === 3 ? [1, 3] : [1]).map((units) => chips(won(matched, units, game.gallery))).join(" – "),
          t("after {n} % commission", { n: fee / 100 }),
        ),
      ),
    ];
  }

  /**
   * @param {number} unit
   * @param {You} you
   */
  warning(unit, you) {
    const { limits = {}, gallery = {} } = this.state.game ?? {};
    const times = gallery.gallery_stakes === "single" ? 1 : 3;
    if (!unit) return null;
    const { least_cents = 0, greatest_cents = Infinity } = limits;
    if (unit < least_cents) return t("The smallest unit is {n}.", { n: chips(least_cents) });
    if (unit > greatest_cents) return t("The largest unit is {n}.", { n: chips(greatest_cents) });
    if (you.balance_cents !== null && unit * times > you.balance_cents) {
      return t("This would put {n} at risk; you have {have}.", {
        n: chips(unit * times),
        have: chips(you.balance_cents),
      });
    }
    return null;
  }

  renderBook() {
    const book = this.state.game?.book ?? { house_cents: 0, challenger_cents: 0, matched_cents: 0 };
    const sum = book.house_cents + book.challenger_cents;
    byId("scale").style.setProperty("--share", String(sum ? book.house_cents / sum : 0.5));
    text(byId("total-house"), chips(book.house_cents));
    text(byId("total-challenger"), chips(book.challenger_cents));
    const open = this.state.game?.phase === "betting";
    text(
      byId("matched-now"),
      open
        ? t("{n} matched on each side if the book closed now", { n: chips(book.matched_cents) })
        : t("{n} matched on each side", { n: chips(book.matched_cents) }),
    );
    const beyond = book.matched_cents - Math.min(book.house_cents, book.challenger_cents);
    text(
      byId("cover"),
      beyond > 0 ? t("{n} of it covered by the player with fewer backers", { n: chips(beyond) }) : "",
    );
  }

  renderMine() {
    const { game, you } = this.state;
    const mine = game ? game.bets.filter((bet) => bet.player === you.name && you.name) : [];
    const box = byId("my-bets");
    show(box, mine.length > 0);
    fill(within(box, "ul"), JSON.stringify([mine, game?.phase]), () =>
      mine.map((bet) => {
        const matched = bet.matched_cents;
        const stands =
          matched === undefined
            ? ""
            : matched === bet.unit_cents
              ? t("all of it matched")
              : matched
                ? t("{n} matched", { n: chips(matched) })
                : t("unmatched");
        return h(
          "li",
          {},
          h("b", {}, chips(bet.unit_cents)),
          ` ${t("on {name}", { name: nameOf(this.state, bet.side) })} `,
          h("small", {}, stands),
        );
      }),
    );
  }

  listen() {
    for (const side of SEATS) byId(`side-${side}`).addEventListener("change", () => this.choose(side));
    for (const [name, change] of Object.entries(BUTTONS)) {
      byId(name).addEventListener("click", () => this.change(change));
    }
    const typed = byId("unit", HTMLInputElement);
    typed.addEventListener("input", () => {
      // What is no number of chips is none: no bet of a number that stood there before.
      this.change((stack) => rail.type(stack, rail.parseChips(typed.value) ?? 0));
    });
    byId("bet-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
    document.addEventListener("keydown", (event) => this.key(event));
    for (const side of SEATS) this.drop(byId(`gallery-${side}`), side);
    for (const side of SEATS) {
      const label = byId(`side-${side}`).closest("label");
      if (label) this.drop(label, side);
    }
  }

  /**
   * @param {HTMLElement} target
   * @param {Side} side
   */
  drop(target, side) {
    target.addEventListener("dragover", (event) => {
      event.preventDefault();
      target.classList.add("over");
    });
    target.addEventListener("dragleave", () => target.classList.remove("over"));
    target.addEventListener("drop", (event) => {
      event.preventDefault();
      target.classList.remove("over");
      const value = Number(event.dataTransfer?.getData("text/plain"));
      if (byId(`side-${side}`, HTMLInputElement).disabled) {
        this.complain(t("You have bet on the other side: add to that bet."));
      } else if (value > 0) {
        this.choose(side);
        this.change((stack) => rail.add(stack, value));
      }
    });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!byId("keys", HTMLInputElement).checked || byId("bet-form").hidden) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.matches(WRITTEN_IN)) return;
    const value = rail.railFor((this.state.game ?? this.state).limits)[Number(event.key) - 1];
    const change = KEYS.get(event.key.toLowerCase());
    if (!value && !change) return;
    event.preventDefault();
    this.change(change ?? ((stack) => rail.add(stack, value)));
  }

  /** @param {Side} side */
  choose(side) {
    this.side = side;
    this.change((stack) => stack);
  }

  /** @param {(stack: rail.Stack) => rail.Stack} how */
  change(how) {
    this.stack = how(this.stack);
    this.message = null;
    this.good = false;
    this.render(this.state);
  }

  /** @param {Refusal} answer */
  async refuse(answer) {
    this.complain(await refusal(answer));
  }

  /** @param {string} words */
  complain(words) {
    this.good = false;
    this.message = words;
    this.render(this.state);
  }

  async send() {
    const unit = rail.total(this.stack);
    if (!unit || !this.side || this.sending) return;
    this.sending = true;
    this.render(this.state);
    const answer = await this.place(this.side, unit);
    this.sending = false;
    if (!answer.ok) return void this.refuse(answer);
    this.good = true;
    this.stack = rail.betted(this.stack);
    this.message = t("Your bet stands.");
    this.render(this.state);
  }
}
