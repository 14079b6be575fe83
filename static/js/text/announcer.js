// What a screen reader hears of each event at a table. Pure.

import { ownSeat } from "../state/table_state.js";
import { isCard } from "../state/tokens.js";
import { announcedText } from "./event_text.js";

/** @import { Event } from "../state/messages" */
/** @import { Table } from "../state/table" */

/** Bets are in the log, and one's own is confirmed below the chips; who won is heard with one's own result. */
const SILENT_EVENTS = ["bet_accepted", "game_over"];

export class Announcer {
  /** What is heard with the next event. @type {string[]} */
  cards = [];

  /**
   * Return what to say of an event, or ""; `state` is the state after it.
   * @param {Event} event
   * @param {Table} state
   */
  say(event, state) {
    const words = announcedText(event, state);
    if (!words || SILENT_EVENTS.includes(event.type)) return "";
    const isOwn = "player" in event && event.player === state.you.name;
    // The page itself leaves the seat after the viewer's game.
    if (isOwn && event.type === "seat" && event.what === "left" && state.game?.result) return "";
    this.cards.push(words);
    // Spectators hear two cards with the trick, not each by itself.
    if (event.type === "action" && isCard(event.action) && !ownSeat(state)) return "";
    return this.cards.splice(0).join(" ");
  }
}
