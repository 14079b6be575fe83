// A table for streams: the felt with what goes on there, and both sides of the book.

import { Caption } from "../caption.js";
import { renderCloth, watchCloth } from "../cloth.js";
import { byId, onceAFrame, show, still, text } from "../dom.js";
import { fold } from "../fold.js";
import { amount, tn } from "../i18n.js";
import { Pacer } from "../pacer.js";
import { Line } from "../socket.js";
import { emptyTable, fromSnapshot, nobody } from "../state.js";

/** @import { Snapshot } from "../messages" */

const { table = "" } = byId("main").dataset;
const caption = new Caption();
let state = emptyTable(table);

const render = onceAFrame(() => {
  renderCloth(state, null);
  text(byId("caption-title"), caption.title);
  text(byId("caption-words"), caption.words);
  const { game } = state;
  show(byId("book"), Boolean(game));
  if (!game) return;
  text(byId("book-house"), amount(game.book.house_cents));
  text(byId("book-words"), tn("{n} bet", "{n} bets", { n: game.bets.length }));
  text(byId("book-challenger"), amount(game.book.challenger_cents));
});

const pacer = new Pacer(
  (event, came) => {
    const before = state;
    state = fold(state, event, came);
    caption.hear(event, state, before);
    render();
  },
  { hurry: () => document.hidden || still() },
);

new Line(table, {
  /** @param {Snapshot} told */
  snapshot(told) {
    pacer.drop();
    state = fromSnapshot(told, nobody(), Date.now());
    caption.begin(state);
    render();
  },
  event: (event) => pacer.push(event),
  you() {},
  connected() {},
});
watchCloth(render);
render();
