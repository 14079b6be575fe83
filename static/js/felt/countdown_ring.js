// The ring that counts down while bets are taken.

import { byId, show, text, within } from "../common/dom.js";
import { tn } from "../text/i18n.js";

/** @import { Table } from "../state/table" */

/** Return how long bets are still taken, 0 if they are not or it is unknown. @param {Table} state */
export const bettingMsLeft = ({ endsAt, game }) =>
  endsAt && game?.phase === "betting" ? Math.max(0, endsAt - Date.now()) : 0;

/** @param {Table} state */
export function renderRing(state) {
  const left = bettingMsLeft(state);
  const ring = byId("ring");
  show(ring, left > 0);
  if (left <= 0) return;
  const share = Math.min(1, left / (1000 * (state.lasts || 1)));
  byId("ring-arc").style.setProperty("--a", `${360 * share}deg`);
  const n = Math.ceil(left / 1000);
  text(byId("ring-seconds"), n);
  text(within(ring, "p:last-of-type"), tn("second", "seconds", { n }));
  ring.classList.toggle("last", left < 5000);
}
