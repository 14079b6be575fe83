// A game of practice: the browser keeps what the person did, the house tells what comes of it.

import { post } from "../common/api.js";

/** @import { Answer, Event, NewPractice, Practised, Snapshot, You } from "./messages" */

/**
 * What a game tells its page; `whole` begins it anew, at the beginning or after a move taken back.
 * @typedef {{
 *   whole: (snapshot: Snapshot, paced: boolean) => void,
 *   event: (event: Event) => void,
 *   you: (you: You) => void,
 *   caughtUp: () => void,
 * }} Listener
 */

export class PracticeGame {
  house = "";
  number = "";
  /** @type {string[]} */
  actions = [];
  /** @type {number | undefined} */
  version;
  over = true;

  /**
   * @param {string} table whose laws are played by
   * @param {Listener} on
   * @param {typeof post} [send]
   */
  constructor(table, on, send = post) {
    this.table = table;
    this.on = on;
    this.post = send;
  }

  /**
   * A new game against a bot.
   * @param {string} house
   * @param {string} number
   */
  begin(house, number) {
    this.house = house;
    this.number = number;
    return this.play([]);
  }

  /** @param {string} action */
  act(action) {
    return this.play([...this.actions, action], this.version);
  }

  /** The last thing the person did is taken back, with all that followed from it. */
  undo() {
    return this.play(this.actions.slice(0, -1));
  }

  /** What each choice is worth. */
  hint() {
    return this.post("/api/tables/ID/practice/hint", this.request(this.actions), this.table);
  }

  /**
   * @param {string[]} actions
   * @returns {NewPractice}
   */
  request(actions) {
    return { number: this.number, house: this.house, actions };
  }

  /**
   * @param {string[]} actions
   * @param {number} [since]
   * @returns {Promise<Answer<Practised>>}
   */
  async play(actions, since) {
    const payload = { ...this.request(actions), ...(since === undefined ? {} : { since }) };
    const answer = await this.post("/api/tables/ID/practice", payload, this.table);
    if (!answer.ok) return answer;
    const { version, over } = answer;
    Object.assign(this, { actions, version, over });
    this.notify(answer, !actions.length);
    return answer;
  }

  /**
   * @param {Practised} told
   * @param {boolean} begins
   */
  notify({ snapshot, events, yous }, begins) {
    if (snapshot) this.on.whole(snapshot, begins);
    for (const event of events) {
      this.on.event(event);
      for (const you of yous.filter(({ version }) => version === event.version)) this.on.you(you);
    }
    this.on.caughtUp();
  }
}
