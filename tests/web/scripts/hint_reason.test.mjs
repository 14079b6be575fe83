// Why a hint is best: one rule of thumb, or none.

import assert from "node:assert/strict";
import { test } from "node:test";
import { hintReason } from "../../../static/js/text/hint_reason.js";

test("a hint has the reason that its hand shows, or none", () => {
  const hand = ["KS", "QH", "9H", "8C", "7D"];
  for (const [best, leads, words] of [
    ["P", false, /king of trumps/],
    ["S", false, /often enough/],
    ["XQH9H8C7D", false, /^Keep trumps and kings/],
    ["XKS", false, /^$/],
    ["KS", true, /draws a trump/],
    ["QH", true, /highest of a long suit/],
    ["9H", true, /^$/],
    ["QH", false, /^$/],
  ])
    assert.match(hintReason(best, hand, "8S", leads), words, best);
  assert.match(hintReason("P", hand, "8C", false), /too often fails/);
});
