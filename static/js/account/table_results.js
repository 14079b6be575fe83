// The results of one table: who won what, and a check of its games in this browser.

import { byId, h, text } from "../common/dom.js";
import { amount, loadTexts, signed, t, tn } from "../text/i18n.js";

/** @import { Statistics } from "../state/messages" */

await loadTexts("table_results");

/**
 * Show what the statistics of one table have more, and connect the check of its games.
 * @param {string} table
 * @param {Statistics} stats
 */
export function connectResults(table, stats) {
  renderSums(stats);
  byId("check").addEventListener("click", async () => (await import("./games_check.js")).checkGames(table));
}

/** @param {Statistics} stats */
function renderSums({ statement }) {
  if (!statement) return;
  /** @type {[string, number][]} */
  const sums = [
    [t("House"), statement.house_cents],
    [t("Challenger"), statement.challengers_cents],
    [t("Bettors"), statement.bettors_cents],
    [t("The house’s commission"), statement.commission_cents],
  ];
  const rows = sums.map(([words, cents]) =>
    h("tr", {}, h("th", { scope: "row" }, words), h("td.n", {}, signed(cents))),
  );
  byId("sums").replaceChildren(...rows);
  const bets = tn("{n} bet", "{n} bets", { n: statement.bets });
  text(byId("bets"), `${bets} · ${t("{n} matched on each side", { n: amount(statement.matched_cents) })}`);
}
