// The expert's review of a finished game: probability curve, decisions, better choices.

import { all, byId, fill, h, show, text } from "../common/dom.js";
import { loadTexts, t, tn } from "../text/i18n.js";
import {
  actionText,
  challengerProbability,
  decisionSteps,
  formatProbability,
  mistakesOf,
  severity,
} from "../text/review_text.js";

/** @import { Step } from "../state/replay.js" */

await loadTexts("game_review");

const WIDE = 300;
const HIGH = 96;
const MARKS = { good: "", loose: "?", grave: "??" };

export class GameReview {
  /** @param {Wire.ReviewedGame} review @param {Step[]} steps @param {(seat: Wire.Seat) => string} nameOf */
  constructor(review, steps, nameOf) {
    this.review = review;
    this.steps = steps;
    this.places = decisionSteps(review.decisions, steps);
    this.nameOf = nameOf;
    show(byId("review-ask"), false);
    show(byId("review-told"), true);
    for (const seat of all("input[name=reviewed]", HTMLInputElement)) {
      text(seat.nextElementSibling ?? seat, nameOf(/** @type {Wire.Seat} */ (seat.value)));
      seat.addEventListener("change", () => this.renderList());
    }
    byId("review-curve").innerHTML = this.curve();
    byId("review-curve").append(this.axis());
    this.renderList();
  }

  get seat() {
    const chosen = byId("review-challenger", HTMLInputElement).checked;
    return /** @type {Wire.Seat} */ (chosen ? "challenger" : "house");
  }

  curve() {
    const points = this.review.decisions.map((one, n) => [
      this.stepX(this.places[n]),
      Math.round(HIGH * (1 - challengerProbability(one))),
    ]);
    const line = points.map(([x, y]) => `${x},${y}`).join(" ");
    const ends = points.length ? `${points.at(-1)?.[0]},${HIGH} ${points[0][0]},${HIGH}` : "";
    const dots = this.review.decisions.map((one, n) =>
      severity(one) === "good" ? "" : `<path class="dot ${one.seat} ${severity(one)}" d="M${points[n]}h0"/>`,
    );
    return `<svg viewBox="0 0 ${WIDE} ${HIGH}" preserveAspectRatio="none" aria-hidden="true">
      <polygon class="under" points="${line} ${ends}"/><path class="half" d="M0 ${HIGH / 2}H${WIDE}"/>
      ${this.dealStarts()
        .map(([, x]) => `<path class="deal" d="M${x} 0V${HIGH}"/>`)
        .join("")}
      <polyline points="${line}"/>${dots.join("")}
      <path class="here" id="review-here" d="M0 0V${HIGH}"/></svg>`;
  }

  axis() {
    const labels = this.dealStarts().map(([n, x]) => h("b", { "--share": x / WIDE }, String(n)));
    return h("p.axis", { "aria-hidden": "true" }, t("Deals"), ...labels);
  }

  // Return the number of each deal and where it begins on the curve.
  dealStarts() {
    return this.steps.flatMap(({ state: { deal } }, n) =>
      deal.number && deal.number !== this.steps[n - 1]?.state.deal.number
        ? [[deal.number, this.stepX(n)]]
        : [],
    );
  }

  /** @param {number} step */
  stepX(step) {
    return Math.round((WIDE * Math.max(0, step)) / Math.max(1, this.steps.length - 1));
  }

  renderList() {
    byId("review-curve").dataset.seat = this.seat;
    const { decisions, given_away } = this.review;
    const mine = decisions.filter(({ seat }) => seat === this.seat);
    const [worst] = mistakesOf(decisions, this.seat);
    const summary = tn(
      "In {n} decision, {name} gave away winning chances that add up to {share}.",
      "In {n} decisions, {name} gave away winning chances that add up to {share}.",
      {
        name: this.nameOf(this.seat),
        share: formatProbability(given_away[this.seat]),
        n: mine.length,
      },
    );
    const most = worst
      ? t("Biggest mistake, in deal {deal}: “{action}”, {share}.", {
          action: actionText(worst.action),
          deal: worst.deal,
          share: formatProbability(worst.cost),
        })
      : t("None of them alone is a mistake: small differences add up.");
    text(byId("review-sum"), `${summary} ${most}`);
    fill(byId("review-list"), this.seat, () =>
      mine.flatMap((one, n) => [
        one.deal === mine[n - 1]?.deal ? null : h("li.of-deal", t("deal {n}", { n: one.deal })),
        this.row(one),
      ]),
    );
  }

  /** @param {Wire.Decision} decision */
  row(decision) {
    const step = this.places[this.review.decisions.indexOf(decision)];
    const kind = severity(decision);
    const better = kind === "good" ? "" : t("better: {action}", { action: actionText(decision.best) });
    return h(
      `li.${kind}`,
      { "data-step": step },
      h(
        "a",
        { href: `#step-${step}` },
        h("span", actionText(decision.action)),
        h("b", { "aria-hidden": "true" }, MARKS[kind]),
        h("span.n", formatProbability(decision.chance)),
      ),
      better ? h("small", `${better} · ${formatProbability(decision.best_chance)}`) : null,
    );
  }

  // Show the options at a step if someone decides there.
  /** @param {number} step */
  showStep(step) {
    const x = this.stepX(step);
    document.getElementById("review-here")?.setAttribute("d", `M${x} 0V${HIGH}`);
    for (const row of byId("review-list").children) {
      row.toggleAttribute("data-here", row.getAttribute("data-step") === String(step));
    }
    const decision = this.review.decisions[this.places.indexOf(step)];
    const box = byId("review-options");
    show(box, Boolean(decision));
    if (!decision) return;
    text(
      byId("review-who"),
      t("{name} had these options here, with the probability of winning the game:", {
        name: this.nameOf(decision.seat),
      }),
    );
    const rows = Object.entries(decision.options).sort(([, a], [, b]) => b - a);
    fill(byId("review-choices"), `${step}`, () => rows.map((row) => optionRow(decision, ...row)));
  }
}

/** @param {Wire.Decision} decision @param {string} action @param {number} worth */
function optionRow(decision, action, worth) {
  const done = action === decision.action;
  const bar = h("i", { "aria-hidden": "true", "--share": worth });
  const words = done ? t("{action} (done)", { action: actionText(action) }) : actionText(action);
  return h(done ? "li.done" : "li", h("span", words), bar, h("span.n", formatProbability(worth)));
}
