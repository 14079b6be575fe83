// Figures: how sure a share is, what equals stray, scores side by side, a curve that stays inside.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  balanceAxis,
  curveSvg,
  marginOfError,
  scoresByWinner,
  stepsSvg,
  wilsonInterval,
} from "../../../static/js/account/plots.js";

const near = (found, expected) => assert.ok(Math.abs(found - expected) < 0.0005, `${found}`);

test("the bounds of a share are Wilson's", () => {
  const { share, least, most } = wilsonInterval(60, 100);
  assert.equal(share, 0.6);
  near(least, 0.502);
  near(most, 0.6906);
});

test("no share is certain, and none leaves 0 to 1", () => {
  for (const [won, games] of [
    [0, 1],
    [1, 1],
    [0, 50],
    [50, 50],
  ]) {
    const { share, least, most } = wilsonInterval(won, games);
    assert.ok(least >= -1e-9 && most <= 1 + 1e-9 && least <= share + 1e-9 && share <= most + 1e-9);
    assert.ok(most - least > 0);
  }
});

test("equals stray less the more they play", () => {
  near(marginOfError(100), 0.098);
  assert.equal(marginOfError(1), 0.5);
  assert.ok(marginOfError(10_000) < marginOfError(1_000));
});

test("scores stand side by side, each target by itself", () => {
  const scores = [
    { house: 5, challenger: 3, games: 4 },
    { house: 3, challenger: 5, games: 2 },
    { house: 0, challenger: 5, games: 1 },
    { house: 7, challenger: 3, games: 9 },
  ];
  assert.deepEqual(scoresByWinner(scores), [
    { target: 5, points: 0, house: 0, challenger: 1 },
    { target: 5, points: 3, house: 4, challenger: 2 },
    { target: 7, points: 3, house: 9, challenger: 0 },
  ]);
});

test("a curve ends at the share of all games, at the right edge", () => {
  const svg = curveSvg([
    [10, 4],
    [100, 75],
  ]);
  assert.match(svg, /polyline points="90\.0,120\.0 900\.0,50\.0"/);
});

test("the marks of a balance are round, and around it", () => {
  assert.deepEqual(balanceAxis(98_719, 100_000), {
    from: 93_719,
    to: 105_000,
    marks: [95_000, 100_000, 105_000],
  });
  assert.equal(balanceAxis(0, 50).from, 0);
});

test("a balance stays as it is until it changes", () => {
  const points = [
    { x: 0, y: 0.5 },
    { x: 0.5, y: 1 },
  ];
  assert.match(stepsSvg(points, [0.25]), /M0 150\.0H900[\s\S]*d="M0 100\.0H0\.0V100\.0H450\.0V0\.0H900"/);
});
