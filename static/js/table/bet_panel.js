// The betting panel: chips are chosen, laid on a spot of the felt, and bet.

import { post, refusal } from "../common/api.js";
import {
  byId,
  fill,
  h,
  isClosing,
  onShortcut,
  onSubmit,
  setAttributes,
  show,
  text,
  within,
} from "../common/dom.js";
import { netWin, stakeMultiplier } from "../state/matching.js";
import { emptyTable, isPlaying, viewerBets } from "../state/table_state.js";
import { opponent, SEATS } from "../state/tokens.js";
import { gameKind, nameOf } from "../text/event_text.js";
import { amount, chips, signed, t } from "../text/i18n.js";
import { riskText, waitingText } from "../text/waiting_text.js";
import { ownBets, renderSpots } from "./bet_spots.js";
import * as rail from "./chips.js";

// Return what a bet wins or loses in a single, double and triple game if all of it is matched, and what makes it one.
/** @param {State.Game} game @param {number} unit */
function outcomes({ gallery, laws }, unit) {
  const points = [`3–${laws.target - 1}`, "1–2", "0"];
  const kinds = stakeMultiplier(gallery) > 1 ? [1, 2, 3] : [1];
  return kinds.map((units) =>
    h(
      "span.outcome",
      kinds.length > 1 ? `${gameKind(units)} ` : null,
      h("b", signed(netWin(unit, units, gallery))),
      h("i", " / "),
      h("b", signed(-unit * units)),
      kinds.length > 1 ? h("small", t("loser: {points} points", { points: points[units - 1] })) : null,
    ),
  );
}

export class BetPanel {
  state = emptyTable("");
  /** The chips laid out. @type {number[]} */
  laid = [];
  /** The previous bet. @type {{unit: number, side: Wire.Seat} | null} */
  last = null;
  /** @type {Wire.Seat | null} */
  side = null;
  /** The chip of the rail that a press on a side lays there. */
  selectedChip = 1;
  isInvalid = false;
  /** Whether the amount was typed. */
  isTyped = false;
  isOffline = false;
  /** @type {string | null} */
  message = null;
  isConfirmed = false;
  sending = false;
  isOpen = false;
  /** Whether the bets were closed over chips that were laid and not confirmed. */
  hasMissed = false;
  /** @type {string | undefined} */
  game;

  /** @param {(side: Wire.Seat, unit_cents: number) => Promise<Wire.Answer<Wire.BetPlaced>>} place sends a bet */
  constructor(place) {
    this.place = place;
    for (const side of SEATS) {
      byId(`spot-${side}`).addEventListener("click", () => this.layChip(side));
      this.connectDrop(byId(`zone-${side}`), side);
      this.connectDrop(byId(`gallery-${side}`), side);
    }
    for (const [name, change] of Object.entries(rail.TOOLS)) {
      byId(name).addEventListener("click", () => this.lay(change(this.laid)));
    }
    byId("repeat").addEventListener("click", () => this.repeat());
    const typed = byId("unit", HTMLInputElement);
    typed.addEventListener("input", () => {
      // Invalid input counts as 0, never as the number that was there before.
      const cents = rail.parseChips(typed.value);
      this.lay(cents ? [cents] : []);
      this.isTyped = true;
      this.isInvalid = cents === null && typed.value.trim() !== "";
      this.render(this.state);
    });
    onSubmit(byId("bet-form"), () => this.send());
    onShortcut(byId("bet-form"), (event) => this.onKey(event));
  }

  /** @param {State.Table} state */
  render(state) {
    this.state = state;
    const { game, you } = state;
    const open = game?.phase === "betting";
    if (game?.id !== this.game || (this.isConfirmed && !open)) {
      // Chips that were laid too late wait for the next book.
      if (game?.id !== this.game && !this.hasMissed) this.side = null;
      this.game = game?.id;
      this.message = null;
    }
    const [bet] = viewerBets(state);
    if (this.isOpen && !open) this.hasMissed = Boolean(this.side && this.laid.length && !bet);
    this.isOpen = open;
    if (bet) this.side = bet.side;
    const canBet = Boolean(you.name) && open && !isPlaying(state) && state.taking;
    renderSpots(state, this.side, open ? rail.total(this.laid) : 0, canBet);
    // The result replaces the form, but not while someone is typing in it.
    const entering = byId("enter-form").contains(document.activeElement);
    show(byId("enter-form"), !you.name && (entering || !game?.settled));
    show(byId("bet-form"), canBet);
    this.renderRail();
    this.renderOffer();
    this.renderWait();
  }

  /** The chips that can be laid. */
  get railValues() {
    return rail.railValues((this.state.game ?? this.state).limits);
  }

  /** How many times its unit a bet may lose. */
  get times() {
    return stakeMultiplier(this.state.game?.gallery ?? {});
  }

  renderWait() {
    const { game, you, holder, bot } = this.state;
    const none = byId("my-bets").hidden && byId("controls").hidden && !game?.settled;
    const words = waitingText(this.state);
    show(byId("bet-wait"), you.name ? Boolean(words && none) : isClosing());
    text(within(byId("bet-wait"), "span"), words);
    byId("bet-wait").classList.toggle("free", !game && !holder && !bot);
    show(byId("missed"), this.hasMissed);
    show(byId("newcomer"), !isPlaying(this.state));
  }

  renderRail() {
    const values = this.railValues;
    fill(byId("rail"), values.join(), () => values.map((value, n) => this.chip(value, n)));
    for (const [n, chip] of [...byId("rail").children].entries()) {
      chip.setAttribute("aria-pressed", String(n === this.selectedChip));
    }
    const typed = byId("unit", HTMLInputElement);
    if (document.activeElement !== typed && !this.isInvalid) {
      typed.value = this.laid.length ? chips(rail.total(this.laid)) : "";
    }
    for (const name of ["undo", "clear", "double"]) {
      byId(name, HTMLButtonElement).disabled = !this.laid.length;
    }
    const { last } = this;
    setAttributes(byId("repeat"), {
      disabled: !last || this.laid.length > 0,
      "aria-label":
        last && t("Repeat: {n} on {name}", { n: chips(last.unit), name: nameOf(this.state, last.side) }),
    });
  }

  /** @param {number} value @param {number} n */
  chip(value, n) {
    return h(
      "button.chip",
      {
        type: "button",
        draggable: "true",
        "aria-label": t("a chip of {n}", { n: chips(value) }),
        "aria-keyshortcuts": String(n + 1),
        // Select the chip that a press on a side lays there.
        onclick: () => {
          this.selectedChip = n;
          this.renderRail();
        },
        ondragstart: (event) => event.dataTransfer.setData("text/plain", String(value)),
      },
      rail.chipFace(value),
    );
  }

  // Add a chip to a side, the chosen one by default; chips on the other side move along.
  /** @param {Wire.Seat} side @param {number} [dropped] */
  layChip(side, dropped) {
    // The amount that was typed comes first.
    if (this.isInvalid) return;
    if (ownBets(this.state, opponent(side)).unit) {
      this.say(t("You have bet on the other side: add to that bet."));
      return;
    }
    // A press on a side lays what was typed, and no chip with it.
    const isWhole = this.side !== side || (this.isTyped && !dropped);
    const chip = dropped ?? this.railValues[this.selectedChip];
    this.side = side;
    this.lay(isWhole && this.laid.length ? this.laid : [...this.laid, chip]);
  }

  renderOffer() {
    const { game } = this.state;
    const { side } = this;
    const unit = rail.total(this.laid);
    const button = byId("place", HTMLButtonElement);
    const warning = this.warning(unit);
    const ready = game?.phase === "betting" && unit > 0 && side !== null;
    button.disabled = !ready || Boolean(warning) || this.sending || this.isOffline;
    const held = warning ? 0 : unit * this.times;
    const taken = this.isConfirmed && this.message;
    const words = ready
      ? t("Bet {unit} on {name}", { unit: chips(unit), name: nameOf(this.state, side) })
      : unit
        ? t("Choose a side")
        : taken || t("Put down a chip first");
    button.classList.toggle("taken", Boolean(taken));
    fill(button, words + held, () => [
      h("span", words),
      ready && held > unit ? h("small", t("{n} held: you cannot lose more", { n: chips(held) })) : null,
    ]);
    const broke = this.isBroke();
    const own = side ? ownBets(this.state, side).unit : 0;
    fill(byId("offer"), JSON.stringify([broke, ready, unit, side, warning, own, riskText(game)]), () =>
      broke
        ? [h("button", { type: "button", onclick: () => this.refill() }, t("Ask for chips"))]
        : warning
          ? [h("span.bad", warning)]
          : game && (ready || own)
            ? outcomes(game, own + unit)
            : [h("span", `${t("Press a side to put the chosen chip there.")} ${riskText(game)}`)],
    );
    text(byId("bet-message"), this.message ?? "");
    byId("bet-message").classList.toggle("bad", !this.isConfirmed);
  }

  // Return whether the viewer cannot afford the smallest bet and has none on the felt.
  isBroke() {
    const { game, you } = this.state;
    const least = (game?.limits.least_cents ?? 0) * this.times;
    return you.balance_cents !== null && you.balance_cents < least && !viewerBets(this.state).length;
  }

  async refill() {
    const answer = await post("/api/refill", {});
    if (!answer.ok) return this.say(await refusal(answer));
    this.say(t("You have {n} chips again.", { n: chips(answer.balance_cents) }), true);
  }

  /** @param {number} unit */
  warning(unit) {
    const { game, you } = this.state;
    if (this.isInvalid) return t("Enter a number of chips, such as 5 or 2.50.");
    if (!unit) return null;
    const { least_cents = 0, greatest_cents = Infinity } = game?.limits ?? {};
    if (unit < least_cents) return t("The smallest bet is {n}.", { n: chips(least_cents) });
    if (unit > greatest_cents) return t("The largest bet is {n}.", { n: chips(greatest_cents) });
    const { balance_cents: have } = you;
    const risk = unit * this.times;
    if (have === null || risk <= have) return null;
    return t("This would put {n} at risk; you have {have}.", { n: chips(risk), have: chips(have) });
  }

  /** @param {HTMLElement} target @param {Wire.Seat} side */
  connectDrop(target, side) {
    target.addEventListener("dragover", (event) => {
      event.preventDefault();
      target.classList.add("over");
    });
    target.addEventListener("dragleave", () => target.classList.remove("over"));
    target.addEventListener("drop", (event) => {
      event.preventDefault();
      target.classList.remove("over");
      const value = Number(event.dataTransfer?.getData("text/plain"));
      if (value > 0 && !byId("bet-form").hidden) this.layChip(side, value);
    });
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const { key, shiftKey, target } = event;
    const side = { ArrowLeft: SEATS[0], ArrowRight: SEATS[1] }[key];
    const place = byId("place", HTMLButtonElement);
    // After chips were laid on the felt, the next stop is the button.
    const isFromSpot = target instanceof Element && target.matches(".spot");
    const isNext = key === "Tab" && !shiftKey && isFromSpot && !place.disabled;
    if (!side && !isNext) return;
    event.preventDefault();
    if (side) this.layChip(side);
    else place.focus();
  }

  /** @param {number[]} chips */
  lay(chips) {
    this.laid = chips;
    this.isInvalid = false;
    this.isTyped = false;
    this.say(null);
  }

  // Lay the previous bet again, on its side: one who has bet on the other side keeps that.
  repeat() {
    if (!this.last) return;
    this.side = this.last.side;
    this.lay([this.last.unit]);
  }

  /** @param {string | null} words @param {boolean} [isConfirmed] whether they say that something was done */
  say(words, isConfirmed = false) {
    this.isConfirmed = isConfirmed;
    this.message = words;
    this.render(this.state);
  }

  async send() {
    const unit = rail.total(this.laid);
    const { side } = this;
    if (!unit || !side || this.sending) return;
    const hasFocus = document.activeElement === byId("place");
    this.sending = true;
    this.render(this.state);
    const answer = await this.place(side, unit);
    this.sending = false;
    if (!answer.ok) return this.say(await refusal(answer));
    this.laid = [];
    this.last = { unit, side };
    this.say(t("Bet taken: {n} held.", { n: amount(unit * this.times) }), true);
    // The button is disabled now: a keyboard user goes on with the chips.
    if (hasFocus) byId("rail").querySelector("button")?.focus();
  }
}
