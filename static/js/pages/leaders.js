// The leader boards: at the table and in the gallery.

import { playerPage } from "../address.js";
import { counted } from "../counted.js";
import { byId, h, show } from "../dom.js";
import { connectHead } from "../head.js";
import { percent, t } from "../i18n.js";
import { faceSvg } from "../people.js";

/** @import { Leader } from "../messages" */

/**
 * @param {Leader} leader
 * @param {number} place
 */
function row({ player, won, lost }, place) {
  const face = h("span.medal", { "aria-hidden": "true" });
  face.innerHTML = faceSvg(player);
  return h(
    `tr.rank-${place + 1}`,
    {},
    h("td", {}, String(place + 1)),
    h("th", { scope: "row" }, h("a.who", { href: playerPage(player) }, face, h("bdi", {}, player))),
    h("td.n", {}, t("{won} of {games}", { won, games: won + lost })),
    h("td.n", {}, percent(won / (won + lost))),
  );
}

connectHead();
const told = await counted("/api/leaders");
for (const board of /** @type {const} */ (["challengers", "backers"])) {
  // Nobody leads who has won nothing.
  const leaders = (told?.[board] ?? []).filter(({ won }) => won);
  byId(board).append(...leaders.map(row));
  show(byId(`no-${board}`), Boolean(told && !leaders.length));
  show(byId(`list-${board}`), leaders.length > 0);
}
