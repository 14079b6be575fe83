// A player's page: what everybody may know of him.

import { counted, span } from "../account/paged_stats.js";
import { byId, h, show, text } from "../common/dom.js";
import { connectHead } from "../common/head.js";
import { gamePage } from "../common/urls.js";
import { called, faceSvg, simulated } from "../felt/avatars.js";
import { gameKind } from "../text/event_text.js";
import { gameName } from "../text/game_names.js";
import { moment, percent, t, tn } from "../text/i18n.js";

/** @import { Attended, Tally } from "../state/messages" */

/** @param {Attended} game */
function row({ game, at, did, side, house, challenger, winner, stake }) {
  const won = winner === side;
  const other = side === "house" ? called("challenger", challenger) : called("house", house);
  const name = side === "house" ? called("house", house) : called("challenger", challenger);
  const what = did === "played" ? t("played against {name}", { name: other }) : t("backed {name}", { name });
  const result = !winner ? t("void") : `${won ? t("won") : t("lost")}, ${gameKind(stake)}`;
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, h("a", { href: gamePage(game) }, gameName(game))),
    h("td", {}, moment(at)),
    h("td", { dir: "auto" }, what),
    h("td", {}, h(`i.dot.${side}`, { "aria-hidden": "true" }), ` ${t(side)}`),
    h(`td.${!winner ? "void" : won ? "won" : "lost"}`, {}, result),
  );
}

/**
 * @param {string} words
 * @param {Tally} tally
 */
function tile(words, { won, lost }) {
  const games = won + lost;
  return h(
    "p.tile",
    {},
    h("b", {}, percent(won / games)),
    h("span", {}, words),
    h("small", {}, t("{won} of {games}", { won, games })),
  );
}

/**
 * Only the games that the filters ask for are shown.
 * @param {Attended[]} games
 */
function filter(games) {
  const [how, came] = ["how", "came"].map((name) => byId(name, HTMLSelectElement).value);
  for (const [n, { did, side, winner }] of games.entries()) {
    const result = !winner ? "void" : winner === side ? "won" : "lost";
    show(
      /** @type {HTMLElement} */ (byId("last").children[n]),
      ["", did].includes(how) && ["", result].includes(came),
    );
  }
}

connectHead();
const { player = "" } = byId("main").dataset;
byId("face").innerHTML = faceSvg(player);
// A simulated spectator is nobody whom the house counts: the page says so instead.
const told = simulated(player) ? null : await counted("/api/players/ID", player);
show(byId("told"), Boolean(told));
show(byId("over"), Boolean(told));
show(byId("made-up"), simulated(player));
if (told) {
  const tallies = [
    { words: t("of the games played were won"), tally: told.played },
    { words: t("of the sides backed won"), tally: told.backed },
  ].filter(({ tally: { won, lost } }) => won + lost);
  const n = tallies.reduce((sum, { tally: { won, lost } }) => sum + won + lost, 0);
  text(byId("over"), tn("{n} game counted.", "{n} games counted.", { n }));
  byId("tiles").append(...tallies.map(({ words, tally }) => tile(words, tally)));
  show(byId("record"), told.against.length > 0);
  byId("against").append(
    ...told.against.map(({ bot, won, lost }) => span(called("house", bot), won, won + lost)),
  );
  byId("last").append(...told.last.map(row));
  byId("filters").addEventListener("input", () => filter(told.last));
}
