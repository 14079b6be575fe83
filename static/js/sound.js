// Few and quiet sounds, made on the spot. Asked for by those who have turned sounds on.

/** @type {Record<string, [hertz: number, seconds: number][]>} */
const TONES = {
  action: [[520, 0.05]],
  bet_accepted: [[880, 0.04]],
  betting_closed: [
    [440, 0.12],
    [330, 0.16],
  ],
  points: [
    [660, 0.08],
    [880, 0.12],
  ],
  game_over: [
    [523, 0.12],
    [659, 0.12],
    [784, 0.24],
  ],
  turn: [
    [740, 0.09],
    [740, 0.09],
  ],
};
/** @type {AudioContext | null} */
let audio = null;

/**
 * The sound of an event, if it has one.
 * @param {string} type
 */
export function sound(type) {
  const tones = TONES[type];
  if (!tones) return;
  audio ??= new AudioContext();
  let at = audio.currentTime;
  for (const [hertz, seconds] of tones) {
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    tone.frequency.value = hertz;
    tone.type = "triangle";
    volume.gain.setValueAtTime(0.07, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + seconds);
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + seconds);
    at += seconds;
  }
}
