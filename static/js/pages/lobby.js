// The lobby: the first table live on its felt, every other in small, with what goes on there.

import { get } from "../common/api.js";
import { byId, fill, h, onceAFrame, still, text } from "../common/dom.js";
import { complain, connectHead } from "../common/head.js";
import { tablePage } from "../common/urls.js";
import { renderRing } from "../felt/countdown_ring.js";
import { renderCloth, watchCloth } from "../felt/felt.js";
import { renderPreview, smallCloth } from "../felt/mini_table.js";
import { Pacer } from "../state/animation_queue.js";
import { Line, openSocket } from "../state/connection.js";
import { fold } from "../state/reducer.js";
import { emptyTable, fromSnapshot, nobody } from "../state/table_state.js";
import { renderBar } from "../table/odds_bar.js";
import { Caption } from "../text/caption.js";
import { explain } from "../text/event_text.js";
import { chips, t, tn } from "../text/i18n.js";

/** @import { Snapshot, Summary } from "../state/messages" */
/** @import { Table } from "../state/table" */
/** @import { Socket } from "socket.io-client" */

const LOOK_MS = 3000;
const SECOND_MS = 1000;
// So many tables are followed card by card; of others only the score is shown.
const MOST_LIVE = 12;

/** A table that is followed, on a felt of its own or in small. */
class Preview {
  /**
   * @param {Summary} summary
   * @param {Socket | null} socket to be told more, card by card
   * @param {HTMLElement | null} element where it stands on the page
   */
  constructor({ table }, socket, element) {
    this.state = emptyTable(table);
    this.live = Boolean(socket);
    this.caption = new Caption();
    this.hero = Boolean(element?.matches(".first-salon"));
    const cloth = smallCloth();
    this.hints = h("div");
    this.element = element ?? h("li.preview", {}, h("h3", {}, h("a", { href: tablePage(table) }, table)));
    if (!this.hero) {
      this.element.prepend(cloth);
      this.element.append(this.hints);
    }
    this.render = onceAFrame(() => (this.hero ? this.onFelt() : renderPreview(cloth, this.state)));
    if (this.hero) watchCloth(this.render);
    this.render();
    if (socket) this.follow(table, socket);
  }

  onFelt() {
    renderCloth(this.state, null);
    renderBar(this.state);
    renderRing(this.state);
    text(byId("caption-title"), this.caption.title);
    text(byId("caption-words"), this.caption.words);
  }

  /**
   * @param {string} table
   * @param {Socket} socket
   */
  follow(table, socket) {
    const pacer = new Pacer(
      (event, came) => {
        const before = this.state;
        this.draw(fold(before, event, came));
        this.caption.hear(event, this.state, before);
      },
      { hurry: () => document.hidden || still() },
    );
    /** @param {Snapshot} told */
    const snapshot = (told) => {
      pacer.drop();
      this.draw(fromSnapshot(told, nobody(), Date.now()));
      this.caption.begin(this.state);
    };
    /** @param {Table["chance"]} chance */
    const likely = (chance) => pacer.push(() => this.draw({ ...this.state, chance }));
    const event = pacer.push.bind(pacer);
    new Line(table, { snapshot, event, chance: likely, you() {}, connected() {} }, socket);
    setInterval(() => this.state.game?.phase === "betting" && this.render(), SECOND_MS);
  }

  /** @param {Table} state */
  draw(state) {
    this.state = state;
    this.render();
  }

  /**
   * Show what the lobby's own list says of the table.
   * @param {Summary} told
   */
  list(told) {
    if (!this.live) this.draw(inShort(told));
    // Who looks at the lobby is himself among those who watch its live tables.
    const watching = Math.max(0, told.watching - (this.live ? 1 : 0));
    const words = hints({ ...told, watching }, this.state);
    if (this.hero) text(byId("first-hint"), words.join(" · "));
    else fill(this.hints, words.join(), () => words.map((one) => h("p.hint", {}, one)));
  }
}

/**
 * A table of which only the score is known.
 * @param {Summary} summary
 * @returns {Table}
 */
function inShort({ table, game, house, challenger, score }) {
  const running = game ? { game, commitment: "", players: { house, challenger } } : {};
  const state = fromSnapshot({ table, version: 0, ...running }, nobody());
  return state.game && score ? { ...state, game: { ...state.game, score } } : state;
}

/**
 * @param {Summary} summary
 * @param {Table} state
 */
function hints({ game, phase, deal, bets = 0, watching, stake_cents, limits }, state) {
  const doing = !game
    ? explain(state)[0] || t("Between two games")
    : phase === "betting"
      ? t("Bets are taken")
      : phase !== "opening" && deal
        ? t("Deal {n}", { n: deal })
        : t("Bets are closed");
  return [
    [
      doing,
      bets && tn("{n} bet", "{n} bets", { n: bets }),
      watching && tn("{n} watching", "{n} watching", { n: watching }),
    ]
      .filter(Boolean)
      .join(" · "),
    t("stake {stake}, bets from {least} to {most}", {
      stake: chips(stake_cents),
      least: chips(limits.least_cents),
      most: chips(limits.greatest_cents),
    }),
  ];
}

/** @type {Map<string, Preview>} */
const previews = new Map();
const socket = openSocket();

async function look() {
  const answer = await get("/api/tables");
  complain(answer);
  if (!answer.ok) return;
  const { tables } = answer;
  for (const told of tables.filter(({ table }) => !previews.has(table))) {
    /** @type {HTMLElement | null} */
    const place = document.querySelector(`[data-table="${CSS.escape(told.table)}"]`);
    const preview = new Preview(told, previews.size < MOST_LIVE ? socket : null, place);
    previews.set(told.table, preview);
    if (!place) byId("tables").append(preview.element);
  }
  for (const told of tables) previews.get(told.table)?.list(told);
}

connectHead();
look();
setInterval(() => document.hidden || look(), LOOK_MS);
