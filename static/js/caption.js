// The line on the felt: who did what, and why it counts. What came before it in the deal stays above.

import { suitName } from "./cards.js";
import { RETURNED } from "./cutwords.js";
import { chips, t, tn } from "./i18n.js";
import { explain, gameKind, isYou, nameOf, sentence } from "./narrate.js";
import { opponent } from "./seats.js";
import { isReturned } from "./state.js";

/** @import { Event, EventOf } from "./messages" */
/** @import { Table } from "./table" */

/** What is said of the running deal: a title, and a smaller line below it. */
export class Caption {
  title = "";
  words = "";

  /**
   * What a table looks like to somebody who has just come.
   * @param {Table} state
   */
  begin(state) {
    [this.title, this.words] = explain(state);
  }

  /**
   * @param {Event} event
   * @param {Table} state
   * @param {Table} before
   */
  hear(event, state, before) {
    const said = sentence(event, state, before);
    const { type } = event;
    if (type === "action" && /^[KQJAT987][SHDC]$/.test(event.action)) this.words = this.played(state, said);
    else if (type === "trick") this.words = said;
    else if (type === "turned_up") this.set(said, spoken(state));
    else if (type === "game_over") this.words = why(state) || said;
    else if (type === "betting_closed") this.set(t("No more bets"), matched(event, state));
    else if (["action", "points", "dealt", "game_void"].includes(type)) this.set(said || this.title, "");
    else if (["game_opened", "book_locked"].includes(type)) this.begin(state);
    else if (type === "deal_over") this.deal(state, said);
  }

  /**
   * @param {string} title
   * @param {string} words
   */
  set(title, words) {
    this.title = title;
    this.words = words;
  }

  /**
   * @param {Table} state
   * @param {string} said
   */
  played({ deal }, said) {
    const n = (deal?.tricks.house ?? 0) + (deal?.tricks.challenger ?? 0) + 1;
    return t("Trick {n}: {said}", { n, said });
  }

  /**
   * @param {Table} state
   * @param {string} said
   */
  deal({ deal }, said) {
    const { house = 0, challenger = 0 } = deal?.tricks ?? {};
    this.words = said || t("Tricks {house} : {challenger}", { house, challenger });
  }
}

/**
 * @param {EventOf<"betting_closed">} event
 * @param {Table} state
 */
const matched = ({ matched_cents = 0 }, { game, you }) =>
  isReturned(game, you.name) ? t(RETURNED) : t("{n} matched on each side", { n: chips(matched_cents) });

/** @param {Table} state */
function spoken(state) {
  const { deal } = state;
  if (!deal?.turnUp) return "";
  const elder = opponent(deal.dealer);
  const suit = suitName(deal.turnUp[1]);
  return isYou(state, elder)
    ? t("Trumps beat all other suits: {suit}. You speak first.", { suit })
    : t("Trumps beat all other suits: {suit}. {name} speaks first.", { suit, name: nameOf(state, elder) });
}

/**
 * Why a game counts once, twice or three times.
 * @param {Table} state
 */
function why(state) {
  const { result = null } = state.game ?? {};
  if (!result) return "";
  const loser = opponent(result.winner);
  const n = result.score[loser];
  const values = { name: nameOf(state, loser), n, kind: gameKind(result.stake) };
  if (isYou(state, loser)) {
    return n
      ? tn("You have {n} point: a {kind} game.", "You have {n} points: a {kind} game.", values)
      : t("You have no point, so every stake counts three times.");
  }
  return n
    ? tn("{name} has {n} point: a {kind} game.", "{name} has {n} points: a {kind} game.", values)
    : t("{name} has no point, so every stake counts three times.", values);
}
