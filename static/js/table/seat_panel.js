// The challenger's seat: take it, leave it, play again.

import { Sender } from "../common/api.js";
import { byId, isClosing, show, text } from "../common/dom.js";
import { certainPoints, emptyTable, isSeated, ownSeat } from "../state/table_state.js";
import { isYou } from "../state/tokens.js";
import { seatName } from "../text/event_text.js";
import { amount, t } from "../text/i18n.js";
import { stakesOf } from "../verify/settlement.js";

/** @import { TableConnection } from "../state/connection.js" */
/** @import { PlayerControls } from "./player_controls.js" */

export class SeatPanel extends Sender {
  state = emptyTable("");
  seated = false;
  situation = "";
  /** The game after which the seat was left. */
  leftAfterGame = "";
  /** The game that the player was asked whether to give up. */
  leaving = "";
  /** Whether the viewer played the last game, or entered the poule that it belongs to. */
  hasPlayed = false;
  entered = false;
  /** Whether the games here belong to poules, in which a person stays until the end. */
  isPoule = Boolean(document.getElementById("poule"));
  /** Loaded for players only. @type {PlayerControls | null} */
  controls = null;

  /**
   * @param {TableConnection} connection
   * @param {() => void} onchange redraws the page
   * @param {() => Promise<Wire.Answer<object>>} more asks for more time
   */
  constructor(connection, onchange, more) {
    super(onchange);
    this.connection = connection;
    this.moreTime = () => this.send(more);
    const { table } = connection;
    const take = () => this.send(() => connection.request("take_seat", { table }));
    byId("take-seat").addEventListener("click", () => this.confirm());
    byId("seat-yes").addEventListener("click", () => {
      byId("about").classList.remove("open");
      take();
    });
    byId("again").addEventListener("click", () => (this.isPoule ? this.confirm() : take()));
    byId("ready").addEventListener("click", () =>
      this.send(() => connection.request("start", { table, game: this.state.game?.id ?? "" })),
    );
    byId("leave-seat").addEventListener("click", () =>
      this.seated || (this.isPoule && this.state.holder === this.state.you.name)
        ? this.confirmLeaving()
        : this.send(() => this.leave(this.state.game?.id ?? "")),
    );
    byId("leave-yes").addEventListener("click", () => this.send(() => this.leave(this.leaving)));
  }

  /** @param {string} action */
  act(action) {
    const { table } = this.connection;
    return this.connection.request("act", { table, version: this.state.you.version, action });
  }

  /** @param {string} game after which the seat is left */
  leave(game) {
    return this.connection.request("leave_seat", { table: this.connection.table, game });
  }

  /** @param {State.Table} state */
  render(state) {
    const isOver = this.state.game?.phase === "playing" && state.game?.phase !== "playing";
    if (isOver) for (const id of ["leave-dialog", "concede-dialog"]) byId(id, HTMLDialogElement).close();
    this.state = state;
    this.seated = ownSeat(state) === "challenger";
    const situation = [state.you.legal.join(), state.game?.id, state.holder, ...state.queue].join();
    if (situation !== this.situation) this.message = "";
    this.situation = situation;
    if (this.seated && !this.controls) this.loadControls();
    text(byId("desk-title"), this.seated ? t("Your game") : t("Your bet"));
    this.renderSeat();
    // The challenger may close a book without bets (G1), unless others watch, who may want to bet.
    const isAlone = (state.chance?.watching ?? 1) === 1;
    const isOpen = state.game?.phase === "betting" && !state.game.bets.length;
    this.offer("ready", this.seated && isOpen && isAlone);
    this.renderAgain();
    this.controls?.render(state);
  }

  async loadControls() {
    const { PlayerControls } = await import("./player_controls.js");
    this.controls ??= new PlayerControls(this);
    this.onchange();
  }

  // Show a button, and focus it for keyboard users when it appears.
  /** @param {string} name @param {boolean} appears */
  offer(name, appears) {
    const isNew = appears && byId(name).hidden;
    show(byId(name), appears);
    if (!isNew) return;
    // Later in this frame the panel around it is shown, and what has the focus may be hidden and lose it.
    const focus = () => document.activeElement?.matches("body, #desk") && byId(name).focus();
    requestAnimationFrame(() => setTimeout(focus));
  }

  // Leave the seat after a game: the next one starts only if the player asks for it.
  renderAgain() {
    const { game, you, holder, queue, poule } = this.state;
    if (poule) this.entered = poule.entrants[(poule.person ?? 0) - 1] === you.name;
    if (game?.settled) {
      this.hasPlayed = this.entered || isYou(this.state, "challenger");
      // Only once: who sits later has asked for another game.
      if (you.name && this.leftAfterGame !== game.id) {
        this.leftAfterGame = game.id;
        if (this.hasPlayed && isSeated(this.state) && !this.isPoule) this.leave(game.id);
      }
    }
    this.offer("again", this.hasPlayed && !isClosing() && !holder && !queue.length);
  }

  renderSeat() {
    const { you, queue, holder, game } = this.state;
    const seated = you.name && holder === you.name;
    const waiting = queue.indexOf(you.name) + 1;
    show(byId("take-seat"), Boolean(you.name) && !seated && !waiting);
    show(byId("leave-seat"), Boolean(seated || waiting));
    const leaving = this.isPoule ? t("Leave the poule") : t("Leave the seat");
    text(byId("leave-seat"), seated ? leaving : t("Leave the queue"));
    const stake = Number(byId("main").dataset.stake);
    const words = !you.name
      ? t("Enter to bet or to play.")
      : seated
        ? this.isPoule
          ? t("You are in the poule.")
          : this.seated
            ? this.price() && t("Leaving now costs {price} at most.", { price: this.price() })
            : t("You play against {name}.", { name: seatName(this.state, "house") })
        : queue.length
          ? queueText(queue)
          : stake
            ? t("stake {n}; {held} held", { n: amount(stake), held: amount(3 * stake) })
            : "";
    // Those in the queue read seat_notification.js's text instead.
    if (!waiting) text(byId("seat-words"), words);
    // Players read it beside their cards.
    text(byId("seat-message"), this.seated ? "" : this.message);
    // Not only when its dialog opens: that may be before the first snapshot.
    const waits = holder || queue.length > 0 || (game && !["over", "void"].includes(game.phase));
    const sits = holder || queue.length ? t("Join the queue") : t("Take the seat");
    if (!this.isPoule) for (const name of ["take-seat", "seat-yes"]) text(byId(name), sits);
    const begins = !waits
      ? t("at once")
      : !this.isPoule
        ? t("after the game that is being played")
        : this.state.poule?.person
          ? t("when this poule is over")
          : t("after this game, with a new poule");
    text(byId("sheet-begins"), queue.length ? `${begins}. ${queueText(queue)}` : begins);
  }

  confirm() {
    byId("seat-dialog", HTMLDialogElement).showModal();
  }

  async confirmLeaving() {
    this.leaving = this.state.game?.id ?? "";
    await this.loadControls();
    this.controls?.askLeaving(this.price());
  }

  // Return what leaving costs at most, or "": a king turned up for the seat that was left still scores.
  price() {
    const { laws, stake_cents = 0 } = this.state.game ?? {};
    const points = certainPoints(this.state, "challenger");
    return points < (laws?.target ?? 0) ? amount(stake_cents * stakesOf(points)) : "";
  }
}

/** @param {string[]} queue */
const queueText = (queue) => t("In the queue: {names}.", { names: queue.slice(0, 4).join(", ") });
