// Lets events through one by one, so that eyes can follow; never falls far behind. Pure but for
// the clock and the timer handed in.

// How long what an event shows should stay before the next one changes it.
const STAYS_MS = { action: 550, trick: 500, points: 450, deal_over: 1200, turned_up: 500, dealt: 900 };
const LATEST_MS = 2500;

/** A queue before `show(event, came)`, `came` being when; `hurry()` tells whether nothing should wait. */
export class Pacer {
  constructor(
    show,
    { hurry = () => false, later = (step, ms) => setTimeout(step, ms), clock = Date.now } = {},
  ) {
    Object.assign(this, { show, hurry, later, clock, queue: [], free: 0, waiting: false });
  }

  /** Take what is to be shown next: an event, or any other step as a function. */
  push(step) {
    this.queue.push({ step, came: this.clock() });
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
      const wait = Math.min(this.free, this.queue[0].came + LATEST_MS) - this.clock();
      if (wait > 0 && !this.hurry()) {
        this.waiting = true;
        this.later(() => {
          this.waiting = false;
          this.run();
        }, wait);
        return;
      }
      this.take(this.queue.shift());
    }
  }

  take({ step, came }) {
    if (typeof step === "function") return step();
    this.free = this.clock() + this.stay(step);
    this.show(step, came);
  }

  // The card that completes a trick is shown longer before the trick is taken.
  stay(event) {
    const completes = event.type === "action" && this.queue[0]?.step.type === "trick";
    return completes ? 1000 : (STAYS_MS[event.type] ?? 0);
  }
}
