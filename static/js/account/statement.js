// The account statement: two views, and filters.

import { all, byId, h, show, text } from "../common/dom.js";
import { gamePage } from "../common/urls.js";
import { gameName, isPoule } from "../text/game_names.js";
import { amount, moment, signed, t, tn } from "../text/i18n.js";
import { filterLines, gameLines, movementLines } from "./statement_filter.js";

/** @import { StatementLine } from "./statement_filter.js" */

const MAX_ROWS = 200;

// Said: correction
/** @type {Record<string, string>} */
const KIND_TEXTS = {
  won: "game won",
  lost: "game lost",
  bet_won: "bet won",
  bet_lost: "bet lost",
  even: "break-even game",
  open: "game still open",
  void: "game void",
  grant: "chips from the casino",
  hold: "put at risk",
  release: "came back",
  settle: "came back after the game",
  correct: "correction",
};

/** Show the statement of an account, and connect its filters. @param {Wire.Statement} account */
export function connectStatement({ changes, open_games, bets }) {
  const betOn = bets.map(({ game }) => game);
  const games = gameLines(changes, open_games, betOn).reverse();
  const moves = movementLines(changes).reverse();
  const lines = () => (byId("view-games", HTMLInputElement).checked ? games : moves);
  const begin = () => {
    showKinds(lines());
    render(lines());
  };
  for (const view of all("input[name=statement-view]")) view.addEventListener("change", begin);
  for (const name of ["kind", "game", "day"])
    byId(`statement-${name}`).addEventListener("input", () => render(lines()));
  byId("statement-filters").addEventListener("reset", () => requestAnimationFrame(begin));
  byId("statement-filters").addEventListener("submit", (event) => event.preventDefault());
  begin();
}

/** @param {StatementLine[]} lines */
function showKinds(lines) {
  const kinds = [...new Set(lines.map(({ kind }) => kind))];
  byId("statement-kind").replaceChildren(
    h("option", { value: "" }, t("everything")),
    ...kinds.map((kind) => h("option", { value: kind }, kindText(kind))),
  );
}

/** @param {StatementLine[]} all */
function render(all) {
  const lines = filterLines(all, {
    kind: byId("statement-kind", HTMLSelectElement).value,
    game: byId("statement-game", HTMLInputElement).value,
    day: byId("statement-day", HTMLInputElement).value,
  });
  byId("changes").replaceChildren(...lines.slice(0, MAX_ROWS).map(row));
  const sum = signed(lines.reduce((cents, line) => cents + line.cents, 0));
  const summary = tn("{n} line, {sum} in total.", "{n} lines, {sum} in total.", { n: lines.length, sum });
  const truncated = lines.length > MAX_ROWS ? ` ${t("The newest {n} are shown.", { n: MAX_ROWS })}` : "";
  text(byId("statement-sum"), summary + truncated);
  show(byId("statement-list"), lines.length > 0);
}

/** @param {string} kind */
const kindText = (kind) => t(KIND_TEXTS[kind] ?? kind);

/** @param {StatementLine} line */
function row({ kind, at_ms, game, cents, balance_cents }) {
  const over =
    ["won", "lost", "bet_won", "bet_lost", "even", "void", "settle"].includes(kind) && !isPoule(game);
  const gain = cents < 0 ? "lost" : cents > 0 ? "won" : "even";
  return h(
    "tr",
    h("td", moment(at_ms)),
    h("td", kindText(kind)),
    h("td", over && game ? h("a", { href: gamePage(game) }, gameName(game)) : game && gameName(game)),
    h(`td.n.${kind === "open" || kind === "hold" ? "even" : gain}`, signed(cents)),
    h("td.n", amount(balance_cents)),
  );
}
