// A table for streams: the felt, what happens there, and both sides of the book.

import { byId, oncePerFrame, prefersReducedMotion, show, text } from "../common/dom.js";
import { renderFelt, watchFelt } from "../felt/felt.js";
import { AnimationQueue } from "../state/animation_queue.js";
import { TableConnection } from "../state/connection.js";
import { sideTotals } from "../state/matching.js";
import { fold } from "../state/reducer.js";
import { anonymousViewer, emptyTable, fromSnapshot } from "../state/table_state.js";
import { Caption } from "../text/caption.js";
import { amount, tn } from "../text/i18n.js";

/** @import { Snapshot } from "../state/messages" */

const { table = "" } = byId("main").dataset;
const caption = new Caption();
let state = emptyTable(table);

const render = oncePerFrame(() => {
  renderFelt(state, null);
  text(byId("caption-title"), caption.title);
  text(byId("caption-words"), caption.words);
  const { game } = state;
  show(byId("book"), Boolean(game));
  if (!game) return;
  text(byId("book-house"), amount(sideTotals(game, "house").total));
  text(byId("book-words"), tn("{n} bet", "{n} bets", { n: game.bets.length }));
  text(byId("book-challenger"), amount(sideTotals(game, "challenger").total));
});

const queue = new AnimationQueue(
  (event, came) => {
    state = fold(state, event, came);
    caption.update(event, state);
    render();
  },
  { hurry: () => document.hidden || prefersReducedMotion() },
);

new TableConnection(table, {
  /** @param {Snapshot} data */
  snapshot(data) {
    queue.drop();
    state = fromSnapshot(data, anonymousViewer(), Date.now());
    caption.reset(state);
    render();
  },
  event: (event) => queue.push(event),
  you() {},
  connected() {},
});
watchFelt(render);
render();
