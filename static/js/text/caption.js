// The line on the felt: who did what, and why it counts. What came before it in the deal stays above.

import { suitName } from "../felt/cards.js";
import { paidTimes } from "../state/matching.js";
import { opponent } from "../state/seats.js";
import { isReturned } from "../state/table_state.js";
import { RETURNED } from "./cutwords.js";
import { explain, gameKind, isYou, nameOf, sentence } from "./event_text.js";
import { chips, t, tn } from "./i18n.js";

/** @import { Event, EventOf } from "../state/messages" */
/** @import { Table } from "../state/table" */

/**
 * @template {Event["type"]} Type
 * @typedef {(caption: Caption, said: string, state: Table, event: EventOf<Type>) => void} Tell
 */

/** What is said of the running deal: a title, and a smaller line below it. */
export class Caption {
  title = "";
  words = "";
  /** Whether the title says whose turn it was when somebody came, which the next word ends. */
  isOfTurn = false;

  /**
   * What a table looks like to somebody who has just come.
   * @param {Table} state
   */
  begin(state) {
    [this.title, this.words] = explain(state);
    this.isOfTurn = Boolean(state.deal?.turn);
  }

  /**
   * @param {Event} event
   * @param {Table} state
   * @param {Table} before
   */
  hear(event, state, before) {
    const tell = /** @type {Tell<any> | undefined} */ (TELL[event.type]);
    if (!tell) return;
    if (this.isOfTurn) this.set("", this.words);
    tell(this, sentence(event, state, before), state, event);
  }

  /**
   * @param {string} title
   * @param {string} words
   */
  set(title, words) {
    this.title = title;
    this.words = words;
    this.isOfTurn = false;
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
 * @param {Caption} caption
 * @param {string} _
 * @param {Table} state
 */
const anew = (caption, _, state) => caption.begin(state);

/**
 * @param {Caption} caption
 * @param {string} said
 */
const title = (caption, said) => caption.set(said || caption.title, "");

/**
 * How the line changes; it passes over all else.
 * @type {{[Type in Event["type"]]?: Tell<Type>}}
 */
const TELL = {
  game_opened: anew,
  book_locked: anew,
  betting_closed: (caption, _, state, event) => caption.set(t("No more bets"), matched(event, state)),
  dealt: title,
  turned_up: (caption, said, state) => caption.set(said, spoken(state)),
  action(caption, said, state, { action }) {
    if (/^[KQJAT987][SHDC]$/.test(action)) caption.words = caption.played(state, said);
    else caption.set(said || caption.title, "");
  },
  trick(caption, said) {
    caption.words = said;
  },
  points: title,
  deal_over: (caption, said, state) => caption.deal(state, said),
  game_over(caption, said, state) {
    caption.words = why(state) || said;
  },
  game_void: title,
};

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
    ? t("Trumps are {suit}: they beat all other suits. You speak first.", { suit })
    : t("Trumps are {suit}: they beat all other suits. {name} speaks first.", {
        suit,
        name: nameOf(state, elder),
      });
}

/**
 * Why a game counts once, twice or three times; bets that never cost more than themselves are left out.
 * @param {Table} state
 */
function why(state) {
  const { game } = state;
  if (!game?.result) return "";
  const { result, gallery } = game;
  const counted = paidTimes(gallery) === 1;
  const loser = opponent(result.winner);
  const n = result.score[loser];
  const values = { name: nameOf(state, loser), n, kind: gameKind(result.stake) };
  if (isYou(state, loser)) {
    return n || counted
      ? tn("You have {n} point: a {kind} game.", "You have {n} points: a {kind} game.", values)
      : t("You have no point, so every stake counts three times.");
  }
  return n || counted
    ? tn("{name} has {n} point: a {kind} game.", "{name} has {n} points: a {kind} game.", values)
    : t("{name} has no point, so every stake counts three times.", values);
}
