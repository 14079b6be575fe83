// Cards inside text: an element with data-cards="KH QH" shows them.

import { all, h } from "../common/dom.js";
import { cardName, cardSvg } from "./cards.js";

/**
 * Show cards in an element; "??" is face down.
 * @param {HTMLElement} row
 * @param {string[]} cards
 */
export function showCards(row, cards) {
  row.setAttribute("role", "img");
  row.setAttribute("aria-label", cards.map((card) => (card === "??" ? "?" : cardName(card))).join(", "));
  row.replaceChildren(
    ...cards.map((card) => {
      const shown = h("span.show-card");
      shown.innerHTML = cardSvg(card === "??" ? null : card);
      return shown;
    }),
  );
}

export function showAllCards() {
  for (const row of all("[data-cards]", HTMLElement)) showCards(row, (row.dataset.cards ?? "").split(" "));
}
