// The viewer's contribution to the shuffle: commit, reveal once the lock is proved, verify afterwards.
//
// A house that read a contribution before the book is locked could know the cards and bet on them. So it
// leaves this browser only when the signed log proves the lock, under the key stored at the first visit;
// after the game the log must still extend the log shown then.

import { randomText } from "../common/api.js";
import { messageOf, recall, remember } from "../common/dom.js";
import { addUnseen } from "../common/unseen_games.js";
import { loadTexts, t } from "../text/i18n.js";
import { isContinued } from "../verify/consistency.js";
import { handedOn } from "../verify/keys.js";
import { isSigned, readCheckpoint, readKey, readLock } from "../verify/receipt.js";
import { sealOf } from "../verify/shuffle.js";

/**
 * @typedef {{player: string, text: string, state: "none" | "sealed" | "opened" | "counted" | "missed",
 *   number?: number}} Kept
 * @typedef {Wire.Requests["open_cut"][0]} Opening
 * @typedef {{open: (request: Opening) => Promise<unknown>, get: typeof import("../common/api.js").get,
 *   tile: (path: string) => Promise<Uint8Array>}} Server
 */

await loadTexts("shuffle_commitment");

/** @type {Record<string, string>} */
const STATE_TEXTS = {
  sealed: "Your part of the shuffle is sealed: no one can read it yet.",
  opened: "Your part of the shuffle is open: no more bets are taken.",
  counted: "Your part of the shuffle counted: no one foresaw these cards.",
  missed:
    "Your part of the shuffle did not count: the casino could have foreseen these cards. Your stake was returned.",
};

const MAX_KEPT = 20;
const MAX_RECEIPTS = 300;
const CLOSED = ["counted", "missed"];

/** States: none, sealed, opened, counted, missed (it did not count), alarm (deceit). */
export class ShuffleCommitment {
  /** @param {string} table @param {Server} house */
  constructor(table, house) {
    this.table = table;
    this.house = house;
    this.alarm = "";
  }

  /** @param {string} game */
  state(game) {
    return this.alarm ? "alarm" : (this.load()[game]?.state ?? "none");
  }

  /** @param {string} state */
  stateText(state) {
    return t(state === "alarm" ? this.alarm : (STATE_TEXTS[state] ?? ""));
  }

  // Return the commitment to send for a game, or null if this browser has already sent one.
  /** @param {string} game @param {string} player */
  async seal(game, player) {
    const texts = this.load();
    texts[game] ??= { player, text: randomText(), state: "none" };
    this.save(texts);
    addUnseen(game);
    return texts[game].state === "none" ? sealOf(game, player, texts[game].text) : null;
  }

  // Store the id that fetches the receipt of a bet.
  /** @param {Wire.PlaceBet} bet @param {Wire.BetPlaced} answer */
  keepReceipt(bet, answer) {
    const receipts = Object.entries(JSON.parse(recall("bets", "{}"))).slice(1 - MAX_RECEIPTS);
    const { order } = answer.bet;
    remember("bets", JSON.stringify(Object.fromEntries([...receipts, [`${bet.game}/${order}`, bet.bet_id]])));
  }

  /** @param {string} game @param {number} number */
  onSealed(game, number) {
    this.update(game, { state: "sealed", number });
  }

  // Verify the proof of the lock, then reveal.
  /** @param {string} game @param {string} proof */
  async onLocked(game, proof) {
    const mine = this.load()[game];
    if (mine?.state !== "sealed" || !proof) return;
    try {
      const note = await readLock(proof, game, await this.key());
      this.saveNote(note);
    } catch (error) {
      this.alarm = messageOf(error);
      return;
    }
    this.update(game, { state: "opened" });
    await this.reveal(game);
  }

  /** @param {string} game @param {number[]} numbers */
  onClosed(game, numbers) {
    const mine = this.load()[game];
    if (!mine || mine.state === "none") return;
    this.update(game, { state: numbers.includes(mine.number ?? 0) ? "counted" : "missed" });
  }

  // Compare what the server tells this player with what it told everyone.
  /** @param {string} game @param {string} word */
  onReported(game, word) {
    const state = this.load()[game]?.state ?? "none";
    if (CLOSED.includes(state) && CLOSED.includes(word) && state !== word)
      this.alarm =
        "The casino tells you something else about your part of the shuffle than it tells everyone.";
  }

  // Reveal a missed contribution late, and check that the log extends every log seen before.
  /** @param {string} game */
  async onGameOver(game) {
    const mine = this.load()[game];
    if (!mine || mine.state === "none") return;
    if (mine.state === "missed") await this.reveal(game);
    const now = await this.house.get("/api/checkpoint");
    if (!now.ok) return;
    try {
      const key = await this.key();
      const later = readCheckpoint(now.checkpoint);
      if ((await isSigned(later, key)) === false) throw new Error("The signature is not the casino's.");
      const finished = await this.house.get("/api/games/ID", game);
      const cuts = finished.ok ? finished.record.fairness.cuts : [];
      const isCounted = cuts.some(([player, text]) => player === mine.player && text === mine.text);
      if (mine.state === "counted" && finished.ok && !isCounted)
        throw new Error("Your part of the shuffle was said to count, but the game is without it.");
      for (const note of this.notes()) {
        if (!(await isContinued(readCheckpoint(note), later, this.house.tile))) {
          remember(`evidence.${this.table}`, JSON.stringify([note, now.checkpoint]));
          throw new Error("The casino has changed what it had signed before.");
        }
      }
      remember(`notes.${this.table}`, JSON.stringify([now.checkpoint]));
    } catch (error) {
      this.alarm = messageOf(error);
    }
  }

  /** @param {string} game */
  reveal(game) {
    return this.house.open({ table: this.table, game, text: this.load()[game].text });
  }

  // The key of the first visit, or one that the log provably rotated to; any other key is deceit.
  async key() {
    const now = await this.house.get("/api/checkpoint");
    const known = recall("key");
    if (!now.ok || now.key === known) return readKey(known);
    const { key, notes } = await handedOn(known || now.key, now.handed_on);
    if (key !== now.key)
      throw new Error(
        "The casino signs with another key than before: ask who runs it, then clear this site's data.",
      );
    for (const note of notes) this.saveNote(note);
    remember("key", key);
    return readKey(key);
  }

  /** @returns {string[]} */
  notes() {
    return JSON.parse(recall(`notes.${this.table}`, "[]"));
  }

  /** @param {string} note */
  saveNote(note) {
    const sizes = this.notes().map((one) => readCheckpoint(one).size);
    if (sizes.some((size) => size > readCheckpoint(note).size))
      throw new Error("The casino shows less than it had signed before.");
    remember(`notes.${this.table}`, JSON.stringify([...this.notes(), note].slice(-MAX_KEPT)));
  }

  /** @returns {Record<string, Kept>} */
  load() {
    return JSON.parse(recall(`cuts.${this.table}`, "{}"));
  }

  /** @param {Record<string, Kept>} texts */
  save(texts) {
    const last = Object.entries(texts).slice(-MAX_KEPT);
    remember(`cuts.${this.table}`, JSON.stringify(Object.fromEntries(last)));
  }

  /** @param {string} game @param {Partial<Kept>} changes */
  update(game, changes) {
    const texts = this.load();
    if (texts[game]) this.save({ ...texts, [game]: { ...texts[game], ...changes } });
  }
}
