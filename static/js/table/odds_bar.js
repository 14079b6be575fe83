// The bar between the players: the bets on both sides or, once cards are dealt, the odds.

import { byId, setAttributes, text } from "../common/dom.js";
import { sideTotals } from "../state/matching.js";
import { certainPoints, ownSeat } from "../state/table_state.js";
import { SEATS } from "../state/tokens.js";
import { nameOf } from "../text/event_text.js";
import { amount, t } from "../text/i18n.js";

/** @typedef {Wire.BySeat<Pick<Wire.SideOdds, "win">>} Odds */

/** @param {State.Table} state */
export function renderOddsBar(state) {
  const { game } = state;
  const now = visibleOdds(state);
  const shares = now && chanceTexts(now);
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
    text(byId(`win-${seat}`), shares?.[seat] ?? "");
  }
  // A meter for screen readers, where there is something to read.
  const part = (/** @type {Wire.Seat} */ seat) => shares && `${nameOf(state, seat)} ${shares[seat]}`;
  setAttributes(bar, {
    "aria-hidden": shares ? null : "true",
    "aria-valuenow": now && Math.round(100 * now.house.win),
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
  if (!shown || !chance.chance) return null;
  // Who has won whatever follows; what happens in every deal that the server sampled is not yet certain.
  const winner = SEATS.find((seat) => certainPoints(state, seat) >= game.laws.target);
  const win = winner ? Number(winner === "house") : Math.min(0.999, Math.max(0.001, chance.chance.house.win));
  return { house: { win }, challenger: { win: 1 - win } };
}

/**
 * Return both sides' chances in whole percentages that add up; only certainty shows as 0 or 100.
 * @param {Odds} chance
 */
export function chanceTexts({ house: { win } }) {
  const near = win < 0.5 ? ["<1", ">99"] : [">99", "<1"];
  const whole = Math.round(100 * win);
  const [house, challenger] = win % 1 && Math.abs(win - 0.5) > 0.49 ? near : [whole, 100 - whole];
  return { house: t("{n}%", { n: house }), challenger: t("{n}%", { n: challenger }) };
}
