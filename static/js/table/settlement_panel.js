// What the viewer's bets may bring, and the result of a game, until they close it or the next book is locked. Loaded
// after the page.

import { byId, fill, h, recall, remember, show, text, within } from "../common/dom.js";
import { removeUnseen } from "../common/unseen_games.js";
import { auditPage, gamePage } from "../common/urls.js";
import { netWin, stakeMultiplier } from "../state/matching.js";
import { isStakeReturned, viewerBets } from "../state/table_state.js";
import { isYou, opponent, SEATS } from "../state/tokens.js";
import { STAKE_RETURNED } from "../text/caption.js";
import {
  bettorName,
  forfeitText,
  gameKind,
  gameWonText,
  nameOf,
  pouleResultText,
} from "../text/event_text.js";
import { amount, chips, loadTexts, signed, t } from "../text/i18n.js";
import { stakesOf } from "../verify/settlement.js";
import { commissionText, matchedText, ownBets } from "./bet_spots.js";

export { animateChips, returnChips } from "../felt/chip_animation.js";

await loadTexts("settlement_panel");
/** @import { PouleOutcome } from "./poule_panel.js" */
/** @typedef {Pick<State.Table, "pouleResult"> & { game: State.Game, outcome: PouleOutcome | null }} Shown */

const MAX_ROWS = 60;
const box = byId("settlement");
const KEPT = `outcome.${byId("main").dataset.table}`;

/** The game whose result is shown. @type {Shown | null} */
let shown = null;
let title = "";
/** The viewer's last game or bet here, until it is known whether another game has followed. */
let kept = JSON.parse(recall(KEPT, "null"));

byId("share").addEventListener("click", async () => {
  const link = new URL(byId("settlement-link", HTMLAnchorElement).href, location.href).href;
  const { shareLink } = await import("../common/share_link.js");
  if (await shareLink(link, title)) showShared(t("Copied."));
});
byId("settlement-keep").addEventListener("click", () => remember("password", "told"));
byId("settlement-open").addEventListener("click", () => showDetails(true));
box.addEventListener("keydown", ({ key }) => key === "Escape" && isReopened() && showDetails(false));
byId("settlement-close").addEventListener("click", () => {
  if (isReopened()) return showDetails(false);
  shown = null;
  remember(KEPT, "null");
  show(box, false);
});

const isReopened = () => box.classList.contains("reopened");

/** Show all of a kept result, or its one line. @param {boolean} isOpen */
function showDetails(isOpen) {
  box.classList.toggle("reopened", isOpen);
  box.classList.toggle("kept", !isOpen);
  byId(isOpen ? "settlement-close" : "settlement-open").focus();
}

/** @param {string} words said on the button, or nothing */
function showShared(words) {
  const button = byId("share");
  button.classList.toggle("done", Boolean(words));
  text(within(button, "b"), words);
  if (words) text(byId("live"), words);
}

/** Count down to the next bets by the table's clock, if someone will play. @param {State.Table} state */
export function renderCountdown({ game, bot, queue, endsAt, you, poule }) {
  const left = game?.settled && (bot || queue.length) ? Math.ceil(((endsAt ?? 0) - Date.now()) / 1000) : 0;
  const words =
    game?.players.challenger === you.name && !poule && !queue.length
      ? t("The seat is yours for {n} s", { n: left })
      : t("Betting reopens in {n} s", { n: left });
  text(byId("settlement-next"), left > 0 ? words : "");
}

/** @param {State.Table} state @param {typeof import("./poule_panel.js") | null} poule */
export function renderSettlement(state, poule) {
  const { game, pouleResult } = state;
  const isNew = Boolean(game?.settled);
  const isFirst = isNew && game && shown?.game.id !== game.id;
  if (kept && state.version) {
    if (kept.viewer === state.you.name && state.road.at(-1)?.game === kept.game.id) shown = kept;
    kept = null;
  }
  if (isNew && game) shown = { game, pouleResult, outcome: poule?.pouleOutcome(state) ?? null };
  // It stays while the next book is open.
  else if (game && game.phase !== "betting") shown = null;
  if (isFirst) {
    showShared("");
    removeUnseen(game.id);
    const isOwn = shown?.outcome || ownOutcomes(state, game).length > 0;
    remember(KEPT, JSON.stringify(isOwn ? { ...shown, viewer: state.you.name } : null));
  }
  show(box, shown !== null);
  const isKept = !isNew && game !== null;
  if (!isKept || !shown) box.classList.remove("reopened");
  box.classList.toggle("kept", isKept && !isReopened());
  for (const name of ["open", "close"]) show(byId(`settlement-${name}`), !isNew);
  const purse = byId("settlement-purse");
  const balance = t("balance {n}", { n: amount(state.you.balance_cents ?? 0) });
  if (isNew) text(purse, balance);
  // Later the next game or bet holds some of it.
  show(purse, purse.textContent === balance);
  if (shown) renderResult({ ...state, ...shown }, shown);
  if (isFirst && game.result) {
    // Who won, and what the viewer won or lost: once, and together.
    const { winner } = game.result;
    const n = byId("settlement-result").textContent ?? "";
    const values = { n, purse: amount(state.you.balance_cents ?? 0) };
    const own = byId("settlement-mine").hidden
      ? byId("settlement-lines").textContent
      : t("Your result: {n}. Your balance: {purse}.", values);
    const won = shown?.outcome
      ? byId("settlement-title").textContent
      : gameWonText(nameOf(state, winner), game.result, isYou(state, winner));
    text(byId("live"), `${won} ${own}`.trim());
  }
  renderCountdown(state);
}

/** @param {State.Table} state @param {Shown} shown */
function renderResult(state, { game, outcome }) {
  const { result, settled } = game;
  if (!result || !settled) return;
  const { winner, stake, score } = result;
  const loser = opponent(winner);
  const values = {
    winner: nameOf(state, winner),
    loser: nameOf(state, loser),
    // Word joiner: no line break within a score.
    score: `${score[winner]}–\u2060${score[loser]}`,
  };
  const kind = outcome ? "." : `, ${t("{kind} game", { kind: gameKind(stake) })}`;
  const won = t("{winner} beats {loser} {score}", values);
  title = won + kind;
  const told = isYou(state, winner)
    ? t("You beat {loser} {score}", values)
    : isYou(state, loser)
      ? t("{winner} beats you {score}", values)
      : won;
  const words = [forfeitText(state), pouleResultText(state) || told + kind].filter(Boolean).join(" ");
  text(byId("settlement-title"), words);
  byId("settlement-link", HTMLAnchorElement).href = gamePage(game.id);
  byId("settlement-verify", HTMLAnchorElement).href = auditPage(game.id);
  renderMine(state, game, outcome, stake);
  renderRows(state, settled);
}

/** @param {State.Table} state @param {State.Game} game @param {PouleOutcome | null} outcome @param {number} stake */
function renderMine(state, game, outcome, stake) {
  const mine = ownOutcomes(state, game);
  const paid = mine.reduce((total, bet) => total + bet.gain_cents - bet.commission_cents, 0);
  const sum = outcome?.cents ?? paid;
  show(byId("settlement-mine"), outcome ? outcome.cents !== null : mine.length > 0);
  byId("settlement-mine").classList.toggle("won", sum >= 0);
  text(byId("settlement-result"), signed(sum));
  show(byId("settlement-keep"), sum > 0 && !recall("password"));
  fill(byId("settlement-lines"), JSON.stringify([mine, outcome]), () =>
    outcome
      ? outcome.lines.flatMap(([name, cents]) => [h("dt", name), cents ? h("dd", cents) : null])
      : ownLines(state, mine, stake),
  );
}

/** @param {State.Table} state @param {NonNullable<State.Game["settled"]>} settled */
function renderRows(state, { bets, principals }) {
  const { you, game } = state;
  const rows = [...bets].sort(
    (a, b) => Number(b.player === you.name) - Number(a.player === you.name) || b.gain_cents - a.gain_cents,
  );
  fill(byId("settlement-rows"), `${game?.id}${rows.length}`, () => [
    ...principals.map((stake) => row(state, stake, t("player"), nameOf(state, stake.side))),
    ...rows.slice(0, MAX_ROWS).map((bet) => row(state, bet, nameOf(state, bet.side))),
  ]);
  const more = rows.length - MAX_ROWS;
  text(byId("settlement-more"), more > 0 ? t("and {n} more", { n: more }) : "");
  const paid = rows.reduce((sum, bet) => sum + Math.max(0, -bet.gain_cents), 0);
  const fees = rows.reduce((sum, bet) => sum + bet.commission_cents, 0);
  const values = { paid: amount(paid), won: amount(paid - fees), fees: amount(fees) };
  const sum = t("The losing bets paid {paid}: {won} to the winners, {fees} commission.", values);
  text(byId("settlement-sum"), rows.length ? sum : t("No one bet on this game."));
}

// Return the viewer's own outcomes. What is at stake in a game of a poule is the pool alone.
/** @param {State.Table} state @param {State.Game} game @returns {Wire.Outcome[]} */
const ownOutcomes = ({ you }, { settled, stake_cents }) =>
  [...((stake_cents && settled?.principals) || []), ...(settled?.bets ?? [])].filter(
    ({ player }) => player === you.name && you.name,
  );

/** @param {State.Table} state @param {Wire.Outcome[]} mine @param {number} stake */
function ownLines(state, mine, stake) {
  if (!mine.length) return [];
  const matched = mine.reduce((sum, bet) => sum + bet.matched_cents, 0);
  const gain = mine.reduce((sum, bet) => sum + bet.gain_cents, 0);
  const fee = mine.reduce((sum, bet) => sum + bet.commission_cents, 0);
  const plays = state.game?.settled?.principals.includes(mine[0]);
  const times = plays ? stake : stakeMultiplier(state.game?.gallery ?? {}, stake);
  if (!matched && isStakeReturned(state.game, mine[0].player)) return [h("dt", t(STAKE_RETURNED))];
  const name = nameOf(state, mine[0].side);
  const words = plays
    ? t("Your stake {n} × {stake}", { n: amount(matched), stake: times })
    : t("{n} matched on {name}, × {stake}", { n: amount(matched), name, stake: times });
  return [
    // No line break before the number of stakes.
    h("dt", words.replace("× ", "×\u00a0")),
    h("dd", matched ? signed(gain) : t("unmatched")),
    ...(fee ? [h("dt", t("commission")), h("dd", `−${amount(fee)}`)] : []),
  ];
}

/**
 * @param {Pick<State.Table, "you" | "game">} state
 * @param {Wire.Outcome} outcome
 * @param {string} side
 * @param {string} [name] name of anyone but the viewer
 */
function row({ you, game }, { player, matched_cents, gain_cents, commission_cents }, side, name = "") {
  const stakes = Math.round(Math.abs(gain_cents / matched_cents));
  const sign = gain_cents > 0 ? ".won" : gain_cents < 0 ? ".lost" : "";
  const back = isStakeReturned(game, player) ? t("returned") : t("unmatched");
  return h(
    `tr${player === you.name ? ".mine" : ""}`,
    h("th", { scope: "row", dir: "auto" }, player === you.name ? t("you") : name || bettorName(player, you)),
    h("td", side),
    h("td.n", matched_cents ? `${amount(matched_cents)}${stakes > 1 ? ` × ${stakes}` : ""}` : "–"),
    h(`td.n${sign}`, matched_cents ? signed(gain_cents - commission_cents) : back),
    h("td.n", commission_cents ? `−${amount(commission_cents)}` : "–"),
  );
}

/** Show the viewer's bets on the running game, and what each way it may end brings. @param {State.Table} state */
export function renderOwnBets(state) {
  const { game, you } = state;
  const mine = viewerBets(state);
  const closed = game !== null && ["locked", "closed", "playing"].includes(game.phase);
  show(byId("my-bets"), mine.length > 0 && closed);
  fill(within(byId("my-bets"), "ul"), JSON.stringify(mine), () =>
    mine.map((bet) =>
      h("li", `${chips(bet.unit_cents)} ${t("on {name}", { name: nameOf(state, bet.side) })}`),
    ),
  );
  if (!game || !mine.length) return;
  const { side } = mine[0];
  const { unit, matched } = ownBets(state, side);
  text(byId("my-side"), t("Your bet on {name}", { name: nameOf(state, side) }));
  text(byId("my-unit"), amount(matched || unit));
  text(byId("my-matched"), matchedText({ unit, matched }, game, you));
  renderOutlook(state, game, side, matched);
}

/** @param {State.Table} state @param {State.Game} game @param {Wire.Seat} side @param {number} matched */
function renderOutlook(state, { score, gallery, laws }, side, matched) {
  const { target } = laws;
  fill(byId("outlook"), JSON.stringify([score, side, matched]), () => [
    ...(matched ? SEATS : []).flatMap((winner) => {
      const left = score[opponent(winner)];
      if (left >= target) return [];
      const units = stakeMultiplier(gallery, stakesOf(left));
      const gain = winner === side ? netWin(matched, units, gallery) : -matched * units;
      // Word joiner: no line break within a score.
      const values = { score: `${target}–\u2060${left}`, name: nameOf(state, winner) };
      return [
        h("dt", t("if it ends {score} for {name}", values)),
        h(`dd.${gain > 0 ? "won" : "lost"}`, signed(gain)),
      ];
    }),
    ...(matched ? [h("dt.fee", commissionText(gallery)), h("dd")] : []),
  ]);
}
