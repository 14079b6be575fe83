// Receipts and checkpoints: is a leaf in the signed log? (C2SP tlog-proof and tlog-checkpoint)

import { joined, same, unbase64, unhex, utf8 } from "./bytes.js";
import { sha256 } from "./sha256.js";

const PROOF = "c2sp.org/tlog-proof@v1";
const DASH = "— ";

/** Parse a receipt: leaf, index, siblings, and its checkpoint. @param {string} text */
export function readReceipt(text) {
  const [head, note] = halves(text);
  const lines = head.split("\n");
  const [, extra] = lines[1]?.match(/^extra (.+)$/) ?? [];
  const [, index] = lines[2]?.match(/^index (\d{1,15})$/) ?? [];
  if (lines[0] !== PROOF || !extra || !index) throw new Error("this is not a receipt of the casino");
  return { leaf: unbase64(extra), index: Number(index), siblings: lines.slice(3).map(unbase64), note };
}

/** Parse a checkpoint: origin, size, root. @param {string} note */
export function readCheckpoint(note) {
  const [body, signatures] = halves(note);
  const [origin, size, root] = body.split("\n");
  if (!origin || !/^\d{1,15}$/.test(size ?? "") || !root) throw new Error("the signature is damaged");
  return { origin, size: Number(size), root: unbase64(root), body: `${body}\n`, signatures };
}

/** @param {string} text */
function halves(text) {
  const at = text.indexOf("\n\n");
  if (at < 0) throw new Error("something is missing at the end");
  return [text.slice(0, at), text.slice(at + 2)];
}

/** @param {Uint8Array} leaf */
export const leafHash = (leaf) => sha256(joined(Uint8Array.of(0), leaf));
/** @param {Uint8Array} left @param {Uint8Array} right */
export const nodeHash = (left, right) => sha256(joined(Uint8Array.of(1), left, right));

/**
 * Verify an inclusion proof.
 * @param {ReturnType<typeof readReceipt>} proof
 * @param {ReturnType<typeof readCheckpoint>} checkpoint
 */
function isIncluded({ leaf, index, siblings }, { size, root }) {
  if (index >= size) return false;
  let [place, last, node] = [index, size - 1, leafHash(leaf)];
  for (const sibling of siblings) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      node = nodeHash(sibling, node);
      while (place % 2 === 0 && place) [place, last] = [half(place), half(last)];
    } else {
      node = nodeHash(node, sibling);
    }
    [place, last] = [half(place), half(last)];
  }
  return last === 0 && same(node, root);
}

/** @param {number} number */
const half = (number) => Math.floor(number / 2);

/** Parse a verifier key: name, id, and 32 bytes. @param {string} line */
export function readKey(line) {
  const parts = line.trim().match(/^([^+\s]+)\+([0-9a-f]{8})\+(.+)$/);
  if (!parts) throw new Error("this is not the key of a casino");
  const [, name, id, coded] = parts;
  const bytes = unbase64(coded);
  const known = sha256(joined(utf8(`${name}\n`), bytes)).slice(0, 4);
  if (bytes.length !== 33 || bytes[0] !== 1 || !same(known, unhex(id))) {
    throw new Error("the key is damaged");
  }
  return { name, id: known, raw: bytes.slice(1) };
}

/**
 * Return whether the key signed a checkpoint; null without Ed25519, as over plain http.
 * @param {ReturnType<typeof readCheckpoint>} checkpoint
 * @param {ReturnType<typeof readKey>} key
 */
export async function isSigned(checkpoint, key) {
  const line = checkpoint.signatures.split("\n").find((one) => one.startsWith(`${DASH}${key.name} `));
  const signature = line ? unbase64(line.slice(line.lastIndexOf(" ") + 1)) : new Uint8Array();
  if (checkpoint.origin !== key.name || !same(signature.slice(0, 4), key.id)) return false;
  return hasSigned(key, signature.slice(4), checkpoint.body);
}

/**
 * Return whether the key signed a text; null without Ed25519.
 * @param {ReturnType<typeof readKey>} key
 * @param {Uint8Array<ArrayBuffer>} signature
 * @param {string} said
 */
export async function hasSigned(key, signature, said) {
  if (!globalThis.crypto?.subtle) return null;
  try {
    const made = await crypto.subtle.importKey("raw", key.raw, { name: "Ed25519" }, false, ["verify"]);
    return await crypto.subtle.verify("Ed25519", made, signature, utf8(said));
  } catch (error) {
    if (error instanceof Error && error.name === "NotSupportedError") return null;
    throw error;
  }
}

/**
 * Return a leaf and its checkpoint; throw unless the proof includes it.
 * @param {string} text
 * @param {string} otherwise
 */
export function provedLeaf(text, otherwise) {
  const proof = readReceipt(text);
  const checkpoint = readCheckpoint(proof.note);
  if (!isIncluded(proof, checkpoint)) throw new Error(otherwise);
  return { ...proof, checkpoint };
}

/**
 * Check a receipt against its checkpoint and the house's key, "" if it is not known; throw what is wrong.
 * @param {string} text
 * @param {string} keyLine
 */
export async function checkReceipt(text, keyLine) {
  const missing = "This bet is not in the list that the casino signed.";
  const { leaf, index, checkpoint } = provedLeaf(`${text.trim()}\n`, missing);
  const signed = keyLine ? await isSigned(checkpoint, readKey(keyLine)) : null;
  if (signed === false) throw new Error("The signature is not the casino's.");
  return { leaf, index, size: checkpoint.size, signed };
}

/**
 * Return the signed note that proves the lock of a game's book; throw what is wrong.
 * @param {string} text
 * @param {string} game
 * @param {ReturnType<typeof readKey>} key
 */
export async function readLock(text, game, key) {
  const missing = "The casino has not proved that bets are closed.";
  const { leaf, checkpoint, note } = provedLeaf(text, missing);
  const said = JSON.parse(new TextDecoder().decode(leaf));
  if (said.type !== "book_locked" || said.game !== game) throw new Error(missing);
  if ((await isSigned(checkpoint, key)) === false) throw new Error("The signature is not the casino's.");
  return note;
}
