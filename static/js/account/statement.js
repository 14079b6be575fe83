// The statement of an account on its page: two ways to read it, and filters.

import { byId, h, show, text } from "../common/dom.js";
import { gamePage } from "../common/urls.js";
import { gameName } from "../text/game_names.js";
import { amount, moment, signed, t, tn } from "../text/i18n.js";
import { byGame, movements, wanted } from "./statement_filter.js";

/** @import { Change } from "../state/messages" */
/** @import { Line } from "./statement_filter.js" */

const ROWS = 200;

// Said: correction
/** @type {Record<string, string>} */
const KINDS = {
  won: "game won",
  lost: "game lost",
  even: "game without gain or loss",
  open: "game still open",
  void: "game void",
  grant: "chips from the house",
  hold: "put at risk",
  release: "came back",
  settle: "came back after the game",
  correct: "correction",
};

/** The lines of an account, as the filters of its page ask for them. */
export class Statement {
  /**
   * @param {Change[]} changes
   * @param {string[]} open games in which chips are still at risk
   */
  constructor(changes, open) {
    this.views = { games: byGame(changes, open).reverse(), moves: movements(changes).reverse() };
    /** @type {NodeListOf<HTMLInputElement>} */
    const views = document.querySelectorAll("input[name=statement-view]");
    for (const view of views) view.addEventListener("change", () => this.begin());
    for (const name of ["kind", "game", "day"]) {
      byId(`statement-${name}`).addEventListener("input", () => this.render());
    }
    byId("statement-filters", HTMLFormElement).addEventListener("reset", () =>
      requestAnimationFrame(() => this.begin()),
    );
    byId("statement-filters").addEventListener("submit", (event) => event.preventDefault());
    this.begin();
  }

  /** @returns {Line[]} */
  get lines() {
    return this.views[byId("view-games", HTMLInputElement).checked ? "games" : "moves"];
  }

  /** Offer the kinds that there are. */
  begin() {
    const kinds = [...new Set(this.lines.map(({ kind }) => kind))];
    byId("statement-kind").replaceChildren(
      h("option", { value: "" }, t("everything")),
      ...kinds.map((kind) => h("option", { value: kind }, words(kind))),
    );
    this.render();
  }

  render() {
    const found = wanted(this.lines, {
      kind: byId("statement-kind", HTMLSelectElement).value,
      game: byId("statement-game", HTMLInputElement).value,
      day: byId("statement-day", HTMLInputElement).value,
    });
    byId("changes").replaceChildren(...found.slice(0, ROWS).map(row));
    const sum = found.reduce((cents, line) => cents + line.cents, 0);
    const told = tn("{n} line, together {sum}.", "{n} lines, together {sum}.", {
      n: found.length,
      sum: signed(sum),
    });
    const cut = found.length > ROWS ? ` ${t("The newest {n} are shown.", { n: ROWS })}` : "";
    text(byId("statement-sum"), told + cut);
    show(byId("statement-list"), found.length > 0);
  }
}

/** @param {string} kind */
const words = (kind) => t(KINDS[kind] ?? kind);

/** @param {Line} line */
function row({ kind, at_ms, game, cents, balance_cents }) {
  const over = ["won", "lost", "even", "void", "settle"].includes(kind);
  const gain = cents < 0 ? "lost" : cents > 0 ? "won" : "even";
  return h(
    "tr",
    {},
    h("td", {}, moment(at_ms)),
    h("td", {}, words(kind)),
    h("td", {}, over && game ? h("a", { href: gamePage(game) }, gameName(game)) : game && gameName(game)),
    h(`td.n.${kind === "open" || kind === "hold" ? "even" : gain}`, {}, signed(cents)),
    h("td.n", {}, amount(balance_cents)),
  );
}
