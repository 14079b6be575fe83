// The caption on the felt: who did what, and why it counts.

import { byId, text } from "../common/dom.js";
import { stakeMultiplier } from "../state/matching.js";
import { isStakeReturned } from "../state/table_state.js";
import { isYou, opponent } from "../state/tokens.js";
import { describePhase, eventText, forfeitText, gameKind, nameOf, pouleResultText } from "./event_text.js";
import { chips, t, tn } from "./i18n.js";

/** @import { Event, EventOf } from "../state/messages" */
/** @import { Table } from "../state/table" */

/** Why a stake came back although it was matched. */
export const STAKE_RETURNED = "Your browser sent its part of the shuffle too late: your stake was returned.";

/**
 * @template {Event["type"]} Type
 * @typedef {(caption: Caption, said: string, state: Table, event: EventOf<Type>) => void} Update
 */

/** What happens now, and a smaller line below it. */
export class Caption {
  title = "";
  words = "";

  /** @param {Table} state */
  reset(state) {
    [this.title, this.words] = describePhase(state);
    // In the middle of a proposal: who proposes.
    if (state.said) this.title = eventText(/** @type {Event} */ ({ type: "action", ...state.said }), state);
  }

  /** @param {Event} event @param {Table} state */
  update(event, state) {
    const update = /** @type {Update<any> | undefined} */ (UPDATES[event.type]);
    update?.(this, eventText(event, state), state, event);
    // A game that was given up plays itself to the end: keep saying why, and who took the pool.
    this.title = pouleResultText(state) || forfeitText(state) || this.title;
  }

  /** @param {string} title @param {string} words */
  set(title, words) {
    this.title = title;
    this.words = words;
  }

  /** Show it on the felt. @param {string} [otherwise] a line for when there is none below it */
  render(otherwise = "") {
    text(byId("caption-title"), this.title);
    text(byId("caption-words"), this.words || otherwise);
  }
}

/** @param {Caption} caption @param {string} _ @param {Table} state */
const resetCaption = (caption, _, state) => caption.reset(state);

/** @param {Caption} caption @param {string} said */
const setTitle = (caption, said) => caption.set(said || caption.title, "");

// How events change the caption; all others leave it.
/** @type {{[Type in Event["type"]]?: Update<Type>}} */
const UPDATES = {
  game_opened: resetCaption,
  book_locked: resetCaption,
  betting_closed: (caption, _, state, event) => caption.set(t("No more bets"), matchedText(event, state)),
  dealt: setTitle,
  turned_up: (caption, said, state) => caption.set(said, trumpsText(state)),
  action: setTitle,
  trick: setTitle,
  points: setTitle,
  deal_over: setTitle,
  game_over(caption, said, state) {
    caption.words = stakeReason(state) || said;
  },
  game_void: setTitle,
};

/** @param {EventOf<"betting_closed">} event @param {Table} state */
const matchedText = ({ matched_cents = 0 }, { game, you }) =>
  isStakeReturned(game, you.name)
    ? t(STAKE_RETURNED)
    : t("{n} matched on each side", { n: chips(matched_cents) });

/** @param {Table} state */
function trumpsText(state) {
  const { deal } = state;
  if (!deal?.turnUp) return "";
  const elder = opponent(deal.dealer);
  return isYou(state, elder)
    ? t("Trumps beat all other suits.")
    : t("Trumps beat all other suits. {name} speaks first.", { name: nameOf(state, elder) });
}

// Say why a game counts once, twice or three times, unless bets always count once.
/** @param {Table} state */
function stakeReason(state) {
  const { game } = state;
  if (!game?.result) return "";
  const { result, gallery } = game;
  const counted = stakeMultiplier(gallery) === 1;
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
