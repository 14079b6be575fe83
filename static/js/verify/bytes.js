// Bytes: text, hex, base64.

const encoder = new TextEncoder();

/** @param {string} text */
export const utf8 = (text) => encoder.encode(text);

/** @param {string} text */
export function unhex(text) {
  if (!/^([0-9a-f]{2})*$/.test(text)) throw new Error("a digit of it is wrong");
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/** @param {Uint8Array} bytes */
export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Decode canonical base64; throw on any other spelling. @param {string} text */
export function unbase64(text) {
  const isSpelled = /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0;
  const bytes = Uint8Array.from(isSpelled ? atob(text) : "", (letter) => letter.charCodeAt(0));
  if (base64(bytes) !== text) throw new Error("a letter of it is wrong");
  return bytes;
}

/** @param {Uint8Array} bytes */
export const base64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));

/** @param {Uint8Array[]} pieces */
export function joined(...pieces) {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** @param {Uint8Array} a @param {Uint8Array} b */
export const same = (a, b) => a.length === b.length && a.every((byte, n) => byte === b[n]);
