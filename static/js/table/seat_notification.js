// The queue for the seat: show the viewer's place, and notify by title and device when the seat is theirs.
// Loaded once the viewer queues or sits.

import { byId, h, isClosing, remember, show, text, within } from "../common/dom.js";
import { isPlaying } from "../state/table_state.js";
import { loadTexts, t } from "../text/i18n.js";

await loadTexts("seat_notification");

const title = document.title;
let wasWaiting = false;
// Phones have no side panel: show the place in the queue above the felt.
const placeButton = h("button", { type: "button", "data-opens": "about" });
const banner = h("p.waits", { role: "status", hidden: true }, placeButton);

byId("main").append(banner);
byId("call-me").addEventListener("click", async () => {
  await Notification.requestPermission();
  show(byId("call-me"), false);
});

/** @param {State.Table} state */
export function renderQueuePlace(state) {
  const { you, queue } = state;
  const waits = Boolean(you.name) && queue.includes(you.name);
  show(banner, waits);
  // What a closing table says to those who wait stays after its queue is gone.
  if (waits || !isClosing()) show(byId("place-ends"), waits);
  within(byId("about"), ".seat").classList.toggle("waiting", waits);
  if (waits)
    for (const one of [placeButton, byId("seat-words")]) text(one, queueText(queue.indexOf(you.name)));
  const mine = isPlaying(state);
  // Other pages call the player back from there: see waiting_game.js.
  remember("seat", waits || mine ? state.table : "");
  show(byId("call-me"), waits && globalThis.Notification?.permission === "default");
  if (mine && wasWaiting && document.hidden) notify();
  wasWaiting = waits;
}

/** @param {number} before how many wait in front */
function queueText(before) {
  if (before) return t("You are number {place} in the queue.", { place: before + 1 });
  return document.getElementById("poule")
    ? t("You are next: a poule with you follows this one.")
    : t("You are next: your game follows this one.");
}

function notify() {
  const words = t("The seat is yours: your game begins.");
  document.title = `● ${words}`;
  document.addEventListener("visibilitychange", () => {
    document.title = title;
  });
  if (globalThis.Notification?.permission !== "granted") return;
  try {
    const note = new Notification(words, { tag: "seat", body: title });
    note.onclick = () => {
      focus();
      note.close();
    };
  } catch {
    // Some phones allow notifications only from a service worker: the title has to do.
  }
}
