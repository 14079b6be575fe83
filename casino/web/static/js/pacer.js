// Lets events through one by one, so that eyes can follow; never falls far behind. Pure but for
// the clock and the timer handed in.

// How long what an event shows should stay before the next one changes it.
const STAYS_MS = { action: 550, trick: 500, points: 450, deal_over: 1200, turned_up: 500, dealt: 900, settled: 3000 };
const FARTHEST = 12;
// With so many waiting everything stays half as long: whoever watches is never seconds late.
const CLOSE = 3;

/** A queue before `show`; `hurry()` tells whether nothing should wait. */
export class Pacer {
  constructor(show, { hurry = () => false, later = (step, ms) => setTimeout(step, ms), clock = Date.now } = {}) {
    Object.assign(this, { show, hurry, later, clock, queue: [], free: 0, waiting: false });
  }

  /** Take what is to be shown next: an event, or any other step as a function. */
  push(step) {
    this.queue.push(step);
    this.run();
  }

  /** Forget what has not been shown: a snapshot replaces it. */
  drop() {
    this.queue = [];
    this.free = 0;
  }

  run() {
    if (this.waiting) return;
    while (this.queue.length) {
      const wait = this.hurry() || this.queue.length > FARTHEST ? 0 : this.free - this.clock();
      if (wait > 0) {
        this.waiting = true;
        this.later(() => { this.waiting = false; this.run(); }, wait);
        return;
      }
      this.step(this.queue.shift());
    }
  }

  step(step) {
    if (typeof step === "function") return step();
    this.free = this.clock() + this.stay(step) / (this.queue.length > CLOSE ? 2 : 1);
    this.show(step);
  }

  // The card that completes a trick is shown longer before the trick is taken.
  stay(event) {
    const completes = event.type === "action" && this.queue[0]?.type === "trick";
    return completes ? 1000 : STAYS_MS[event.type] ?? 0;
  }
}
