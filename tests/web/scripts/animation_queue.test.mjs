// The pacer: in order, one by one, but never far behind.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AnimationQueue } from "../../../static/js/state/animation_queue.js";

function paced(hurry = false) {
  const shown = [];
  const timers = [];
  const time = { now: 0 };
  const pacer = new AnimationQueue((event) => shown.push(event.type), {
    hurry: () => hurry,
    later: (step, ms) => timers.push([step, ms]),
    clock: () => time.now,
  });
  const wait = () => {
    const [step, ms] = timers.shift();
    time.now += ms;
    step();
  };
  return { pacer, shown, timers, time, wait };
}

test("an event waits until the one before has been seen", () => {
  const { pacer, shown, timers, wait } = paced();
  for (const type of ["action", "trick", "points"]) pacer.push({ type, action: "KH" });
  assert.deepEqual(shown, ["action"]);
  assert.equal(timers.length, 1);
  wait();
  assert.deepEqual(shown, ["action", "trick"]);
  wait();
  assert.deepEqual(shown, ["action", "trick", "points"]);
});

test("what is not to be looked at long passes at once", () => {
  const { pacer, shown } = paced();
  for (const type of ["bet_accepted", "book", "cut"]) pacer.push({ type });
  assert.equal(shown.length, 3);
});

test("who does not look or wants no movement waits for nothing", () => {
  const { pacer, shown } = paced(true);
  for (let n = 0; n < 5; n += 1) pacer.push({ type: "action", action: "P" });
  assert.equal(shown.length, 5);
});

test("nothing is shown later than three and a half seconds after it came", () => {
  const { pacer, shown, wait, time } = paced();
  for (let n = 0; n < 40; n += 1) pacer.push({ type: "trick" });
  while (shown.length < 40) wait();
  assert.equal(time.now, 3500);
});

test("what is shown late is told when it came, so that its clock is right", () => {
  const came = [];
  const { pacer, wait } = paced();
  pacer.show = (_event, at) => came.push(at);
  pacer.push({ type: "action", action: "KH" });
  pacer.push({ type: "game_opened" });
  wait();
  assert.deepEqual(came, [0, 0]);
});

test("a step that is no event keeps its place", () => {
  const { pacer, shown, wait } = paced();
  pacer.push({ type: "action", action: "KH" });
  pacer.push(() => shown.push("you"));
  assert.deepEqual(shown, ["action"]);
  wait();
  assert.deepEqual(shown, ["action", "you"]);
});

test("a snapshot makes what waits forgotten", () => {
  const { pacer, shown, wait } = paced();
  pacer.push({ type: "dealt" });
  pacer.push({ type: "action", action: "KH" });
  pacer.drop();
  wait();
  assert.deepEqual(shown, ["dealt"]);
});

test("what decides more is shown for longer", () => {
  const { pacer } = paced();
  const held = (action) => pacer.holdMs({ type: "action", action });
  assert.deepEqual(["KH", "P", "XX", "S", "R", "K"].map(held), [600, 1000, 1000, 1400, 1400, 1500]);
  assert.equal(pacer.holdMs({ type: "deal_over" }), 3000);
});

test("the trick that decides a deal is held longer than another", () => {
  const { pacer } = paced();
  const trick = (house) => ({ type: "trick", taker: "house", tricks: { house, challenger: 0 } });
  assert.ok(pacer.holdMs(trick(3)) >= 1500);
  assert.ok(pacer.holdMs(trick(3)) > pacer.holdMs(trick(2)));
  assert.equal(pacer.holdMs(trick(2)), 600);
});
