// A one-minute tour for newcomers: text cards over the page.

import { byId, text } from "../common/dom.js";
import { showCards } from "../felt/card_rows.js";
import { stakeMultiplier } from "../state/matching.js";
import { loadTexts, t } from "../text/i18n.js";

/** @import { GalleryLaws } from "../state/messages" */

await loadTexts("tour");

const COST =
  "If your side loses with 3 points or more, you lose your bet; with 1 or 2, twice your bet; with none, three times. Three times your bet is set aside: you can never lose more.";
const SINGLE_COST =
  "If your side loses, you lose your bet, however the game ends. It is set aside: you can never lose more.";
const RANKS = "KQJAT987";
const STOPS = [
  [
    "cloth",
    "Two players",
    "The house is a bot of the casino. The challenger opposite is a person or another bot. Five points win the game.",
  ],
  [
    "trump",
    "Trumps",
    "Each player gets five cards. One more is turned up: its suit is trumps, marked by a gold dot, and beats every other suit. The ranks are K Q J A 10 9 8 7: the ace ranks below the jack. The second player must follow suit, and take the trick if possible.",
  ],
  [
    "cloth",
    "Exchange or play",
    "“I propose” asks to exchange cards, “I play” does not. A player who refuses to exchange and then loses pays for it: the other scores 2.",
  ],
  [
    "plate-house",
    "Points",
    "Three or four of the five tricks are 1 point, all five are 2 (or 1 if no one exchanged). Turning or holding the king of trumps is 1 more. A counter moves from left to right for each.",
  ],
  [
    "desk",
    "Your bet",
    "Back the house or the challenger before the cards are dealt. The sides are made equal; what is not matched comes back at once.",
  ],
  ["desk", "What it may cost", COST],
  [
    "trust",
    "No tricks",
    "The casino seals a secret before you bet, and your browser seals one with your bet. The cards follow from both; after the game your browser can check them.",
  ],
];

const dialog = byId("tour", HTMLDialogElement);
let current = 0;
/** @type {Partial<GalleryLaws>} */
let laws = {};

/** @param {number} to */
function showStop(to) {
  current = to;
  document.querySelector(".toured")?.classList.remove("toured");
  if (current >= STOPS.length) return dialog.close();
  const [elementId, title, words] = STOPS[current];
  // There are no trumps to point at before the cards are dealt.
  const spot = byId(elementId).offsetParent ? byId(elementId) : byId("cloth");
  spot.classList.add("toured");
  text(byId("tour-step"), t("{n} of {all}", { n: current + 1, all: STOPS.length }));
  text(byId("tour-title"), t(title));
  const suit = byId("trump").querySelector("[data-suit]")?.getAttribute("data-suit") ?? "H";
  byId("tour-cards").replaceChildren();
  const ranks = [...RANKS].map((rank) => rank + suit);
  if (elementId === "trump") showCards(byId("tour-cards"), ranks);
  text(byId("tour-words"), t(words === COST && stakeMultiplier(laws) === 1 ? SINGLE_COST : words));
  byId("tour-back", HTMLButtonElement).disabled = current === 0;
  text(byId("tour-next"), current === STOPS.length - 1 ? t("Done") : t("Next"));
}

/** @param {Partial<GalleryLaws>} [gallery] by which bets are paid there */
export function startTour(gallery = {}) {
  laws = gallery;
  dialog.show();
  showStop(0);
  byId("tour-next").focus();
}

byId("tour-next").addEventListener("click", () => showStop(current + 1));
byId("tour-back").addEventListener("click", () => showStop(current - 1));
byId("tour-close").addEventListener("click", () => showStop(STOPS.length));
dialog.addEventListener("close", () => document.querySelector(".toured")?.classList.remove("toured"));
dialog.addEventListener("keydown", (event) => event.key === "Escape" && dialog.close());
