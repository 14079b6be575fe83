// The bar between the players: the bets on both sides or, once cards are dealt, the odds.

import { byId, setAttributes, text } from "../common/dom.js";
import { sideTotals } from "../state/matching.js";
import { certainPoints, ownSeat } from "../state/table_state.js";
import { SEATS } from "../state/tokens.js";
import { nameOf } from "../text/event_text.js";
import { amount, percent, t } from "../text/i18n.js";

/** @typedef {Wire.BySeat<Pick<Wire.SideOdds, "win">>} Odds */

/** @param {State.Table} state */
export function renderOddsBar(state) {
  const { game } = state;
  const now = visibleOdds(state);
  const shares = now && wholePercents(now);
  const [house, challenger] = SEATS.map((seat) => (game ? sideTotals(game, seat).total : 0));
  const bets = house + challenger ? house / (house + challenger) : 0.5;
  const bar = byId("scale");
  byId("cloth").classList.toggle("weighed", Boolean(now));
  bar.style.setProperty("--share", String(now ? now.house.win : bets));
  // The caption says it while the phase is "closed".
  const shown = game && game.phase !== "closed";
  const matched = shown ? t("{n} matched on each side", { n: amount(game.book.matched_cents) }) : "";
  text(byId("matched-now"), now ? t("win probability") : matched);
  for (const seat of SEATS) {
    text(byId(`win-${seat}`), shares ? percent(shares[seat] / 100) : "");
  }
  // A meter for screen readers, where there is something to read.
  const part = (/** @type {Wire.Seat} */ seat) =>
    shares && `${nameOf(state, seat)} ${percent(shares[seat] / 100)}`;
  setAttributes(bar, {
    "aria-hidden": shares ? null : "true",
    "aria-valuenow": shares?.house,
    "aria-valuetext": shares && SEATS.map(part).join("; "),
  });
}

/**
 * Return the odds of the current game, unless the viewer plays in it.
 * @param {State.Table} state
 * @returns {Odds | null}
 */
export function visibleOdds(state) {
  const { game, chance } = state;
  const shown = chance && game?.phase === "playing" && chance.game === game.id && !ownSeat(state);
  const odds = shown ? chance.chance : null;
  // Who has won whatever follows: the server computes no odds of a game that is over, and others take a moment.
  const winner = odds && SEATS.find((seat) => game && certainPoints(state, seat) >= game.laws.target);
  if (!winner) return odds;
  return { house: { win: Number(winner === "house") }, challenger: { win: Number(winner === "challenger") } };
}

/**
 * Return whole percentages that add up; only certainty shows as 0 or 100.
 * @param {Odds} chance
 */
export function wholePercents({ house: { win } }) {
  const rounded = Math.round(100 * win);
  const house = win > 0 && win < 1 ? Math.min(99, Math.max(1, rounded)) : rounded;
  return { house, challenger: 100 - house };
}
