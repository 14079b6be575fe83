// Drawing once a frame: never twice for what came at once, never not at all.

import assert from "node:assert/strict";
import { test } from "node:test";
import { oncePerFrame } from "../../../static/js/common/dom.js";

test("what comes in a burst is drawn once, what comes later is drawn again", () => {
  const frames = [];
  globalThis.requestAnimationFrame = (step) => frames.push(step);
  const drawn = [];
  let state = 0;
  const render = oncePerFrame(() => drawn.push(state));
  for (state of [1, 2, 3]) render();
  assert.equal(frames.length, 1);
  frames.shift()();
  assert.deepEqual(drawn, [3]);
  state = 4;
  render();
  frames.shift()();
  assert.deepEqual(drawn, [3, 4]);
});

test("a drawing that fails does not stop the next one", () => {
  const frames = [];
  globalThis.requestAnimationFrame = (step) => frames.push(step);
  const render = oncePerFrame(() => {
    throw new Error("broken");
  });
  render();
  assert.throws(frames.shift(), /broken/);
  render();
  assert.equal(frames.length, 1);
});
