// Log leaves in words. Pure.

import { plainName } from "../felt/avatars.js";
import { cardSign } from "../felt/cards.js";
import { isCard } from "../state/tokens.js";
import { gameName } from "./game_names.js";
import { amount, t } from "./i18n.js";

/** @typedef {Record<string, unknown>} Leaf a line, as its type writes it */

// By leaf type; entries by their move.
/** @type {Record<string, string>} */
export const KINDS = {
  log_opened: "The list begins",
  run_started: "The casino opens",
  run_stopped: "The casino closes",
  answers: "Answers of the casino",
  key_rotated: "The casino signs with another key",
  terms: "The rules of a table are set",
  grant_terms: "How many chips the casino gives",
  seed_chain: "Secret numbers are fixed for a table",
  game_opened: "A game begins",
  bet: "A bet is taken",
  cut: "The challenger adds a secret number",
  book_locked: "No more bets",
  cut_opened: "A bettor’s secret number is shown",
  cut_late: "A bettor’s secret number comes too late",
  betting_closed: "Both sides are equal",
  dealt: "Cards are dealt",
  turned_up: "A card is turned up",
  action: "A player speaks or plays a card",
  hands: "The cards left over are shown",
  game_over: "A game is won",
  game_void: "A game does not count",
  seat: "The challenger’s seat changes",
  poule_opened: "A poule begins",
  poule_over: "A poule is won",
  poule_void: "A poule does not count",
  limit: "A player’s own limits",
  grant: "Chips from the casino are given",
  hold: "Chips are put at risk",
  release: "Chips at risk come back",
  settle: "A game is paid",
  void: "Chips of a void game come back",
  correct: "An entry is corrected",
};

/** Return what a leaf says happened; an unknown type by its own name. @param {Leaf} leaf */
export function leafTitle({ type, move }) {
  const kind = String(type === "entry" ? move : type);
  return t(KINDS[kind] ?? kind);
}

/** Return where it happened, to whom, and the amount or card. @param {Leaf} leaf */
export function leafDetails({ game, table, player, unit_cents, card, action }) {
  const shown = String(card ?? action ?? "");
  return [
    game || table ? gameName(String(game ?? table)) : "",
    player ? plainName(String(player)) : "",
    typeof unit_cents === "number" ? amount(unit_cents) : "",
    isCard(shown) ? cardSign(shown) : "",
  ]
    .filter(Boolean)
    .join(" · ");
}
