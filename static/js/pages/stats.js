// Charts over all finished games, or those of one table.

import { fetchUntilComplete, intervalRow } from "../account/paged_stats.js";
import { curveSvg, scoresByWinner } from "../account/plots.js";
import { byId, h, show } from "../common/dom.js";
import "../common/head.js";
import { botName } from "../felt/avatars.js";
import { gameKind } from "../text/event_text.js";
import { percent, t } from "../text/i18n.js";

/** @param {Wire.Pairing} pairing */
function pairRow({ won, lost, ...bots }) {
  const challenger = bots.challenger === null ? t("visitors") : botName(bots, "challenger");
  const pair = t("{house} against {challenger}", { house: botName(bots), challenger });
  return intervalRow(pair, won, won + lost);
}

/** @param {Wire.FinalScore[]} scores */
function scoreRows(scores) {
  const rows = scoresByWinner(scores);
  const most = Math.max(1, ...rows.flatMap(({ house, challenger }) => [house, challenger]));
  /** @param {"house" | "challenger"} side @param {number} n */
  const cell = (side, n) =>
    h(`td.${side}`, h("i", { "aria-hidden": "true", "--share": n / most }), h("span", String(n)));
  return rows.map(({ target, points, house, challenger }) =>
    h(
      "tr",
      cell("house", house),
      h("th", { scope: "row" }, `${target} : ${points}`),
      cell("challenger", challenger),
    ),
  );
}

/** @param {number[]} stakes */
function stakeRows(stakes) {
  const games = stakes.reduce((sum, n) => sum + n, 0);
  return stakes.map((n, at) => {
    const share = n / Math.max(1, games);
    const bar = h("i", { "aria-hidden": "true", "--share": share });
    return h("li", h("span", gameKind(at + 1)), bar, h("b", percent(share)));
  });
}

/** @param {Wire.Statistics} stats */
function draw(stats) {
  show(byId("told"), Boolean(stats.games));
  show(byId("none"), !stats.games);
  if (!stats.games) return;
  byId("pairs").replaceChildren(...stats.pairs.map(pairRow));
  byId("scores").replaceChildren(...scoreRows(stats.scores));
  byId("stakes").replaceChildren(...stakeRows(stats.stakes));
  const course = byId("course");
  course.innerHTML = curveSvg(stats.course);
  const won = stats.course.at(-1)?.[1] ?? 0;
  const share = won / stats.games;
  course.append(h("small", percent(0.5)), h("b", { "--share": share }, percent(share)));
  course.setAttribute("aria-label", t("The house won {won} of {games} games.", { won, games: stats.games }));
}

const { table = "" } = byId("main").dataset;

async function load() {
  const stats = await fetchUntilComplete("/api/statistics", table ? { table } : {});
  if (stats) draw(stats);
  return stats;
}

byId("table").addEventListener("change", () => byId("choose", HTMLFormElement).submit());
load().then(async (stats) => {
  if (table && stats) (await import("../account/table_results.js")).connectResults(table, stats, load);
});
