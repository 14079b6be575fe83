// A table for streams: the felt with what goes on there, and both sides of the book.

import { byId, onceAFrame, show, still, text } from "../common/dom.js";
import { renderCloth, watchCloth } from "../felt/felt.js";
import { Pacer } from "../state/animation_queue.js";
import { Line } from "../state/connection.js";
import { fold } from "../state/reducer.js";
import { emptyTable, fromSnapshot, nobody } from "../state/table_state.js";
import { Caption } from "../text/caption.js";
import { amount, tn } from "../text/i18n.js";

/** @import { Snapshot } from "../state/messages" */

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
