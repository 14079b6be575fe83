// The lobby: every table in small, live, with what goes on there.

import { gamePage, tablePage } from "../address.js";
import { get } from "../api.js";
import { byId, fill, h, onceAFrame, still } from "../dom.js";
import { fold } from "../fold.js";
import { complain, connectHead } from "../head.js";
import { chips, t, tn } from "../i18n.js";
import { Pacer } from "../pacer.js";
import { renderPreview, smallCloth } from "../preview.js";
import { Line, openSocket } from "../socket.js";
import { emptyTable, fromSnapshot, nobody } from "../state.js";

/** @import { Mark, Snapshot, Summary } from "../messages" */
/** @import { Table } from "../table" */
/** @import { Socket } from "socket.io-client" */

const LOOK_MS = 3000;
// So many tables are followed card by card; of others only the score is shown.
const MOST_LIVE = 12;

class Preview {
  /**
   * @param {Summary} summary
   * @param {Socket | null} socket to be told more, card by card
   */
  constructor({ table }, socket) {
    this.state = emptyTable(table);
    this.live = Boolean(socket);
    this.cloth = smallCloth();
    this.hints = h("div");
    this.road = h("ol.road", { "aria-label": t("The last games") });
    this.element = h(
      "li.card.preview",
      {},
      h("h3", {}, h("a", { href: tablePage(table) }, t("Table {name}", { name: table }))),
      this.cloth,
      this.hints,
      this.road,
    );
    this.render = onceAFrame(() => renderPreview(this.cloth, this.state));
    this.render();
    if (socket) this.follow(table, socket);
  }

  /**
   * @param {string} table
   * @param {Socket} socket
   */
  follow(table, socket) {
    const pacer = new Pacer((event, came) => this.draw(fold(this.state, event, came)), {
      hurry: () => document.hidden || still(),
    });
    /** @param {Snapshot} told */
    const snapshot = (told) => {
      pacer.drop();
      this.draw(fromSnapshot(told, nobody(), Date.now()));
    };
    new Line(table, { snapshot, event: (event) => pacer.push(event), you() {}, connected() {} }, socket);
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
    const words = hints({ ...told, watching });
    fill(this.hints, words.join(), () => words.map((one) => h("p.hint", {}, one)));
    const games = told.road.slice(-12);
    fill(this.road, games.map(({ game }) => game).join(), () => games.map(roadMark));
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

/** @param {Summary} summary */
function hints({ game, phase, deal, bets = 0, watching, stake_cents, limits }) {
  const doing = !game
    ? t("between two games")
    : phase === "betting"
      ? t("bets are taken")
      : phase !== "opening" && deal
        ? t("deal {n}", { n: deal })
        : t("The book is closed");
  return [
    [doing, tn("{n} bet", "{n} bets", { n: bets }), tn("{n} watching", "{n} watching", { n: watching })].join(
      " · ",
    ),
    t("stake {stake}, bets from {least} to {most}", {
      stake: chips(stake_cents),
      least: chips(limits.least_cents),
      most: chips(limits.greatest_cents),
    }),
  ];
}

/** @param {Mark} mark */
function roadMark({ game, winner, stake }) {
  const label = `${game}: ${t(winner ?? "void")} ${stake}`;
  return h(
    "li",
    {},
    h(`a.${winner ?? "void"}`, { href: gamePage(game), "aria-label": label }, String(stake || "·")),
  );
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
    previews.set(told.table, new Preview(told, previews.size < MOST_LIVE ? socket : null));
  }
  fill(byId("tables"), [...previews.keys()].join(), () =>
    [...previews.values()].map(({ element }) => element),
  );
  for (const told of tables) previews.get(told.table)?.list(told);
}

connectHead();
look();
setInterval(() => document.hidden || look(), LOOK_MS);
