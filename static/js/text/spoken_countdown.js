// Spoken countdowns for players and bettors, each moment once. Loaded for them only.

import { byId, text } from "../common/dom.js";
import { loadTexts, tn } from "./i18n.js";

await loadTexts("spoken_countdown");

const URGENT_MS = 10_000;
const ANNOUNCED_MS = 2000;
const PLAYER_SECONDS = [20, 10, 5];
const BETTOR_SECONDS = [10, 5];
// Each change of the book sends the seconds again, and its way here takes longer or shorter.
const SAME_CLOCK_MS = 2000;

export class SpokenCountdown {
  /** The last announced clock, and the seconds announced of it. */
  endsAt = 0;
  spoken = Number.POSITIVE_INFINITY;

  /** @param {number} endsAt @param {number} lasts @param {"turn" | "bets"} of */
  announce(endsAt, lasts, of) {
    const words = this.say(endsAt, lasts, of, Date.now());
    if (!words) return;
    // Before the last seconds, the player may still be reading their hand.
    const region = byId(of === "turn" && endsAt - Date.now() <= URGENT_MS ? "urgent" : "live");
    text(region, words);
    // Clear it after it is spoken: no one should find an outdated countdown.
    setTimeout(() => region.textContent === words && text(region, ""), ANNOUNCED_MS);
  }

  /**
   * Return what to announce now, or "".
   * @param {number} endsAt when the clock is over
   * @param {number} lasts how many seconds it had
   * @param {"turn" | "bets" | ""} of whose it is
   * @param {number} now
   */
  say(endsAt, lasts, of, now) {
    if (Math.abs(endsAt - this.endsAt) > SAME_CLOCK_MS) this.spoken = lasts;
    this.endsAt = endsAt;
    const left = Math.ceil((endsAt - now) / 1000);
    const moments = of === "turn" ? PLAYER_SECONDS : of === "bets" ? BETTOR_SECONDS : [];
    const first = this.spoken === lasts;
    const moment = moments.filter((moment) => moment < this.spoken && left <= moment).at(-1);
    if (!moment || left <= 0) return "";
    this.spoken = moment;
    if (of === "bets") return tn("Bets close in {n} second.", "Bets close in {n} seconds.", { n: left });
    return first
      ? tn("{n} second left. Press T for more time.", "{n} seconds left. Press T for more time.", { n: left })
      : tn("{n} second left.", "{n} seconds left.", { n: left });
  }
}

/** The countdown of the page. */
export const countdown = new SpokenCountdown();
