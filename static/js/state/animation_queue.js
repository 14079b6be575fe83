// Show events one by one, slowly enough to follow; never fall far behind. Pure except for the given clock and
// timer.

import { isCard } from "./tokens.js";

/**
 * An event or a callback, and when it was received.
 * @typedef {Wire.Event | (() => void)} Step
 * @typedef {(step: () => void, ms: number) => unknown} Timer
 * @typedef {Partial<Pick<AnimationQueue, "hurry" | "later" | "clock" | "latest">>} Options
 */

// How long an event stays visible before the next one.
/** @type {Partial<Record<Wire.Event["type"], number>>} */
const HOLD_MS = { dealt: 900, turned_up: 600, trick: 600, points: 900, deal_over: 3000 };
const CARD_MS = 600;
const WORD_MS = 1000;
/** @type {Record<string, number>} */
const ACTION_MS = { S: 1400, R: 1400, K: 1500 };
const DECIDING_TRICK_MS = 1500;
const MAJORITY = 3;
const MAX_DELAY_MS = 3500;

/** A queue before `show(event, came)`; nothing waits while `hurry()` is true. */
export class AnimationQueue {
  /** @type {{step: Step, came: number}[]} */
  queue = [];
  readyAt = 0;
  isScheduled = false;
  hurry = () => false;
  /** @type {Timer} */
  later = (step, ms) => setTimeout(step, ms);
  clock = Date.now;
  latest = MAX_DELAY_MS;

  /** @param {(event: Wire.Event, came: number) => void} show @param {Options} [surroundings] */
  constructor(show, surroundings) {
    this.show = show;
    Object.assign(this, surroundings);
  }

  /** @param {Step} step */
  push(step) {
    this.queue.push({ step, came: this.clock() });
    this.run();
  }

  /** Forget everything that is queued: a snapshot replaces it. */
  drop() {
    this.queue = [];
    this.readyAt = 0;
  }

  run() {
    if (this.isScheduled) return;
    while (this.queue.length) {
      const wait = Math.min(this.readyAt, this.queue[0].came + this.latest) - this.clock();
      if (wait > 0 && !this.hurry()) {
        this.isScheduled = true;
        this.later(() => {
          this.isScheduled = false;
          this.run();
        }, wait);
        return;
      }
      const [{ step, came }] = this.queue.splice(0, 1);
      if (typeof step === "function") step();
      else {
        this.readyAt = this.clock() + this.holdMs(step);
        this.show(step, came);
      }
    }
  }

  /** @param {Wire.Event} event */
  holdMs(event) {
    if (event.type === "action") return isCard(event.action) ? CARD_MS : (ACTION_MS[event.action] ?? WORD_MS);
    const decides = event.type === "trick" && event.tricks?.[event.taker] === MAJORITY;
    return decides ? DECIDING_TRICK_MS : (HOLD_MS[event.type] ?? 0);
  }
}
