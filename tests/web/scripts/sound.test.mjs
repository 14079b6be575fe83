// The sounds of the table: short, quiet, each with its end; nothing sounds that was not asked for.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

// A device that notes what is asked of it.
const made = { oscillators: 0, noises: 0, peaks: [], ends: [], contexts: 0 };
const param = () => ({
  value: 0,
  setValueAtTime: (value) => made.peaks.push(value),
  exponentialRampToValueAtTime() {},
});
const node = (more = {}) => ({ connect: (to) => to, start() {}, stop: (at) => made.ends.push(at), ...more });
globalThis.AudioContext = class {
  currentTime = 0;
  sampleRate = 8000;
  state = "running";
  destination = node();
  constructor() {
    made.contexts += 1;
    made.device = this;
  }
  createOscillator() {
    made.oscillators += 1;
    return node({ frequency: param(), type: "" });
  }
  createBufferSource() {
    made.noises += 1;
    return node({ buffer: null });
  }
  createGain = () => node({ gain: param() });
  createBiquadFilter = () => node({ frequency: param(), Q: param() });
  createBuffer = (_, length) => ({ getChannelData: () => new Float32Array(length) });
};
// Long after whatever sounded before.
beforeEach(() => {
  if (made.device) made.device.currentTime += 10;
});
const { SOUNDS, playSound } = await import("../../../static/js/common/sound.js");

test("nothing is opened before the first sound, and one device serves all", () => {
  assert.equal(made.contexts, 0);
  playSound("book", 1);
  assert.equal(made.contexts, 0, "what has no sound opens nothing");
  for (const name of Object.keys(SOUNDS)) {
    playSound(name, 1);
    made.device.currentTime += 1;
  }
  assert.equal(made.contexts, 1);
  assert.ok(made.oscillators > 10 && made.noises === 7);
});

test("as loud as was chosen, and never loud", () => {
  made.peaks.length = 0;
  playSound("points", 1);
  const full = [...made.peaks];
  made.peaks.length = 0;
  playSound("points", 0.35);
  assert.deepEqual(
    made.peaks.map((one) => one.toFixed(6)),
    full.map((one) => (0.35 * one).toFixed(6)),
  );
  assert.ok(Math.max(...full) <= 0.2);
});

test("what a page that nobody has touched could not play is not made up for", async () => {
  mock.timers.enable({ apis: ["Date"] });
  const waiting = [];
  made.device.state = "suspended";
  made.device.resume = () => new Promise((resolve) => waiting.push(resolve));
  made.oscillators = 0;
  const missed = playSound("points", 1);
  mock.timers.tick(5000);
  const heard = playSound("turn", 1);
  made.device.state = "running";
  for (const resume of waiting) resume();
  await Promise.all([missed, heard]);
  assert.equal(made.oscillators, 2, "the turn's two strokes, none of the points'");
  mock.timers.reset();
});
