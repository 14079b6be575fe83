// Cards in a row: on pages of text, in the tour, and the tricks of the lobby's small tables.

import { all, setAttributes } from "../common/dom.js";
import { cardName, cardSvg } from "./cards.js";

/** Show cards in an element unless it has them; "??" is face down. @param {HTMLElement} row @param {string[]} cards */
export function showCards(row, cards) {
  const label = cards.map((card) => (card === "??" ? "?" : cardName(card))).join(", ");
  if (row.getAttribute("aria-label") === label) return;
  setAttributes(row, { role: "img", "aria-label": label });
  const drawn = cards.map((card) => cardSvg(card === "??" ? null : card));
  row.innerHTML = drawn.map((svg) => `<span class="show-card">${svg}</span>`).join("");
}

/** Show the cards that elements name: data-cards="KH QH". */
export function showAllCards() {
  for (const row of all("[data-cards]", HTMLElement)) showCards(row, (row.dataset.cards ?? "").split(" "));
}
