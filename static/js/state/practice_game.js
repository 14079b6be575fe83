// A practice game: the browser keeps the person's actions, the stateless server plays them out.

import { post } from "../common/api.js";
import { recall, remember } from "../common/dom.js";

/**
 * Callbacks of a practice game; `whole` replaces it, at the start or after an undo.
 * @typedef {{
 *   whole: (snapshot: Wire.Snapshot, paced: boolean) => void,
 *   event: (event: Wire.Event) => void,
 *   you: (you: Wire.You) => void,
 *   caughtUp: () => void,
 * }} Listener
 */

export class PracticeGame {
  house = "";
  number = "";
  /** @type {string[]} */
  actions = [];
  /** What lay on the table at each action, in words. @type {string[]} */
  moments = [];
  /** @type {number | undefined} */
  version;
  over = true;
  /** The position of a finished game that it begins with. @type {{game?: string, step?: number}} */
  start = {};

  /** @param {string} table whose laws are played by @param {Listener} on @param {typeof post} [send] */
  constructor(table, on, send = post) {
    this.table = table;
    this.on = on;
    this.post = send;
  }

  /** @param {string} house @param {string} number */
  begin(house, number) {
    this.house = house;
    this.number = number;
    return this.play([]);
  }

  /** Where the browser keeps a game that is not over, in case the page is loaded again. */
  get key() {
    return `practice.${this.table}.${this.start.game ?? ""}`;
  }

  /** Go on with the game that the browser keeps, if there is one. */
  async resume() {
    const { actions, ...kept } = JSON.parse(recall(this.key, "{}"));
    Object.assign(this, kept);
    return actions ? this.play(actions) : /** @type {const} */ ({ ok: true });
  }

  forget() {
    remember(this.key, "{}");
  }

  /** @param {string} action @param {string} moment in which it is taken */
  act(action, moment) {
    this.moments[this.actions.length] = moment;
    return this.play([...this.actions, action], this.version);
  }

  /** Take back the person's last action and all that followed. */
  undo() {
    return this.play(this.actions.slice(0, -1));
  }

  /** Ask for the value of each choice, now or after the first `n` actions. */
  hint(n = this.actions.length) {
    return this.post("/api/tables/ID/practice/hint", this.request(this.actions.slice(0, n)), this.table);
  }

  /** @param {string[]} actions @returns {Wire.Practise} */
  request(actions) {
    return { number: this.number, house: this.house, actions, ...this.start };
  }

  /** @param {string[]} actions @param {number} [since] @returns {Promise<Wire.Answer<Wire.PracticeUpdate>>} */
  async play(actions, since) {
    const payload = { ...this.request(actions), ...(since === undefined ? {} : { since }) };
    const answer = await this.post("/api/tables/ID/practice", payload, this.table);
    if (!answer.ok) return answer;
    const { version, over, snapshot, events, yous } = answer;
    Object.assign(this, { actions, version, over });
    const { house, number, moments } = this;
    remember(this.key, over ? "{}" : JSON.stringify({ house, number, actions, moments }));
    if (snapshot) this.on.whole(snapshot, !actions.length);
    // A game that begins in a deal has something to say before its first event.
    for (const you of yous.filter(({ version = 0 }) => snapshot && version <= snapshot.version))
      this.on.you(you);
    for (const event of events) {
      this.on.event(event);
      for (const you of yous.filter(({ version }) => version === event.version)) this.on.you(you);
    }
    this.on.caughtUp();
    return answer;
  }
}
