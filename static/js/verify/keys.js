// Key rotation: each key hands the log on to the next by a leaf that both have signed.

import { unbase64 } from "./bytes.js";
import { hasSigned, isSigned, provedLeaf, readCheckpoint, readKey, readReceipt } from "./receipt.js";

/**
 * Follow rotation proofs from a known key: return the last key, and the signed notes to store.
 * @param {string} known
 * @param {string[]} proofs
 */
export async function handedOn(known, proofs) {
  let key = known;
  /** @type {string[]} */
  const notes = [];
  for (const proof of proofs) {
    const { index, checkpoint, note, ...leaf } = handing(proof);
    if (leaf.type !== "key_rotated" || leaf.old !== key || !(await isHandedOn(leaf, index))) continue;
    const [before, after] = [readKey(leaf.old), readKey(leaf.new)];
    if (!(await isSigned(checkpoint, before)) && !(await isSigned(checkpoint, after))) continue;
    key = leaf.new;
    notes.push(note);
  }
  return { key, notes };
}

/**
 * Return the key that must have signed the checkpoint of a receipt; proofs in the order of the log.
 * @param {string} receipt
 * @param {string} newest
 * @param {string[]} proofs
 */
export async function keyAt(receipt, newest, proofs) {
  const { size } = readCheckpoint(readReceipt(`${receipt.trim()}\n`).note);
  for (const proof of proofs) {
    const { old, index } = handing(proof);
    if (size <= index + 1 && (await handedOn(old, proofs)).key === newest) return old;
  }
  return newest;
}

/** @param {string} proof */
function handing(proof) {
  const found = provedLeaf(proof, "The casino has not proved that its key was changed.");
  return { ...found, ...JSON.parse(new TextDecoder().decode(found.leaf)) };
}

/**
 * Return whether both keys have signed a rotation leaf; null without Ed25519.
 * @param {Record<string, any>} leaf
 * @param {number} index
 */
export async function isHandedOn({ old, old_signature, new: next, new_signature }, index) {
  const [before, after] = [readKey(old), readKey(next)];
  if (before.name !== after.name) return false;
  const said = `casino key rotation\n${index}\n${old}\n${next}\n`;
  const isByOld = await hasSigned(before, unbase64(old_signature), said);
  return isByOld && (await hasSigned(after, unbase64(new_signature), said));
}
