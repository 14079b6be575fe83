// Betting spots on the felt: totals, piles, the viewer's own stake, the odds bar.

import { byId, fill, h, setAttributes, show, text, within } from "../common/dom.js";
import { sideTotals, stakeMultiplier } from "../state/matching.js";
import { isStakeReturned, viewerBets } from "../state/table_state.js";
import { opponent, SEATS } from "../state/tokens.js";
import { gameNumber, nameOf } from "../text/event_text.js";
import { amount, chips, signed, t } from "../text/i18n.js";
import * as rail from "./chips.js";
import { renderOddsBar } from "./odds_bar.js";

const MAX_COLUMNS = 3;
const MAX_HEIGHT = 6;

/**
 * @param {State.Table} state
 * @param {Wire.Seat | null} chosen where chips are laid out that are not bet yet
 * @param {number} unit their sum
 * @param {boolean} may whether this person may lay chips now
 */
export function renderSpots(state, chosen, unit, may) {
  const { game } = state;
  for (const side of SEATS) renderSpot(state, side, chosen === side ? unit : 0, may);
  renderOddsBar(state);
  show(byId("sealed"), game !== null);
  text(byId("sealed-game"), game ? t("Game {n}: how to check", { n: gameNumber(game.id) }) : "");
}

/** @param {State.Table} state @param {Wire.Seat} side @param {number} ready @param {boolean} may */
function renderSpot(state, side, ready, may) {
  const { game } = state;
  const own = ownBets(state, side);
  const bound = ownBets(state, opponent(side)).unit > 0;
  const open = game?.phase === "betting";
  const { total, cover } = game ? sideTotals(game, side) : { total: 0, cover: 0 };
  const gain = game?.settled ? sideGain(game, side) : null;
  text(byId(`total-${side}`), !game ? "" : gain ? signed(gain) : amount(total));
  byId(`total-${side}`).classList.toggle("won", (gain ?? 0) > 0);
  text(byId(`matched-${side}`), game ? totalNote(state, game, side, gain) : "");
  const spot = byId(`spot-${side}`, HTMLButtonElement);
  spot.disabled = !may || bound;
  spot.setAttribute("aria-pressed", String(ready > 0));
  text(within(spot, "span"), spotLabel(state, side, total, own));
  byId(`zone-${side}`).classList.toggle("mine", own.unit > 0);
  byId(`zone-${side}`).classList.toggle("chosen", ready > 0);
  text(byId(`invite-${side}`), may && !bound && !own.unit && !ready ? t("put a chip here") : "");
  // At the end the viewer's own pile shows stake plus gain.
  const gained = gain === null ? 0 : sideGain(game, side, state.you.name);
  const mine = own.unit && Math.max(0, (open ? own.unit : own.matched) + gained);
  const covered = open ? cover : 0;
  renderPiles(side, Math.max(0, total + (gain ?? 0)) - mine - covered, covered, mine, ready);
  const stake = byId(`stake-${side}`);
  show(stake, Boolean(game && (own.unit || ready)));
  if (!game) return;
  const tag = gained
    ? `${t("you")} ${signed(gained)}`
    : own.unit
      ? t("Your {n}", { n: chips(open ? own.unit : own.matched || own.unit) })
      : t("{n} ready", { n: chips(ready) });
  const words = own.unit ? matchedText(own, game, state.you) : "";
  fill(stake, tag + words, () => [h("span.tag", tag), h("p", h("b", words))]);
}

/** @param {State.Table} state @param {Wire.Seat} side */
export function ownBets(state, side) {
  const mine = viewerBets(state).filter((bet) => bet.side === side);
  return {
    unit: mine.reduce((sum, bet) => sum + bet.unit_cents, 0),
    matched: mine.reduce((sum, bet) => sum + (bet.matched_cents ?? 0), 0),
  };
}

/**
 * Return the gain of a side's bettors, or of one of them, after commission.
 * @param {State.Game | null} game @param {Wire.Seat} side @param {string} [player]
 */
export function sideGain(game, side, player) {
  const theirs = (game?.settled?.bets ?? []).filter(
    (bet) => bet.side === side && bet.player === (player ?? bet.player),
  );
  return theirs.reduce((sum, bet) => sum + bet.gain_cents - bet.commission_cents, 0);
}

/** @param {State.Table} state @param {State.Game} game @param {Wire.Seat} side @param {number | null} gain */
function totalNote(state, game, side, gain) {
  const { book, gallery, result } = game;
  const times = stakeMultiplier(gallery, result?.stake);
  if (gain && gain < 0) {
    return t("{n} matched", { n: amount(book.matched_cents) }) + (times > 1 ? ` × ${times}` : "");
  }
  if (gain) return commissionText(gallery);
  const { total, cover, rest } = sideTotals(game, side);
  const open = game.phase === "betting";
  if (gain !== null) return "";
  const n = amount(rest);
  if (rest) return open ? t("{n} not matched yet", { n }) : t("{n} went back", { n });
  if (cover && open) return coverText(state, side, cover);
  return total ? t("all matched") : "";
}

/** @param {State.Table} state @param {Wire.Seat} side @param {number} cover */
export const coverText = (state, side, cover) =>
  t("{name} covers {n}", {
    name: side === "house" ? t("the casino") : nameOf(state, side),
    n: amount(cover),
  });

/** @param {State.Game["gallery"]} gallery */
export const commissionText = ({ commission_bp = 500 }) =>
  t("after {n}% commission", { n: commission_bp / 100 });

/** @param {State.Table} state @param {Wire.Seat} side @param {number} total @param {{unit: number}} own */
function spotLabel(state, side, total, own) {
  if (!state.game) return side === "house" ? t("Bet on the house") : t("Bet on the challenger");
  const values = { name: nameOf(state, side), total: chips(total), own: chips(own.unit) };
  return own.unit
    ? t("Bet on {name} ({total} chips bet so far, {own} of them yours)", values)
    : t("Bet on {name} ({total} chips bet so far)", values);
}

/** @param {Wire.Seat} side @param {number} others @param {number} cover @param {number} own @param {number} ready */
function renderPiles(side, others, cover, own, ready) {
  /** @param {number} cents @param {string} kind */
  const single = (cents, kind) => {
    // At least one chip, even for less.
    const parts = rail.pile(Math.max(cents, 100), MAX_HEIGHT);
    const n = parts.reduce((sum, part) => sum + part.n, 0);
    return cents ? pileElement(parts[0].value, Math.min(n, MAX_HEIGHT), kind) : null;
  };
  fill(byId(`piles-${side}`), [others, cover, own, ready].join(), () => [
    ...rail
      .pile(others, MAX_HEIGHT)
      .slice(0, MAX_COLUMNS)
      .map(({ value, n }) => pileElement(value, n)),
    ...[single(cover, "cover"), single(own, "mine"), single(ready, "draft")],
  ]);
}

/** @param {number} value @param {number} n @param {string} [kind] */
function pileElement(value, n, kind = "others") {
  const discs = Array.from({ length: n }, (_, at) => {
    const disc = rail.chipFace(value, at === n - 1);
    setAttributes(disc, { "--n": at });
    return disc;
  });
  return h(`div.pile.${kind}`, ...discs);
}

/**
 * Return what is matched of the viewer's stake, and what became of the rest.
 * @param {{unit: number, matched: number}} own @param {State.Game} game @param {State.Table["you"]} you
 */
export function matchedText({ unit, matched }, game, you) {
  if (game.phase === "betting") {
    if (matched === unit) return t("matched so far");
    return matched ? t("{n} matched so far", { n: amount(matched) }) : t("not matched yet");
  }
  if (matched === unit) return t("all matched");
  if (!matched) return isStakeReturned(game, you.name) ? t("returned") : t("unmatched");
  return t("{n} went back", { n: amount(unit - matched) });
}
