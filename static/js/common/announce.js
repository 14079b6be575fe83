// What the operator announces: shown above everything until it is clicked away or a minute is over.

import { h } from "./dom.js";

const SHOWN_MS = 60_000;

/**
 * Show a text on whatever page is open.
 * @param {string} text
 */
export function announce(text) {
  const shown = h("p.announcement", { role: "alert", onclick: () => shown.remove() }, text);
  document.body.prepend(shown);
  setTimeout(() => shown.remove(), SHOWN_MS);
}
