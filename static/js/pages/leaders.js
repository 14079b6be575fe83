// The leaderboards of challengers and bettors.

import { fetchUntilComplete } from "../account/paged_stats.js";
import { byId, h, show } from "../common/dom.js";
import "../common/head.js";
import { playerPage } from "../common/urls.js";
import { faceSvg } from "../felt/avatars.js";
import { percent, t } from "../text/i18n.js";

/** @param {Wire.Leader} leader @param {number} place */
function row({ player, won, lost, is_bot }, place) {
  const face = h("span.medal", { "aria-hidden": "true" });
  face.innerHTML = faceSvg(player);
  return h(
    `tr.rank-${place + 1}`,
    h("td", String(place + 1)),
    h(
      "th",
      { scope: "row" },
      h("a.who", { href: playerPage(player) }, face, h("bdi", player)),
      is_bot ? h("span.hint", ` ${t("bot")}`) : null,
    ),
    h("td.n", t("{won} of {games}", { won, games: won + lost })),
    h("td.n", percent(won / (won + lost))),
  );
}

fetchUntilComplete("/api/leaders").then((boards) => {
  for (const board of /** @type {const} */ (["challengers", "backers"])) {
    const leaders = (boards?.[board] ?? []).filter(({ won }) => won);
    byId(board).append(...leaders.map(row));
    show(byId(`no-${board}`), Boolean(boards && !leaders.length));
    show(byId(`list-${board}`), leaders.length > 0);
  }
});
