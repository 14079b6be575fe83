// The list of finished games, newest first.

import { get } from "../common/api.js";
import { byId, h, show } from "../common/dom.js";
import { showLoadError } from "../common/head.js";
import { gamePage } from "../common/urls.js";
import { botName, isOutside } from "../felt/avatars.js";
import { gameKind, voidReason } from "../text/event_text.js";
import { gameName } from "../text/game_names.js";
import { moment, t, tn } from "../text/i18n.js";

const PAGE_SIZE = 50;
/** @type {string | null} */
let oldest = null;

/** @param {Wire.GameLine} game */
function row(game) {
  const won = game.winner
    ? `${t(game.winner)}, ${gameKind(game.stake)}`
    : t("void: {reason}", { reason: voidReason(game.void) });
  return h(
    "tr",
    h("th", { scope: "row" }, h("a", { href: gamePage(game.game) }, gameName(game.game, game.host))),
    h("td", moment(game.at)),
    h("td", { dir: "auto" }, botName(game.players, "house")),
    h("td", { dir: "auto" }, botName(game.players, "challenger")),
    h("td.n", game.score ? `${game.score.house} – ${game.score.challenger}` : ""),
    h(
      "td",
      h(`i.dot.${game.winner ?? "void"}`, { "aria-hidden": "true" }),
      ` ${won}`,
      game.cuts ? h("small", ` · ${cutText(game)}`) : "",
    ),
  );
}

// A person who plays cuts too.
/** @param {Wire.GameLine} game */
const cutText = ({ players, cuts: n }) =>
  isOutside(players.challenger)
    ? tn("cut by {n} player", "cut by {n} players", { n })
    : tn("cut by {n} bettor", "cut by {n} bettors", { n });

async function loadMore() {
  const table = byId("table", HTMLSelectElement).value;
  const answer = await get("/api/games", {
    limit: PAGE_SIZE,
    ...(oldest && { before: oldest }),
    ...(table && { table }),
  });
  // A choice since then has asked for other games.
  if (table !== byId("table", HTMLSelectElement).value) return;
  showLoadError(answer);
  if (!answer.ok) return;
  const { games } = answer;
  if (!oldest) byId("games").replaceChildren();
  byId("games").append(...games.map(row));
  oldest = games.at(-1)?.game ?? oldest;
  show(byId("more"), games.length === PAGE_SIZE);
  show(byId("none"), !games.length && !oldest);
}

byId("table").addEventListener("change", () => {
  oldest = null;
  loadMore();
});
byId("more").addEventListener("click", loadMore);
loadMore();
