// SHA-256 and HMAC without WebCrypto give what WebCrypto gives, at every length about a block's end.

import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import test from "node:test";

import { plainHmac, plainSha256 } from "../../../static/js/verify/sha256.js";

const hex = (bytes) => Buffer.from(bytes).toString("hex");
const bytes = (length) => Uint8Array.from({ length }, (_, n) => (n * 167 + length * 13) % 256);

test("the examples of the standard", () => {
  const text = (said) => hex(plainSha256(new TextEncoder().encode(said)));
  assert.equal(text(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  assert.equal(text("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const long = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
  assert.equal(text(long), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
});

test("every length up to three blocks, and a great one", () => {
  for (const length of [...Array(200).keys(), 100_000]) {
    const given = bytes(length);
    assert.equal(hex(plainSha256(given)), createHash("sha256").update(given).digest("hex"));
  }
});

test("hmac with keys shorter and longer than a block", () => {
  for (const length of [0, 1, 32, 63, 64, 65, 200]) {
    const [key, message] = [bytes(length), bytes(3 * length + 1)];
    const expected = createHmac("sha256", key).update(message).digest("hex");
    assert.equal(hex(plainHmac(key, message)), expected);
  }
});
