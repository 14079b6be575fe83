// The review of a game: each decision finds its step, its words, its mark.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  actionText,
  challengerProbability,
  decisionSteps,
  formatProbability,
  mistakesOf,
  severity,
} from "../../../static/js/text/review_text.js";

const step = (number, type) => ({ event: { type }, state: { deal: { number } } });
const STEPS = [
  step(1, "dealt"),
  step(1, "action"),
  step(1, "action"),
  step(1, "trick"),
  step(1, "action"),
  step(2, "dealt"),
  step(2, "action"),
];
const decision = (deal, token, cost = 0, seat = "house") => ({ deal, token, cost, seat, chance: 0.25 });

test("a decision stands at the step of its own action", () => {
  const decisions = [decision(1, 1), decision(1, 3), decision(2, 1), decision(2, 9)];
  assert.deepEqual(decisionSteps(decisions, STEPS), [1, 4, 6, -1]);
});

test("what was done has words or signs", () => {
  assert.deepEqual(["P", "S", "A", "R", "K"].map(actionText), [
    "Propose",
    "Play these cards",
    "Agree",
    "Refuse cards",
    "Announce the king",
  ]);
  assert.equal(actionText("TH"), "10♥");
  assert.equal(actionText("XTH7S"), "Exchange 10♥ 7♠");
});

test("only what is more than the noise is marked", () => {
  const marks = [0, 0.019, 0.02, 0.059, 0.06].map((cost) => severity({ cost }));
  assert.equal(marks.join(" "), "good good loose loose grave");
});

test("the curve is the challenger's, whoever decides", () => {
  assert.equal(challengerProbability(decision(1, 1)), 0.75);
  assert.equal(challengerProbability(decision(1, 1, 0, "challenger")), 0.25);
});

test("the dearest decisions of a seat come first", () => {
  const found = [decision(1, 1, 0.03), decision(1, 2, 0.5, "challenger"), decision(2, 1, 0.1)];
  assert.equal(String(mistakesOf(found, "house").map(({ cost }) => cost)), "0.1,0.03");
});

test("a chance has one decimal", () => assert.equal(formatProbability(0.4615), "46.2%"));
