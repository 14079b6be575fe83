// SHA-256 and HMAC for plain http, where pages have no WebCrypto (FIPS 180-4, RFC 2104).

const BLOCK = 64;
const LENGTH = 8;
const PRIMES = 64;

/** The first 32 bits of the fractional parts of the cube roots of the first primes, and of square roots. */
const [K, START] = constants();

/** @param {Uint8Array} bytes @returns {Uint8Array<ArrayBuffer>} */
export function plainSha256(bytes) {
  const blocks = Math.ceil((bytes.length + 1 + LENGTH) / BLOCK);
  const padded = new Uint8Array(blocks * BLOCK);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - LENGTH, BigInt(bytes.length) * 8n);
  const state = Uint32Array.from(START);
  for (let at = 0; at < padded.length; at += BLOCK) compress(state, view, at);
  const digest = new DataView(new ArrayBuffer(32));
  for (const [n, word] of state.entries()) digest.setUint32(4 * n, word);
  return new Uint8Array(digest.buffer);
}

/** @param {Uint8Array} key @param {Uint8Array} message */
export function plainHmac(key, message) {
  const block = new Uint8Array(BLOCK);
  block.set(key.length > BLOCK ? plainSha256(key) : key);
  const hash = (/** @type {number} */ pad, /** @type {Uint8Array} */ text) =>
    plainSha256(Uint8Array.of(...block.map((byte) => byte ^ pad), ...text));
  return hash(0x5c, hash(0x36, message));
}

/** @param {Uint32Array} state @param {DataView} view @param {number} at */
function compress(state, view, at) {
  const w = new Uint32Array(PRIMES);
  for (let n = 0; n < 16; n += 1) w[n] = view.getUint32(at + 4 * n);
  for (let n = 16; n < PRIMES; n += 1) {
    const a = w[n - 15];
    const b = w[n - 2];
    const s0 = turned(a, 7) ^ turned(a, 18) ^ (a >>> 3);
    const s1 = turned(b, 17) ^ turned(b, 19) ^ (b >>> 10);
    w[n] = w[n - 16] + s0 + w[n - 7] + s1;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let n = 0; n < PRIMES; n += 1) {
    const s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const one = (h + s1 + ((e & f) ^ (~e & g)) + K[n] + w[n]) | 0;
    const s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, n) => {
    state[n] += word;
  });
}

/** @param {number} word @param {number} bits */
function turned(word, bits) {
  return (word >>> bits) | (word << (32 - bits));
}

/** @returns {[Uint32Array, Uint32Array]} */
function constants() {
  /** @type {number[]} */
  const primes = [];
  for (let n = 2; primes.length < PRIMES; n += 1) if (primes.every((p) => n % p)) primes.push(n);
  const cubes = primes.map((p) => fraction(p, 3n));
  return [Uint32Array.from(cubes), Uint32Array.from(primes.slice(0, 8), (p) => fraction(p, 2n))];
}

// Floats are not exact enough for all of them.
/** @param {number} prime @param {bigint} degree */
function fraction(prime, degree) {
  const scaled = BigInt(prime) << (32n * degree);
  let [low, high] = [0n, 1n << 40n];
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** degree <= scaled) low = middle;
    else high = middle;
  }
  return Number(low & 0xffffffffn);
}
