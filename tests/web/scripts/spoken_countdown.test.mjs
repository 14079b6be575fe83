// The clock in words: a few moments, each once, and the way to more time at the first of them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { SpokenCountdown } from "../../../static/js/text/spoken_countdown.js";

// What is said while a clock of so many seconds runs out, looked at five times a second.
function heard(lasts, of, clock = new SpokenCountdown(), began = 1_000_000) {
  const said = [];
  for (let now = began; now <= began + 1000 * lasts; now += 200) {
    const words = clock.say(began + 1000 * lasts, lasts, of, now);
    if (words) said.push(words);
  }
  return said;
}

test("a player hears of a turn's last seconds, and first of more time", () => {
  assert.deepEqual(heard(30, "turn"), [
    "20 seconds left. Press T for more time.",
    "10 seconds left.",
    "5 seconds left.",
  ]);
});

test("a short clock says less, but always how to get more time", () => {
  assert.deepEqual(heard(15, "turn"), ["10 seconds left. Press T for more time.", "5 seconds left."]);
});

test("a bettor hears twice that the book is about to close, though each bet sets the clock again", () => {
  const lines = ["Bets close in 10 seconds.", "Bets close in 5 seconds."];
  assert.deepEqual(heard(20, "bets"), lines);
  const clock = new SpokenCountdown();
  const said = (_, n) => clock.say(1_020_000 + 200 * (n % 3), 20, "bets", 1_000_000 + 200 * n);
  assert.deepEqual(Array.from({ length: 100 }, said).filter(Boolean), lines);
});

test("nobody else hears anything, and a clock that has run out is silent", () => {
  assert.deepEqual(heard(30, ""), []);
  assert.equal(new SpokenCountdown().say(1000, 30, "turn", 2000), "");
});

test("more time is a new clock: its seconds are spoken again", () => {
  const clock = new SpokenCountdown();
  heard(30, "turn", clock);
  assert.equal(heard(60, "turn", clock, 2_000_000).length, 3);
});

test("whoever comes late hears the nearest moment alone", () => {
  const clock = new SpokenCountdown();
  assert.equal(clock.say(1_007_000, 30, "turn", 1_000_000), "7 seconds left. Press T for more time.");
  assert.equal(clock.say(1_007_000, 30, "turn", 1_001_000), "");
  assert.equal(
    new SpokenCountdown().say(1_001_000, 30, "turn", 1_000_000),
    "1 second left. Press T for more time.",
  );
  assert.equal(new SpokenCountdown().say(1_001_000, 20, "bets", 1_000_000), "Bets close in 1 second.");
});
