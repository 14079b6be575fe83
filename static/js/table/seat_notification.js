// The queue for the seat: which place is one's own, and when it is free the page's title says so, and the
// device if it may.
//
// Asked for once somebody waits.

import { byId, h, show, text, within } from "../common/dom.js";
import { seatOf } from "../state/table_state.js";
import { t, textsOf, tn } from "../text/i18n.js";

/** @import { Table } from "../state/table" */

await textsOf("seat_notification");

const title = document.title;
let waited = false;
// A phone has no seat beside the strip: there the place in the queue stands above the felt.
const place = h("button", { type: "button", "data-opens": "about" });
const sign = h("p.waits", { role: "status", hidden: true }, place);

/** Whether the device can call and has not been asked yet. */
const mayAsk = () => typeof Notification !== "undefined" && Notification.permission === "default";

/** Connect the button that lets the device call. */
export function connectCall() {
  byId("main").append(sign);
  byId("call-me").addEventListener("click", async () => {
    await Notification.requestPermission();
    show(byId("call-me"), false);
  });
}

/**
 * @param {Table} state
 */
export function renderCall(state) {
  const { you, queue, holder } = state;
  const waits = Boolean(you.name) && queue.includes(you.name);
  show(sign, waits);
  within(byId("about"), ".seat").classList.toggle("waiting", waits);
  if (waits) for (const one of [place, byId("seat-words")]) text(one, placeWords(queue.indexOf(you.name)));
  const mine = Boolean(you.name) && (holder === you.name || seatOf(state) === "challenger");
  show(byId("call-me"), waits && mayAsk());
  if (mine && waited && document.hidden) call();
  waited = waits;
}

/**
 * What comes before one's own game.
 * @param {number} before how many wait in front
 */
function placeWords(before) {
  return before
    ? tn(
        "You are number {place} in the queue: after this game one more, then yours.",
        "You are number {place} in the queue: after this game {n} more, then yours.",
        { n: before, place: before + 1 },
      )
    : t("You are next: your game follows this one.");
}

function call() {
  const words = t("The seat is yours: your game begins.");
  document.title = `● ${words}`;
  document.addEventListener("visibilitychange", () => {
    document.title = title;
  });
  if (typeof Notification === "undefined" || Notification.permission !== "granted") return;
  try {
    const note = new Notification(words, { tag: "seat", body: title });
    note.onclick = () => {
      focus();
      note.close();
    };
  } catch {
    // Some phones want more than a page for this: there the title has to do.
  }
}
