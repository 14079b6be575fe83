// The header of every page: connection, balance, name, menu. It works on a page whose script imports this.

import { chips, t } from "../text/i18n.js";
import { refusal } from "./api.js";
import { byId, recall, show, text, within } from "./dom.js";

import("./preferences.js");
document.addEventListener("visibilitychange", showNews);
showNews();
// A press shows no ring around what then gets the focus; a key does.
for (const kind of ["pointerdown", "keydown"])
  addEventListener(kind, () => document.documentElement.classList.toggle("pressed", kind !== "keydown"));

/** Say how games ended whose settlement the viewer has not seen, and that their game waits at another page. */
export function showNews() {
  if (document.hidden || byId("purse").hidden) return;
  if (recall("missed")) import("./absence.js").then(({ showAbsence }) => showAbsence());
  if (recall("seat")) import("./waiting_game.js").then(({ showWaitingGame }) => showWaitingGame());
}

/** @param {Partial<State.You>} you */
export function showBalance({ name, balance_cents }) {
  show(byId("purse"), Boolean(name));
  if (!name) return;
  text(byId("purse-name"), name);
  // Until the first message the page shows the balance that it came with.
  if (typeof balance_cents === "number") text(byId("balance"), chips(balance_cents));
}

/** Show why the page could not load its data; hide it once it could. @param {Wire.Answer<object>} answer */
export async function showLoadError(answer) {
  const words = answer.ok ? "" : await refusal(answer);
  text(byId("complaint"), words);
  show(byId("complaint"), Boolean(words));
}

/** @param {boolean} there @param {Wire.Refusal | null} [answer] */
export function showConnection(there, answer = null) {
  const badge = byId("connection");
  badge.classList.toggle("lost", !there);
  const label = within(badge, "span");
  text(label, there ? t("live") : t("connecting…"));
  if (answer?.code) refusal(answer).then((words) => badge.classList.contains("lost") && text(label, words));
  show(byId("lost"), !there && !answer?.message && badge.dataset.was === "there");
  if (there) badge.dataset.was = "there";
}
