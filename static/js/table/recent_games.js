// The last games of a table, each linked to its replay.

import { all, byId, fill, h } from "../common/dom.js";
import { gamePage } from "../common/urls.js";
import { gameKind, gameNumber } from "../text/event_text.js";
import { t } from "../text/i18n.js";

/** @import { Table } from "../state/table" */

/** @param {Table} state */
export function renderRecentGames(state) {
  const games = state.road.slice(-36).reverse();
  fill(byId("road"), games.map((one) => one.game).join(), () =>
    games.map((one, n) => {
      const words = one.winner
        ? t("Game {n}: the {winner}, {kind}", {
            n: gameNumber(one.game),
            winner: t(one.winner),
            kind: gameKind(one.stake),
          })
        : t("Game {n}: void", { n: gameNumber(one.game) });
      return h(
        "li",
        h(
          `a.${one.winner ?? "void"}`,
          { href: gamePage(one.game), title: words, tabindex: n ? -1 : null },
          h("span", { "aria-hidden": "true" }, one.winner ? String(one.stake) : "·"),
          h("span.visually-hidden", words),
        ),
      );
    }),
  );
}

/** Let the arrows go from game to game: for Tab they are one stop. */
export function connectRecentGames() {
  byId("road").addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const links = [...all("#road a", HTMLAnchorElement)];
    if (step) links[links.indexOf(/** @type {HTMLAnchorElement} */ (event.target)) + step]?.focus();
    // Not a side to bet on.
    if (step) event.stopPropagation();
  });
}
