// Pages of text with cards in them: an element with data-cards="KH QH" shows them.

import { cardName, cardSvg } from "../cards.js";
import { h } from "../dom.js";
import { connectHead } from "../head.js";

/** @type {NodeListOf<HTMLElement>} */
const rows = document.querySelectorAll("[data-cards]");
for (const row of rows) {
  const cards = (row.dataset.cards ?? "").split(" ");
  row.setAttribute("role", "img");
  row.setAttribute("aria-label", cards.map((card) => (card === "??" ? "?" : cardName(card))).join(", "));
  row.append(
    ...cards.map((card) => {
      const shown = h("span.show-card");
      shown.innerHTML = cardSvg(card === "??" ? null : card);
      return shown;
    }),
  );
}
connectHead();
