// The caption on the felt: who did what, and why it counts.

import { byId, text } from "../common/dom.js";
import { stakeMultiplier } from "../state/matching.js";
import { isStakeReturned } from "../state/table_state.js";
import { isYou, opponent } from "../state/tokens.js";
import { describePhase, eventText, forfeitText, gameKind, nameOf, pouleResultText } from "./event_text.js";
import { chips, t, tn } from "./i18n.js";

/** Why a stake came back although it was matched. */
export const STAKE_RETURNED = "Your browser sent its part of the shuffle too late: your stake was returned.";

/** The events whose sentence is the caption; an empty one leaves the caption before it. */
const TITLE_EVENTS = ["dealt", "turned_up", "action", "trick", "points", "deal_over", "game_void"];

/** What happens now, and a smaller line below it. */
export class Caption {
  title = "";
  words = "";

  /** @param {State.Table} state */
  reset(state) {
    [this.title, this.words] = describePhase(state);
    // In the middle of a proposal: who proposes.
    if (state.said)
      this.title = eventText(/** @type {Wire.Event} */ ({ type: "action", ...state.said }), state);
  }

  /** @param {Wire.Event} event @param {State.Table} state */
  update(event, state) {
    const said = eventText(event, state);
    if (event.type === "game_opened" || event.type === "book_locked") this.reset(state);
    if (event.type === "betting_closed") {
      this.title = t("No more bets");
      this.words = isStakeReturned(state.game, state.you.name)
        ? t(STAKE_RETURNED)
        : t("{n} matched on each side", { n: chips(event.matched_cents ?? 0) });
    }
    if (TITLE_EVENTS.includes(event.type)) {
      this.title = said || this.title;
      this.words = event.type === "turned_up" ? trumpsText(state) : "";
    }
    if (event.type === "game_over") this.words = stakeReason(state);
    // A game that was given up plays itself to the end: keep saying why, and who took the pool.
    this.title = pouleResultText(state) || forfeitText(state) || this.title;
  }

  /** Show it on the felt. @param {string} [otherwise] a line for when there is none below it */
  render(otherwise = "") {
    text(byId("caption-title"), this.title);
    text(byId("caption-words"), this.words || otherwise);
  }
}

/** @param {State.Table} state */
function trumpsText(state) {
  const { deal } = state;
  if (!deal?.turnUp) return "";
  const elder = opponent(deal.dealer);
  return isYou(state, elder)
    ? t("Trumps beat all other suits.")
    : t("Trumps beat all other suits. {name} speaks first.", { name: nameOf(state, elder) });
}

// Say why a game counts once, twice or three times, unless bets always count once.
/** @param {State.Table} state */
function stakeReason(state) {
  const { game } = state;
  if (!game?.result) return "";
  const { result, gallery, stake_cents } = game;
  // Then only the spectators' bets count more than once.
  if (!stake_cents && isYou(state, "challenger")) return "";
  const isAlwaysOnce = stakeMultiplier(gallery) === 1 || !stake_cents;
  const loser = opponent(result.winner);
  const n = result.score[loser];
  const values = { name: nameOf(state, loser), n, kind: gameKind(result.stake) };
  const own = isYou(state, loser);
  if (!n && !isAlwaysOnce)
    return own
      ? t("You have no points: stakes count three times.")
      : t("{name} has no points: stakes count three times.", values);
  return own
    ? tn("You have {n} point: a {kind} game.", "You have {n} points: a {kind} game.", values)
    : tn("{name} has {n} point: a {kind} game.", "{name} has {n} points: a {kind} game.", values);
}
