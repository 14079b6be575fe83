// The lobby: the first table live on its felt, the others small.

import { get } from "../common/api.js";
import { byId, fill, h, oncePerFrame, setAttributes, text, within } from "../common/dom.js";
import { showLoadError } from "../common/head.js";
import { tablePage } from "../common/urls.js";
import { renderFelt, renderRing } from "../felt/felt.js";
import { createMiniTable, markedName, renderMiniTable } from "../felt/mini_table.js";
import { openSocket } from "../state/connection.js";
import { Spectator } from "../state/spectator.js";
import { emptyTable, heldCents, newGame, stakedCents, viewerBets } from "../state/table_state.js";
import { renderOddsBar } from "../table/odds_bar.js";
import { describePhase, nameOf } from "../text/event_text.js";
import { amount, chips, t, tn } from "../text/i18n.js";

const REFRESH_MS = 3000;
const SECOND_MS = 1000;
// Tables followed card by card; the others show only the score.
const MAX_LIVE = 12;
const USUAL_TARGET = 5;

/** A live table of the lobby, on the felt or small. */
class LobbyTable {
  /**
   * @param {Wire.Summary} summary
   * @param {boolean} isLive whether it is followed card by card
   * @param {HTMLElement | null} element its place on the page
   */
  constructor(summary, isLive, element) {
    const { table, title } = summary;
    this.summary = summary;
    this.isLive = isLive;
    this.isHero = Boolean(element?.matches(".first-salon"));
    const cloth = createMiniTable();
    this.hints = h("div");
    const link = h("h3", h("a", { href: tablePage(table) }, title || table));
    this.element = element ?? h("li.preview", link, h("span.button", { "aria-hidden": "true" }, t("Enter")));
    if (!this.isHero) {
      this.element.prepend(cloth);
      this.element.append(this.hints);
    }
    this.render = oncePerFrame(() => {
      if (this.isHero) this.renderHero();
      else renderMiniTable(cloth, this.spectator.state);
      this.renderHints();
    });
    this.spectator = new Spectator(table, this.render);
    this.render();
    if (isLive) this.follow();
  }

  async follow() {
    this.spectator.follow(await socket, undefined, true);
    setInterval(() => this.spectator.state.game?.phase === "betting" && this.render(), SECOND_MS);
  }

  renderHero() {
    const { state, caption } = this.spectator;
    renderFelt(state, null);
    text(within(byId("plate-challenger"), ".name"), markedName(state, "challenger"));
    renderOddsBar(state);
    renderRing(state);
    caption.render();
  }

  /** The table with the viewer's own part in its game. */
  get ownState() {
    const name = byId("purse").hidden ? "" : (byId("purse-name").textContent ?? "");
    const { state } = this.spectator;
    return { ...state, you: { ...state.you, name } };
  }

  /** @param {Wire.Summary} summary */
  showSummary(summary) {
    this.summary = summary;
    if (this.isLive) this.render();
    else this.spectator.show(fromSummary(summary));
  }

  renderHints() {
    const { summary } = this;
    const { state } = this.spectator;
    const said = this.isLive && summary.game ? null : state;
    const hints = hintTexts(summary, said, state.target);
    const words = [betText(this.ownState), ...hints].filter(Boolean);
    if (this.isHero) text(byId("first-hint"), words.join(" · "));
    this.element.classList.toggle("busy", Boolean(summary.game));
    if (summary.host && summary.game) this.element.classList.toggle("free", !summary.bots?.challenger);
    if (!this.isHero) fill(this.hints, words.join(), () => words.map((one) => h("p.hint", one)));
    const held = [...previews.values()].reduce((sum, { ownState }) => sum + heldCents(ownState), 0);
    text(byId("held"), held ? t("{n} held", { n: amount(held) }) : "");
  }
}

/** @param {Wire.Summary} summary @returns {State.Table} */
function fromSummary({ table, game, house, challenger = "", bots, score }) {
  const state = emptyTable(table);
  if (!game) return state;
  const opened = newGame({ game, players: { house, challenger }, bots });
  return { ...state, game: { ...opened, score: score ?? opened.score } };
}

/** Return what the viewer has bet in the game, in words. @param {State.Table} state */
function betText(state) {
  const [bet] = heldCents(state) ? viewerBets(state) : [];
  if (!bet) return "";
  return t("Your bet: {n} on {name}", { n: amount(stakedCents(state)), name: nameOf(state, bet.side) });
}

/**
 * @param {Wire.Summary} summary
 * @param {State.Table | null} state what is said of it, unless its felt shows that
 * @param {number} target
 */
function hintTexts(
  { game, phase, deal, bets = 0, watching, stake_cents, limits, poule, host },
  state,
  target,
) {
  const doing = !state
    ? ""
    : !game
      ? describePhase(state)[0] || (host && t("No game is being played"))
      : phase === "betting"
        ? t("Betting is open")
        : deal
          ? t("Deal {n}", { n: deal })
          : t("Bets are closed");
  const counts = [
    doing,
    bets && tn("{n} bet", "{n} bets", { n: bets }),
    watching && tn("{n} watching", "{n} watching", { n: watching }),
    target !== USUAL_TARGET && t("{n} points to win", { n: target }),
  ];
  const terms = poule
    ? t("Poule of {players} players, entry {entry}: {wins} wins in a row take the pool", {
        ...poule,
        entry: chips(poule.entry_cents),
      })
    : t("Players stake {stake} each; bets are {least} to {most}", {
        stake: chips(stake_cents),
        least: chips(limits.least_cents),
        most: chips(limits.greatest_cents),
      });
  return [counts.filter(Boolean).join(" · "), terms].filter(Boolean);
}

/** @type {Map<string, LobbyTable>} */
const previews = new Map();
const socket = openSocket();

async function refresh() {
  const answer = await get("/api/tables");
  showLoadError(answer);
  if (!answer.ok) return;
  const { tables, play_at, can_play } = answer;
  setAttributes(byId("play"), { href: `${tablePage(play_at)}#play` });
  text(byId("play"), can_play ? t("Play now") : t("Queue for a seat"));
  for (const summary of tables) {
    let preview = previews.get(summary.table);
    if (!preview) {
      const element = document.getElementById(`at-${summary.table}`);
      preview = new LobbyTable(summary, previews.size < MAX_LIVE && !summary.host, element);
      previews.set(summary.table, preview);
      if (!element) byId("tables").append(preview.element);
    }
    preview.showSummary(summary);
  }
  for (const [table, preview] of previews)
    if (!tables.some((summary) => summary.table === table)) {
      preview.element.remove();
      previews.delete(table);
    }
}

if (document.getElementById("host-open")) import("../common/host_dialog.js");
refresh();
setInterval(() => document.hidden || refresh(), REFRESH_MS);
