// The last games of a table, each linked to its replay.

import { byId, fill, h } from "../common/dom.js";
import { gamePage } from "../common/urls.js";
import { gameKind, gameNumber } from "../text/event_text.js";
import { t } from "../text/i18n.js";

/** @import { Table } from "../state/table" */

/** @param {Table} state */
export function renderRecentGames(state) {
  const games = state.road.slice(-36).reverse();
  fill(byId("road"), games.map((one) => one.game).join(), () =>
    games.map((one) => {
      const words = one.winner
        ? t("Game {n}: the {winner}, {kind}", {
            n: gameNumber(one.game),
            winner: t(one.winner),
            kind: gameKind(one.stake),
          })
        : t("Game {n}: void", { n: gameNumber(one.game) });
      return h(
        "li",
        {},
        h(
          `a.${one.winner ?? "void"}`,
          { href: gamePage(one.game), title: words },
          h("span", { "aria-hidden": "true" }, one.winner ? String(one.stake) : "·"),
          h("span.visually-hidden", {}, words),
        ),
      );
    }),
  );
}
