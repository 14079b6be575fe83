// What a viewer is waiting for. Pure.

import { stakeMultiplier } from "../state/matching.js";
import { isPlaying, isSeated } from "../state/table_state.js";
import { isYou, SEATS } from "../state/tokens.js";
import { describePhase, nameOf } from "./event_text.js";
import { t } from "./i18n.js";

/** Return what a lost bet costs. @param {State.Game | null} game */
export const riskText = (game) =>
  stakeMultiplier(game?.gallery ?? {}) > 1
    ? t("A loss costs 1 to 3 times your bet.")
    : t("You can lose only what you bet.");

/** @param {State.Table} state */
export function waitingText(state) {
  const { game, taking, away, holder, bot } = state;
  const plays = isPlaying(state);
  if (!taking) return away ? "" : t("No bets are taken now: the disk is full or failing.");
  if (!game && !holder && !bot) return t("No one is playing: sit down to start a game.");
  if (plays && game?.bots?.challenger) return t("Two others play: you wait for your next game of the poule.");
  if (!game || game.phase === "void") return t("The next game opens in a moment.");
  if (plays) return ownGameText(state);
  // Those who wait for the seat come to play, and need no word on bets.
  if (game.phase === "betting" || isSeated(state)) return "";
  const how = t(
    "No bets are taken during a game. Before the next one, put a chip on a player and press Bet.",
  );
  return `${how} ${riskText(game)}`;
}

/** @param {State.Table} state */
function ownGameText(state) {
  const { game, deal } = state;
  if (game?.phase !== "playing" || !deal) return t("Your game begins when the bets are closed.");
  if (deal.over) return t("The next deal comes in a moment.");
  if (!deal.turn) return describePhase(state)[0];
  const values = { name: nameOf(state, deal.turn) };
  return t(isYou(state, deal.turn) ? "You play next." : "{name} is thinking.", values);
}

/**
 * Return when bets are taken again, for a spectator. Between bots a deal takes about the same time, and a game as
 * many deals as this leaves on average: a number of seconds would stand still or rise with the score.
 * @param {State.Table} state @param {number} dealSeconds
 */
export function nextBetsText(state, dealSeconds) {
  const { game, deal, last } = state;
  if (game?.phase !== "playing" || !deal || isYou(state, "challenger")) return "";
  if (!game.bots.challenger) return t("Betting reopens after this game");
  const missing = SEATS.map((seat) => game.laws.target - game.score[seat]);
  const least = Math.min(...missing);
  // Once a deal has scored it is no longer among those that are missing.
  const hasScored = deal.over || last === "points";
  const played = hasScored ? 0 : (deal.tricks.house + deal.tricks.challenger) / 6;
  const deals = least + 0.3 * Math.min(3, Math.max(...missing) - least) - played;
  const n = Math.round((deals * dealSeconds) / 60);
  return n ? t("Betting reopens in about {n} min", { n }) : t("Betting reopens in less than a minute");
}
