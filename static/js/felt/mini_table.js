// A small table for the lobby: seats with points, pack and trick.

import { byId, setAttributes, show, text, within } from "../common/dom.js";
import { SEATS } from "../state/tokens.js";
import { describePhase, seatName } from "../text/event_text.js";
import { t } from "../text/i18n.js";
import { isOutside, renderPortrait, seatsOf } from "./avatars.js";
import { showCards } from "./card_row.js";
import { cardName, suitName } from "./cards.js";
import { bettingMsLeft, renderPips } from "./felt.js";

/**
 * Return the name in a seat. A bot of the house goes by its own; a person's program is marked.
 * @param {State.Table} state @param {Wire.Seat} seat
 */
export const markedName = (state, seat) =>
  seatName(state, seat) + (isOutside(seatsOf(state)?.bots[seat]) ? ` · ${t("bot")}` : "");

/** @param {State.Table} state */
export function describeTable(state) {
  const { game, deal } = state;
  if (!game) return describePhase(state)[0] || t("Between two games");
  const seats = SEATS.map(
    (seat) =>
      `${markedName(state, seat)}: ${t("{n} of {target} points", {
        n: game.score[seat],
        target: game.laws.target,
      })}.`,
  );
  const turned =
    deal?.turnUp &&
    t("Turned up: {card}. Trumps are {suit}.", {
      card: cardName(deal.turnUp),
      suit: suitName(deal.turnUp[1]),
    });
  const trick =
    deal?.trick.length &&
    t("On the table: {cards}.", {
      cards: deal.trick.map(({ card }) => cardName(card ?? "")).join(", "),
    });
  return [...seats, turned, trick].filter(Boolean).join(" ");
}

/** Return an empty small table. */
export const createMiniTable = () =>
  within(document.importNode(byId("mini-table", HTMLTemplateElement).content, true), ".mini");

/** @param {HTMLElement} cloth @param {State.Table} state */
export function renderMiniTable(cloth, state) {
  const { game, deal } = state;
  const seats = seatsOf(state);
  /** @param {string} selector */
  const part = (selector) => within(cloth, selector);
  for (const seat of SEATS) {
    text(part(`.${seat} .name`), markedName(state, seat));
    renderPips(part(`.${seat} .counters`), game?.score[seat] ?? 0, game?.laws.target ?? 5);
    renderPortrait(part(`.${seat} .medal`), seats, seat);
    part(`.${seat}`).classList.toggle("turn", deal?.turn === seat && game?.phase === "playing");
  }
  const left = bettingMsLeft(state);
  const ring = part(".mini-ring");
  show(ring, left > 0);
  show(part(".mini-trick"), left <= 0);
  const seconds = Math.ceil(left / 1000);
  text(ring, seconds > 99 ? `${Math.ceil(seconds / 60)}′` : seconds);
  ring.style.setProperty("--share", String(Math.min(1, left / (1000 * (state.lasts || 1)))));
  const cards = deal?.trick.length ? deal.trick : (deal?.shown?.cards ?? []);
  showCards(part(".mini-trick"), cards.length ? cards.map(({ card }) => card ?? "??") : ["??"]);
  text(part(".mini-doing"), describePhase(state)[0]);
  setAttributes(cloth, { "aria-label": describeTable(state) });
}
