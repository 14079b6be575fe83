// Cards in a row, on pages of text and in the tour.

import { all } from "../common/dom.js";
import { cardName, cardSvg } from "./cards.js";

/** Show cards in an element; "??" is face down. @param {HTMLElement} row @param {string[]} cards */
export function showCards(row, cards) {
  row.setAttribute("role", "img");
  row.setAttribute("aria-label", cards.map((card) => (card === "??" ? "?" : cardName(card))).join(", "));
  const drawn = cards.map((card) => cardSvg(card === "??" ? null : card));
  row.innerHTML = drawn.map((svg) => `<span class="show-card">${svg}</span>`).join("");
}

/** Show the cards that elements name: data-cards="KH QH". */
export function showAllCards() {
  for (const row of all("[data-cards]", HTMLElement)) showCards(row, (row.dataset.cards ?? "").split(" "));
}
