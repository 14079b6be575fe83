// The public page of a player.

import { fetchUntilComplete, intervalRow } from "../account/paged_stats.js";
import { byId, h, show, text } from "../common/dom.js";
import "../common/head.js";
import { gamePage } from "../common/urls.js";
import { botName, faceSvg, isSimulated } from "../felt/avatars.js";
import { opponent } from "../state/tokens.js";
import { gameKind } from "../text/event_text.js";
import { gameName } from "../text/game_names.js";
import { moment, percent, t, tn } from "../text/i18n.js";

/** @param {Wire.PastGame} game */
function row({ game, at, did, side, winner, stake, ...players }) {
  const won = winner === side;
  const name = botName(players, did === "played" ? opponent(side) : side);
  const description = t(did === "played" ? "played against {name}" : "backed {name}", { name });
  const result = !winner ? t("void") : `${won ? t("won") : t("lost")}, ${gameKind(stake)}`;
  return h(
    "tr",
    h("th", { scope: "row" }, h("a", { href: gamePage(game) }, gameName(game))),
    h("td", moment(at)),
    h("td", { dir: "auto" }, description),
    h("td", h(`i.dot.${side}`, { "aria-hidden": "true" }), ` ${t(side)}`),
    h(`td.${!winner ? "void" : won ? "won" : "lost"}`, result),
  );
}

/** @param {string} words @param {Wire.Tally} tally */
function tile(words, { won, lost }) {
  const games = won + lost;
  return h(
    "p.tile",
    h("b", percent(won / games)),
    h("span", words),
    h("small", t("{won} of {games}", { won, games })),
  );
}

/** @param {Wire.PastGame[]} games */
function filter(games) {
  const [how, outcome] = ["how", "came"].map((name) => byId(name, HTMLSelectElement).value);
  for (const [n, { did, side, winner }] of games.entries()) {
    const result = !winner ? "void" : winner === side ? "won" : "lost";
    show(
      /** @type {HTMLElement} */ (byId("last").children[n]),
      ["", did].includes(how) && ["", result].includes(outcome),
    );
  }
}

const { player = "" } = byId("main").dataset;
byId("face").innerHTML = faceSvg(player);
// Simulated bettors have no statistics: the page says so.
const answer = isSimulated(player) ? Promise.resolve(null) : fetchUntilComplete("/api/players/ID", player);
answer.then((stats) => {
  show(byId("told"), Boolean(stats));
  show(byId("over"), Boolean(stats));
  if (!stats) return;
  const tallies = [
    { words: t("of the games played were won"), tally: stats.played },
    { words: t("of the sides backed won"), tally: stats.backed },
  ].filter(({ tally: { won, lost } }) => won + lost);
  const n = tallies.reduce((sum, { tally: { won, lost } }) => sum + won + lost, 0);
  text(byId("over"), tn("{n} game counted.", "{n} games counted.", { n }));
  byId("tiles").append(...tallies.map(({ words, tally }) => tile(words, tally)));
  show(byId("record"), stats.against.length > 0);
  byId("against").append(
    ...stats.against.map(({ bot, won, lost }) => intervalRow(botName({ house: bot }), won, won + lost)),
  );
  byId("last").append(...stats.last.map(row));
  byId("filters").addEventListener("input", () => filter(stats.last));
});
