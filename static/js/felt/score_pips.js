// The counters of a side move from left to right, one per point.

import { fill, h } from "../common/dom.js";

/** @param {HTMLElement} row @param {number} score @param {number} target */
export function renderPips(row, score, target) {
  row.style.setProperty("--n", String(target));
  fill(row, String(target), () => Array.from({ length: target }, (_, n) => h("i.counter", { "--i": n })));
  for (const [n, disc] of [...row.children].entries()) disc.classList.toggle("moved", n >= target - score);
}
