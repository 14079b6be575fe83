// This browser's own cut: it seals a text, opens it after the lock is proved, and says what came of it.
//
// A house that read a text before the book is locked could know the cards and bet by them. So the text
// leaves this browser only when the signed log shows the lock, under the key kept since the first visit;
// after the game the log shown then must still begin the log shown now.

import { recall, remember } from "../common/dom.js";
import { t, textsOf } from "../text/i18n.js";
import { hex, sha256, utf8 } from "../verify/bytes.js";
import { isContinued } from "../verify/consistency.js";
import { handedOn } from "../verify/keys.js";
import { isSigned, readCheckpoint, readKey, readLock } from "../verify/receipt.js";

/**
 * @typedef {{player: string, text: string, state: "none" | "sealed" | "opened" | "counted" | "missed",
 *   number?: number}} Kept
 * @typedef {import("../state/messages").Requests["open_cut"][0]} Opening
 * @typedef {{open: (said: Opening) => Promise<unknown>, get: typeof import("../common/api.js").get,
 *   tile: (path: string) => Promise<Uint8Array>}} House
 */

await textsOf("shuffle_commitment");

/**
 * What has become of a person's sealed text, in words.
 * @type {Record<string, string>}
 */
const CUT_WORDS = {
  none: "",
  sealed: "Your part of the shuffle is sealed: nobody can read it yet.",
  opened: "Your part of the shuffle is open: no more bets are taken.",
  counted: "Your part of the shuffle counted: nobody foresaw these cards.",
  missed:
    "Your part of the shuffle did not count: the house could have foreseen these cards. Your stake was returned.",
};

const MOST_KEPT = 20;
const CLOSED = ["counted", "missed"];

/** What may become of a text: none, sealed, opened, counted, missed (it did not count), alarm (deceit). */
export class Cutter {
  /**
   * `open` gives the house a text, `get` reads its JSON, `tile` its tiles.
   * @param {string} table
   * @param {House} house
   */
  constructor(table, house) {
    this.table = table;
    this.house = house;
    this.alarm = "";
  }

  /**
   * What has become of this browser's text in a game.
   * @param {string} game
   */
  state(game) {
    return this.alarm ? "alarm" : (this.kept()[game]?.state ?? "none");
  }

  /**
   * The same in words; of a text sealed elsewhere only the house tells.
   * @param {string} said
   */
  words(said) {
    return t(said === "alarm" ? this.alarm : (CUT_WORDS[said] ?? ""));
  }

  /**
   * The seal of this person's text for a game; null where this browser has sealed one.
   * @param {string} game
   * @param {string} player
   */
  async seal(game, player) {
    const texts = this.kept();
    texts[game] ??= { player, text: fresh(), state: "none" };
    this.keep(texts);
    return texts[game].state === "none" ? sealOf(game, player, texts[game].text) : null;
  }

  /**
   * The house has taken the seal, as the game's seal of this number.
   * @param {string} game
   * @param {number} number
   */
  sealed(game, number) {
    this.change(game, { state: "sealed", number });
  }

  /**
   * The book is locked: if the proof holds, the text is opened.
   * @param {string} game
   * @param {string} proof
   */
  async locked(game, proof) {
    const mine = this.kept()[game];
    if (mine?.state !== "sealed" || !proof) return;
    try {
      const note = await readLock(proof, game, await this.key());
      this.see(note);
    } catch (error) {
      this.alarm = said(error);
      return;
    }
    this.change(game, { state: "opened" });
    await this.open(game);
  }

  /**
   * The book is closed: did this text count?
   * @param {string} game
   * @param {number[]} numbers
   */
  closed(game, numbers) {
    const mine = this.kept()[game];
    if (!mine || mine.state === "none") return;
    this.change(game, { state: numbers.includes(mine.number ?? 0) ? "counted" : "missed" });
  }

  /**
   * The house tells this person what has become of the own text: it must be what it told everybody.
   * @param {string} game
   * @param {string} word
   */
  told(game, word) {
    const state = this.kept()[game]?.state ?? "none";
    if (CLOSED.includes(state) && CLOSED.includes(word) && state !== word)
      this.alarm = "The house tells you another thing about your part of the shuffle than everybody.";
  }

  /**
   * The game is over: a text that did not count is noted late, and the log is compared.
   * @param {string} game
   */
  async over(game) {
    const mine = this.kept()[game];
    if (!mine || mine.state === "none") return;
    if (mine.state === "missed") await this.open(game);
    const now = await this.house.get("/api/checkpoint");
    if (!now.ok) return;
    try {
      const key = await this.key();
      const later = readCheckpoint(now.checkpoint);
      if ((await isSigned(later, key)) === false) throw new Error("The signature is not the house's.");
      const told = await this.house.get("/api/games/ID", game);
      const cuts = told.ok ? told.record.fairness.cuts : [];
      const there = cuts.some(([player, text]) => player === mine.player && text === mine.text);
      if (mine.state === "counted" && told.ok && !there)
        throw new Error("Your part of the shuffle was said to count, but the game is without it.");
      for (const note of this.notes()) {
        if (!(await isContinued(readCheckpoint(note), later, this.house.tile))) {
          remember(`evidence.${this.table}`, JSON.stringify([note, now.checkpoint]));
          throw new Error("The house has changed what it had signed before.");
        }
      }
      remember(`notes.${this.table}`, JSON.stringify([now.checkpoint]));
    } catch (error) {
      this.alarm = said(error);
    }
  }

  /** @param {string} game */
  open(game) {
    return this.house.open({ table: this.table, game, text: this.kept()[game].text });
  }

  // The key of the first visit, or one that it was seen to hand the log on to; another one is deceit.
  async key() {
    const now = await this.house.get("/api/checkpoint");
    const known = recall("key");
    if (!now.ok || now.key === known) return readKey(known);
    const { key, notes } = await handedOn(known || now.key, now.handed_on);
    if (key !== now.key)
      throw new Error(
        "The house signs with another key than before: ask who runs it, then clear this site's data.",
      );
    for (const note of notes) this.see(note);
    remember("key", key);
    return readKey(key);
  }

  /** @returns {string[]} */
  notes() {
    return JSON.parse(recall(`notes.${this.table}`, "[]"));
  }

  /** @param {string} note */
  see(note) {
    const sizes = this.notes().map((one) => readCheckpoint(one).size);
    if (sizes.some((size) => size > readCheckpoint(note).size))
      throw new Error("The house shows less than it had signed before.");
    remember(`notes.${this.table}`, JSON.stringify([...this.notes(), note].slice(-MOST_KEPT)));
  }

  /** @returns {Record<string, Kept>} */
  kept() {
    return JSON.parse(recall(`cuts.${this.table}`, "{}"));
  }

  /** @param {Record<string, Kept>} texts */
  keep(texts) {
    const last = Object.entries(texts).slice(-MOST_KEPT);
    remember(`cuts.${this.table}`, JSON.stringify(Object.fromEntries(last)));
  }

  /**
   * @param {string} game
   * @param {Partial<Kept>} changes
   */
  change(game, changes) {
    const texts = this.kept();
    if (texts[game]) this.keep({ ...texts, [game]: { ...texts[game], ...changes } });
  }
}

/** @param {unknown} error */
function said(error) {
  return error instanceof Error ? error.message : String(error);
}

function fresh() {
  return hex(crypto.getRandomValues(new Uint8Array(16)));
}

/**
 * @param {string} game
 * @param {string} player
 * @param {string} text
 */
async function sealOf(game, player, text) {
  return hex(await sha256(utf8(`${game}|${player}|${text}`)));
}
