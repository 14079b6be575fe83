// When the seat one waited for is free: the title of the page says so, and the device if it may.
//
// Asked for once somebody waits.

import { byId, show } from "./dom.js";
import { t, textsOf } from "./i18n.js";
import { seatOf } from "./state.js";

/** @import { Table } from "./table" */

await textsOf("seatcall");

const title = document.title;
let waited = false;

/** Whether the device can call and has not been asked yet. */
const mayAsk = () => typeof Notification !== "undefined" && Notification.permission === "default";

/** Connect the button that lets the device call. */
export function connectCall() {
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
  const mine = Boolean(you.name) && (holder === you.name || seatOf(state) === "challenger");
  show(byId("call-me"), waits && mayAsk());
  if (mine && waited && document.hidden) call();
  waited = waits;
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
