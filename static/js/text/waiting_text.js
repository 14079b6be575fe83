// What a viewer is waiting for. Pure.

import { nameOf } from "./event_text.js";
import { t } from "./i18n.js";

/** @import { Table } from "../state/table" */

/** @param {Table} state @param {boolean} plays whether this person plays here, or is about to */
export function waitingText(state, plays) {
  const { game, taking, away, holder, bot } = state;
  if (!taking) return away ? "" : t("No bets are taken now: the disk is full or failing.");
  if (!game && !holder && !bot) return t("No one is challenging the house: take the seat to start a game.");
  if (plays && game?.bots?.challenger) return t("Two others play: you wait for your next game of the poule.");
  if (!game || game.phase === "void") return t("The next game opens in a moment.");
  if (plays) return ownGameText(state);
  return game.phase === "betting"
    ? ""
    : t("No bets are taken while the game is played. Bet on the next one.");
}

/** @param {Table} state */
function ownGameText(state) {
  const { game, deal } = state;
  if (game?.forfeit) return t("The rest of the game plays itself.");
  if (game?.phase !== "playing" || !deal) return t("Your game begins when the bets are closed.");
  if (deal.over) return t("The next deal comes in a moment.");
  return deal.turn === "house" ? t("{name} is thinking.", { name: nameOf(state, deal.turn) }) : "";
}
