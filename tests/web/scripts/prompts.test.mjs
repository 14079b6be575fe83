// What a player who is to play a card is told of it: the card led, and what that asks of the hand.

import assert from "node:assert/strict";
import { test } from "node:test";
import { cardPrompt } from "../../../static/js/text/prompts.js";

function asked(led, hand, legal = hand) {
  return cardPrompt({ hand, legal }, { trick: led ? [{ card: led }] : [], turnUp: "8S" });
}

const TURN = "Your turn: the jack of diamonds was led";

for (const [what, hand, legal, words] of [
  ["one card must take", ["QD", "7D", "KS"], ["QD"], ", and the queen of diamonds must take it."],
  ["several may take", ["QD", "KD", "7D"], ["QD", "KD", "C"], ". Take it with a higher card of its suit."],
  ["one card must follow", ["7D", "KS"], ["7D"], ". Play the same suit: the seven of diamonds."],
  ["several may follow", ["7D", "AD", "KS"], ["7D", "AD"], ". Play a card of the same suit."],
  [
    "one trump must take",
    ["9S", "KH"],
    ["9S", "C"],
    ". You have none of its suit: take it with a trump, the nine of spades.",
  ],
  [
    "several trumps may take",
    ["9S", "7S"],
    ["9S", "7S"],
    ". You have none of its suit: take it with a trump.",
  ],
  [
    "anything may be thrown away",
    ["KH", "7C"],
    ["KH", "7C"],
    ". You have neither its suit nor a trump: play any card.",
  ],
]) {
  test(what, () => assert.equal(asked("JD", hand, legal), TURN + words));
}

test("a higher card that need not be played is not asked for", () => {
  assert.equal(asked("JD", ["QD", "7D"]), `${TURN}. Play a card of the same suit.`);
});

test("whoever leads may play any card", () => {
  assert.equal(asked(null, ["KH", "7C"]), "Your turn: play first, any card you like.");
  assert.equal(cardPrompt({ hand: [], legal: ["KH"] }, null), "Your turn: play first, any card you like.");
});

test("where a card may break the rules, none is asked for", () => {
  assert.equal(asked("JD", ["QD", "KS"]), "Your turn: play one of the raised cards.");
  assert.equal(asked("JD", ["KS", "KH"]), "Your turn: play one of the raised cards.");
});
