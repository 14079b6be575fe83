// SHA-256 and HMAC without WebCrypto give what WebCrypto gives, at every length about a block's end.

import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import test from "node:test";

import { hmac, sha256 } from "../../../static/js/verify/sha256.js";

const hex = (bytes) => Buffer.from(bytes).toString("hex");
const bytes = (length) => Uint8Array.from({ length }, (_, n) => (n * 167 + length * 13) % 256);

test("every length up to three blocks, and a great one", () => {
  for (const length of [...Array(200).keys(), 100_000]) {
    const given = bytes(length);
    assert.equal(hex(sha256(given)), createHash("sha256").update(given).digest("hex"));
  }
});

test("hmac with keys shorter and longer than a block", () => {
  for (const length of [0, 1, 32, 63, 64, 65, 200]) {
    const [key, message] = [bytes(length), bytes(3 * length + 1)];
    const expected = createHmac("sha256", key).update(message).digest("hex");
    assert.equal(hex(hmac(key, message)), expected);
  }
});
