// Synthesised sounds: cards, chips, a bell. Loaded when sounds are turned on.

/**
 * A sound is made of strokes, each with an offset in seconds.
 * @typedef {{at?: number, lasts: number, loud?: number}} Stroke
 * @typedef {Stroke & {hertz: number, shape?: OscillatorType}} Tone
 * @typedef {Stroke & {from: number, to: number}} Rustle noise between two pitches: a card
 */

const HUM = 0.16;
const LATE_MS = 400;
const APART = 0.05;

// A bell rings in inharmonic partials.
/** @param {number} hertz @param {number} lasts @param {number} [at] @returns {Tone[]} */
const bell = (hertz, lasts, at = 0) =>
  [1, 2.76, 5.4].map((times, n) => ({
    hertz: hertz * times,
    lasts: lasts / (n + 1),
    at,
    loud: 0.7 / (n + 1),
  }));

/** @param {number} [at] @returns {Rustle} */
const card = (at = 0) => ({ from: 1800, to: 5200, lasts: 0.07, at, loud: 0.9 });

/** @type {Record<string, (Tone | Rustle)[]>} */
export const SOUNDS = {
  action: [card()],
  dealt: [0, 0.09, 0.18, 0.27, 0.36].map(card),
  turned_up: [card(), { hertz: 330, lasts: 0.12, at: 0.05, loud: 0.5 }],
  bet_accepted: [...bell(2500, 0.09), ...bell(3100, 0.08, 0.06)],
  betting_closed: bell(740, 1.4),
  king: [...bell(523, 0.5), ...bell(659, 0.5, 0.12), ...bell(784, 0.8, 0.24)],
  points: [...bell(880, 0.35), ...bell(1175, 0.45, 0.1)],
  game_over: [523, 659, 784, 1047].flatMap((hertz, n) => bell(hertz, 0.9, 0.13 * n)),
  settled: [0, 0.05, 0.11, 0.15].flatMap((at) => bell(2300 + 900 * at, 0.08, 0.5 + at)),
  turn: [0, 0.16].map((at) => ({ hertz: 196, lasts: 0.09, at, shape: "triangle" })),
};
/** @type {AudioContext | null} */
let audio = null;
/** @type {AudioBuffer | null} */
let noise = null;
let nextStart = 0;

/** Play the sound of an event type, if it has one. @param {string} type @param {number} volume from 0 to 1 */
export async function playSound(type, volume) {
  const strokes = SOUNDS[type];
  if (!strokes) return;
  audio ??= new AudioContext();
  if (audio.state !== "running") {
    const requestedAt = Date.now();
    await audio.resume();
    // Browsers block audio until the first click: drop what was missed, do not play it all at once.
    if (Date.now() - requestedAt > LATE_MS) return;
  }
  // Simultaneous sounds follow each other; sounds that would be late are dropped.
  const begins = Math.max(audio.currentTime, nextStart);
  if (begins > audio.currentTime + LATE_MS / 1000) return;
  nextStart = begins + APART;
  for (const stroke of strokes) play(audio, stroke, volume * HUM, begins);
}

/**
 * @param {BaseAudioContext} to
 * @param {Tone | Rustle} stroke
 * @param {number} volume
 * @param {number} begins
 */
function play(to, stroke, volume, begins) {
  const at = begins + (stroke.at ?? 0);
  const loud = to.createGain();
  loud.gain.setValueAtTime(volume * (stroke.loud ?? 1), at);
  loud.gain.exponentialRampToValueAtTime(0.0004, at + stroke.lasts);
  const source = "hertz" in stroke ? tone(to, stroke) : rustle(to, stroke);
  source.out.connect(loud).connect(to.destination);
  source.from.start(at);
  source.from.stop(at + stroke.lasts);
}

/** @param {BaseAudioContext} to @param {Tone} stroke */
function tone(to, { hertz, shape = "sine" }) {
  const from = to.createOscillator();
  from.frequency.value = hertz;
  from.type = shape;
  return { from, out: from };
}

/** @param {BaseAudioContext} to @param {Rustle} stroke */
function rustle(to, { from: low, to: high }) {
  const from = to.createBufferSource();
  noise ??= whiteNoise(to);
  from.buffer = noise;
  const band = to.createBiquadFilter();
  band.type = "bandpass";
  band.frequency.value = Math.sqrt(low * high);
  band.Q.value = band.frequency.value / (high - low);
  from.connect(band);
  return { from, out: band };
}

// Return 0.2 s of noise.
/** @param {BaseAudioContext} to */
function whiteNoise(to) {
  const buffer = to.createBuffer(1, Math.ceil(to.sampleRate / 5), to.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let n = 0; n < samples.length; n += 1) samples[n] = 2 * Math.random() - 1;
  return buffer;
}
