// A one-minute tour for newcomers: text cards over the page.

import { all, byId, show, text } from "../common/dom.js";
import { showAllCards } from "../felt/card_row.js";
import { loadTexts, t } from "../text/i18n.js";

await loadTexts("tour");

const dialog = byId("tour", HTMLDialogElement);
const stops = [...all("#tour section", HTMLElement)];
let current = 0;

/** @param {number} to */
function showStop(to) {
  current = to;
  if (current >= stops.length) return dialog.close();
  const { spot = "" } = stops[current].dataset;
  for (const part of all(".toured")) part.classList.remove("toured");
  // There are no trumps to point at before the cards are dealt.
  const seen = [...all(spot, HTMLElement)].filter((part) => part.offsetParent);
  for (const part of seen.length ? seen : [byId("cloth")]) part.classList.add("toured");
  dialog.classList.toggle("above", spot === "#desk");
  text(byId("tour-step"), t("{n} of {all}", { n: current + 1, all: stops.length }));
  for (const [n, stop] of stops.entries()) show(stop, n === current);
  dialog.setAttribute("aria-labelledby", `tour-title-${current}`);
  byId("tour-back", HTMLButtonElement).disabled = current === 0;
  text(byId("tour-next"), current === stops.length - 1 ? t("Done") : t("Next"));
}

export function startTour() {
  dialog.show();
  showStop(0);
  byId("tour-next").focus();
}

showAllCards();
byId("tour-next").addEventListener("click", () => showStop(current + 1));
byId("tour-back").addEventListener("click", () => showStop(current - 1));
byId("tour-close").addEventListener("click", () => showStop(stops.length));
dialog.addEventListener("keydown", (event) => event.key === "Escape" && dialog.close());
