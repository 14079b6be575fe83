// After a game: the settlement card, and the road of the last games.

import { auditPage, gamePage } from "./address.js";
import { byId, fill, h, show, text } from "./dom.js";
import { chips, signed, t } from "./i18n.js";
import { bettorName, gameKind, nameOf } from "./narrate.js";

/** @import { Outcome } from "./messages" */
/** @import { Game, Table, You } from "./table" */
/** @typedef {NonNullable<Game["settled"]>} Settled */

const MOST_ROWS = 12;

/** The settlement of a game that is over; it goes when the next game opens or at a click. */
export class Settlement {
  /** @type {string | undefined} */
  game;
  /** @type {string | undefined} */
  closed;

  constructor() {
    byId("settlement-close").addEventListener("click", () => {
      this.closed = this.game;
      show(byId("settlement"), false);
    });
  }

  /** @param {Table} state */
  render(state) {
    const { game } = state;
    const { result = null, settled = null } = game ?? {};
    this.game = game?.id;
    show(byId("settlement"), Boolean(result && settled && this.closed !== this.game));
    if (!game || !result || !settled) return;
    const { winner, stake, score } = result;
    text(byId("settlement-title"), t("{name} wins", { name: nameOf(state, winner) }));
    byId("settlement-kind").dataset.stake = String(stake);
    text(byId("settlement-kind"), `${gameKind(stake)} ×${stake}`);
    const cut = game.cutsOpened ? "" : ` · ${t("cut by nobody")}`;
    text(byId("settlement-score"), `${score.house} – ${score.challenger}${cut}`);
    byId("settlement-link", HTMLAnchorElement).href = gamePage(game.id);
    byId("settlement-verify", HTMLAnchorElement).href = auditPage(game.id);
    this.renderMine(settled, state.you);
    this.renderRows(state, settled);
  }

  /**
   * @param {Settled} settled
   * @param {You} you
   */
  renderMine({ bets, principals }, you) {
    const mine = [...principals, ...bets].filter((bet) => bet.player === you.name && you.name);
    const sum = mine.reduce((total, bet) => total + bet.gain_cents - bet.commission_cents, 0);
    show(byId("settlement-mine"), mine.length > 0);
    byId("settlement-mine").classList.toggle("won", sum > 0);
    text(byId("settlement-result"), signed(sum));
  }

  /**
   * @param {Table} state
   * @param {Settled} settled
   */
  renderRows(state, { bets, principals }) {
    const { you } = state;
    const rows = [...bets].sort(
      (a, b) => Number(b.player === you.name) - Number(a.player === you.name) || b.gain_cents - a.gain_cents,
    );
    fill(byId("settlement-rows"), `${this.game}${rows.length}`, () => [
      ...principals.map((stake) => this.row(state, stake, t("plays"))),
      ...rows.slice(0, MOST_ROWS).map((bet) => this.row(state, bet, nameOf(state, bet.side))),
    ]);
    const more = rows.length - MOST_ROWS;
    text(byId("settlement-more"), more > 0 ? t("and {n} more", { n: more }) : "");
    const paid = rows.reduce((sum, bet) => sum + Math.max(0, -bet.gain_cents), 0);
    const fees = rows.reduce((sum, bet) => sum + bet.commission_cents, 0);
    text(
      byId("settlement-sum"),
      rows.length
        ? t("The losers paid {paid}: {won} to the winners, {fees} commission.", {
            paid: chips(paid),
            won: chips(paid - fees),
            fees: chips(fees),
          })
        : t("Nobody bet on this game."),
    );
  }

  /**
   * @param {Table} state
   * @param {Outcome} outcome
   * @param {string} side
   */
  row({ you }, { player, matched_cents, gain_cents, commission_cents }, side) {
    const sign = gain_cents > 0 ? ".won" : gain_cents < 0 ? ".lost" : "";
    return h(
      `tr${player === you.name ? ".mine" : ""}`,
      {},
      h("th", { scope: "row" }, bettorName(player, you)),
      h("td", {}, side),
      h("td.n", {}, matched_cents ? chips(matched_cents) : "–"),
      h(`td.n${sign}`, {}, matched_cents ? signed(gain_cents) : t("unmatched")),
      h("td.n", {}, commission_cents ? chips(commission_cents) : "–"),
    );
  }
}

/**
 * The road: who won the last games, and how; each opens its game.
 * @param {Table} state
 */
export function renderRoad(state) {
  const games = state.road.slice(-36);
  fill(byId("road"), games.map((one) => one.game).join(), () =>
    games.map((one) => {
      const who = one.winner ? t(one.winner) : t("void");
      const words = one.winner
        ? t("{game}: the {winner}, {kind}", {
            game: one.game,
            winner: who,
            kind: gameKind(one.stake),
          })
        : t("{game}: void", { game: one.game });
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
  /** @param {string} seat */
  const won = (seat) => state.road.filter((one) => one.winner === seat).length;
  text(
    byId("road-sum"),
    t("House {house} · Challenger {challenger}", {
      house: won("house"),
      challenger: won("challenger"),
    }),
  );
}
