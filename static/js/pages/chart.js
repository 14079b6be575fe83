// The hand chart: pick five cards and a turn-up, see their value at every score.

import { get, refusal } from "../common/api.js";
import { all, byId, h, show, text } from "../common/dom.js";
import "../common/head.js";
import { showAllCards, showCards } from "../felt/card_row.js";
import { parseCards } from "../state/tokens.js";
import { decimal, percent, t } from "../text/i18n.js";

const DEFAULT_HAND = ["", "7HKCQCJC7S", "8H"];
const HASH = /^#((?:[KQJAT987][SHDC]){5})-([KQJAT987][SHDC])$/;
const POINTS = [0, 1, 2, 3, 4];

/** @type {string[]} */
let hand = [];
/** @type {Wire.HandChart | null} */
let result = null;
const turnUp = byId("turn-up", HTMLSelectElement);

function fromHash() {
  const [, cards, turned] = location.hash ? (location.hash.match(HASH) ?? []) : DEFAULT_HAND;
  if (!cards) return;
  hand = parseCards(cards);
  turnUp.value = turned;
  updatePickers();
  fetchChart();
}

/** Choose a hand, whose chart is shown once it has five cards. @param {string[]} cards */
function choose(cards) {
  hand = cards;
  updatePickers();
  if (hand.length === 5) location.hash = `${hand.join("")}-${turnUp.value}`;
}

/** @param {string} card */
const without = (card) => hand.filter((one) => one !== card);

function updatePickers() {
  for (const button of all("#pack button", HTMLButtonElement)) {
    const { card = "" } = button.dataset;
    button.setAttribute("aria-pressed", String(hand.includes(card)));
    button.disabled = card === turnUp.value || (hand.length === 5 && !hand.includes(card));
  }
  const missing = 5 - hand.length;
  text(
    byId("pick-said"),
    missing ? t("{n} more to choose", { n: missing }) : t("To choose another card, remove one first."),
  );
}

async function fetchChart() {
  const { hash } = location;
  const answer = await get("/api/chart", { hand: hand.join(""), turn_up: turnUp.value });
  // Another hand has been chosen meanwhile.
  if (hash !== location.hash) return;
  result = answer.ok ? answer : null;
  if (!answer.ok) text(byId("pick-said"), await refusal(answer));
  show(byId("told"), answer.ok);
  render();
}

function render() {
  if (!result) return;
  const mine = byId("role-elder", HTMLInputElement).checked ? "elder" : "dealer";
  const { opponents, [mine]: tricks } = result;
  const wins = tricks[3] + tricks[4] + tricks[5];
  showCards(byId("chosen"), hand);
  text(byId("share"), percent(wins / opponents, 0, 2));
  const lost = opponents - wins;
  const odds = lost ? decimal(wins / lost, 2) : "∞";
  text(
    byId("share-words"),
    t("makes the point against {wins} of {all} hands: {odds} wins for each loss", {
      wins,
      all: opponents,
      odds,
    }),
  );
  byId("tricks").replaceChildren(...tricks.map((n, taken) => bar(taken, n / opponents)));
  const plays = mine === "elder" ? result.stands : result.refuses;
  text(
    byId("regle"),
    plays ? t("The old rule of thumb: play these cards.") : t("The old rule of thumb: exchange first."),
  );
  text(
    byId("grid-words"),
    mine === "elder" ? t("How often the expert proposes") : t("How often the expert agrees"),
  );
  renderGrid(result, mine);
}

/** @param {number} taken @param {number} share */
function bar(taken, share) {
  const line = h("i", { "aria-hidden": "true", "--share": share });
  return h(taken > 2 ? "li.made" : "li", h("span", String(taken)), line, h("b", percent(share)));
}

/** @param {Wire.HandChart} chart @param {"elder" | "dealer"} mine */
function renderGrid({ words }, mine) {
  /** @param {number} elder @param {number} dealer */
  const cell = (elder, dealer) => {
    const word = words.find((one) => one.elder === elder && one.dealer === dealer);
    if (!word) return h("td.none", "–");
    const share = mine === "elder" ? word.proposes : word.accepts;
    return h(share > 0.5 ? "td.much" : "td", { "--share": share }, percent(share));
  };
  byId("grid").replaceChildren(
    ...POINTS.map((elder) =>
      h("tr", h("th", { scope: "row" }, String(elder)), ...POINTS.map((dealer) => cell(elder, dealer))),
    ),
  );
}

showAllCards();
for (const button of all("#pack button", HTMLButtonElement))
  button.addEventListener("click", () => {
    const { card = "" } = button.dataset;
    choose(hand.includes(card) ? without(card) : [...hand, card]);
  });
turnUp.addEventListener("change", () => choose(without(turnUp.value)));
for (const name of ["role-elder", "role-dealer"]) byId(name).addEventListener("change", render);
byId("clear").addEventListener("click", () => choose([]));
addEventListener("hashchange", fromHash);
fromHash();
