// A table for streams: the felt, what happens there, and both sides of the book.

import { byId, oncePerFrame, show, text } from "../common/dom.js";
import { renderFelt } from "../felt/felt.js";
import { openSocket } from "../state/connection.js";
import { sideTotals } from "../state/matching.js";
import { Spectator } from "../state/spectator.js";
import { amount, tn } from "../text/i18n.js";

const render = oncePerFrame(() => {
  renderFelt(spectator.state, null);
  spectator.caption.render();
  const { game } = spectator.state;
  show(byId("book"), Boolean(game));
  if (!game) return;
  text(byId("book-house"), amount(sideTotals(game, "house").total));
  text(byId("book-words"), tn("{n} bet", "{n} bets", { n: game.bets.length }));
  text(byId("book-challenger"), amount(sideTotals(game, "challenger").total));
});
const spectator = new Spectator(byId("main").dataset.table ?? "", render);

// A table that is over leads to the one that has replaced it, if one has.
const moveOn = () => fetch("?new").then(({ redirected, url }) => redirected && location.replace(url));
openSocket().then((socket) => spectator.follow(socket, moveOn));
render();
