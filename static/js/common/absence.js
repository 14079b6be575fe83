// What the viewer's chips did while no page of theirs showed it: one card, from their own statement.

import { gameLines } from "../account/statement_filter.js";
import { loadTexts, signed, t, tn } from "../text/i18n.js";
import { get } from "./api.js";
import { h } from "./dom.js";
import { removeUnseen, unseenGames } from "./unseen_games.js";
import { gamePage, urlFor } from "./urls.js";

/** @import { StatementLine } from "../account/statement_filter.js" */

await loadTexts("absence");

const MAX_ROWS = 4;

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
  if (lines.length) renderCard(lines.reverse(), asked);
}

/** @param {StatementLine[]} lines newest first @param {Record<string, string>} names */
function renderCard(lines, names) {
  const sum = lines.reduce((cents, line) => cents + line.cents, 0);
  const n = lines.length;
  const words = tn("{n} game with your chips is over:", "{n} games with your chips are over:", { n });
  const close = () => card.remove();
  const card = h(
    "aside.card.absence",
    { "aria-labelledby": "absence-title" },
    h("button.close", { type: "button", "aria-label": t("Close"), onclick: close }, "×"),
    h("h2", { id: "absence-title" }, t("While you were away")),
    h("p", `${words} `, gain(sum)),
    h("ul", ...lines.slice(0, MAX_ROWS).map((line) => row(line, names[line.game]))),
    h("a", { href: urlFor("/account") }, t("Details in your account")),
  );
  document.querySelector(".absence")?.remove();
  document.querySelector(".side, main:not(:has(.side))")?.prepend(card);
}

/** @param {StatementLine} line @param {string} name */
const row = ({ game, cents }, name) => h("li", h("a", { href: gamePage(game) }, name), " ", gain(cents));

/** @param {number} cents */
const gain = (cents) => h(cents > 0 ? "b.won" : cents < 0 ? "b.lost" : "b", signed(cents));
