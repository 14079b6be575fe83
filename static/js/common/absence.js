// What the viewer's chips did while no page of theirs showed it: one strip, from their own statement.

import { gameLines } from "../account/statement_filter.js";
import { loadTexts, signed, t, tn } from "../text/i18n.js";
import { get } from "./api.js";
import { byId, h } from "./dom.js";
import { removeUnseen, unseenGames } from "./unseen_games.js";
import { gamePage, urlFor } from "./urls.js";

/** @import { StatementLine } from "../account/statement_filter.js" */

await loadTexts("absence");

/** Show which games of the viewer have ended unseen, and what they brought. */
export async function showAbsence() {
  const asked = unseenGames();
  const answer = await get("/api/statement");
  if (!answer.ok) return;
  const unseen = unseenGames();
  const over = Object.keys(asked).filter((game) => !answer.open_games.includes(game));
  for (const game of over) removeUnseen(game);
  const lines = gameLines(answer.changes, answer.open_games).filter(
    ({ game }) => over.includes(game) && unseen[game],
  );
  if (lines.length) renderStrip(lines, asked);
}

/** @param {StatementLine[]} lines @param {Record<string, string>} names */
function renderStrip(lines, names) {
  const cents = lines.reduce((sum, line) => sum + line.cents, 0);
  const [{ game }] = lines;
  const link =
    lines.length > 1
      ? h("a", { href: urlFor("/account") }, tn("{n} game", "{n} games", { n: lines.length }))
      : h("a", { href: gamePage(game) }, names[game]);
  const strip = h(
    "p.absence",
    h("span", t("While you were away:"), " ", link),
    h(cents > 0 ? "b.won" : cents < 0 ? "b.lost" : "b", signed(cents)),
    h("button.close", { type: "button", "aria-label": t("Close"), onclick: () => strip.remove() }, "×"),
  );
  document.querySelector(".absence")?.remove();
  byId("main").before(strip);
}
