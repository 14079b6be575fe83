// The results of one table: who won what, a check of its games in this browser, and games that its host
// orders, which bots play without pauses.

import { post, refusal } from "../common/api.js";
import { all, byId, show, text, within } from "../common/dom.js";
import { urlFor } from "../common/urls.js";
import { faultsText, gamesPaidText, problemRow } from "../text/finding_text.js";
import { amount, loadTexts, percent, signed, t, tn } from "../text/i18n.js";
import { checkFile } from "../verify/saved_file.js";

const REFRESH_MS = 1000;

await loadTexts("table_results");

/** The order that is or was being played. @type {NonNullable<Wire.Statistics["ordered"]> | null} */
let order = null;

/**
 * Show what the statistics of one table have more, follow an order, and connect the buttons.
 * @param {string} table
 * @param {Wire.Statistics} stats
 * @param {() => Promise<Wire.Statistics | null>} load fetches and draws the statistics
 */
export function connectResults(table, stats, load) {
  follow(stats, load);
  for (const button of orderButtons())
    button.addEventListener("click", async () => {
      const answer = await post("/api/hosted/ID/games", { games: Number(button.value) }, table);
      text(byId("order-fault"), answer.ok ? "" : await refusal(answer));
      if (answer.ok) order = answer;
      follow(await load(), load);
    });
  const check = byId("check", HTMLButtonElement);
  check.addEventListener("click", () => checkGames(table));
  check.disabled = false;
}

/** Check the file of a table's games in this browser, as verify.html does, and name every fault. @param {string} table */
async function checkGames(table) {
  const button = byId("check", HTMLButtonElement);
  const verdict = byId("verdict-line");
  button.disabled = true;
  text(verdict, t("Checking…"));
  try {
    const answer = await fetch(urlFor(`/games/${encodeURIComponent(table)}.jsonl`));
    // A refusal is no game, and must not look like a false one.
    if (!answer.ok) throw new Error(answer.statusText);
    const file = await answer.blob();
    const { findings, faults, games } = await checkFile(file, "", (done) =>
      text(verdict, `${t("Checking…")} ${percent(done / file.size)}`),
    );
    const wrong = findings.filter(({ good }) => good === false);
    byId("findings").replaceChildren(...wrong.map(problemRow));
    verdict.className = `verdict-line ${faults ? "bad" : "good"}`;
    text(verdict, faults ? faultsText(faults) : `✓ ${gamesPaidText(games ?? 0)}`);
  } catch {
    text(verdict, t("The casino does not answer."));
  }
  button.disabled = false;
}

const orderButtons = () => all("#order button", HTMLButtonElement);

/** @param {Wire.Statistics | null} stats @param {() => Promise<Wire.Statistics | null>} load */
async function follow(stats, load) {
  while (stats) {
    renderSums(stats);
    renderOrder(stats);
    if (!stats.ordered) break;
    await new Promise((resolve) => setTimeout(resolve, REFRESH_MS));
    stats = await load();
  }
}

/** @param {Wire.Statistics} stats */
function renderOrder({ games, void: voids, ordered = null }) {
  for (const button of orderButtons()) button.disabled = Boolean(ordered);
  // Only the last of the words that change each second is spoken.
  byId("main").setAttribute("aria-busy", String(Boolean(ordered)));
  order = ordered ?? order;
  show(byId("progress"), Boolean(order));
  if (!order) return;
  const { first, last } = order;
  const all = last + 1 - first;
  const done = Math.min(all, Math.max(0, games + voids + 1 - first));
  const bar = within(byId("progress"), "progress", HTMLProgressElement);
  bar.max = all;
  bar.value = done;
  const words = ordered
    ? t("{done} of {all} games played…", { done, all })
    : t("Done: {done} of {all} games played.", { done, all });
  text(within(byId("progress"), "span"), words);
}

/** @param {Wire.Statistics} stats */
function renderSums({ statement }) {
  if (!statement) return;
  for (const name of /** @type {const} */ (["house", "challengers", "bettors", "commission"]))
    text(byId(`sum-${name}`), signed(statement[`${name}_cents`]));
  const bets = tn("{n} bet", "{n} bets", { n: statement.bets });
  const { poules: n, pools_cents, people_pools_cents } = statement;
  const pools = { n, house: amount(pools_cents - people_pools_cents), people: amount(people_pools_cents) };
  const words = [
    bets,
    t("{n} matched on each side", { n: amount(statement.matched_cents) }),
    n &&
      tn(
        "{n} poule won: {house} to bots of the casino, {people} to people",
        "{n} poules won: {house} to bots of the casino, {people} to people",
        pools,
      ),
  ];
  text(byId("bets"), words.filter(Boolean).join(" · "));
}
