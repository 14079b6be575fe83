// A game of practice in its browser: what it asks for, what it tells its page, moves taken back.

import assert from "node:assert/strict";
import { test } from "node:test";
import { PracticeGame } from "../../../static/js/state/practice_game.js";

const event = (version) => ({ table: "t1", version, type: "action" });

// A house that says what the test wants: what was asked, what the page was told.
function game(...answers) {
  const asked = [];
  const told = [];
  const on = {
    whole: ({ version }, paced) => told.push(`whole ${version} ${paced}`),
    event: ({ version }) => told.push(`event ${version}`),
    you: ({ version }) => told.push(`you ${version}`),
    caughtUp: () => told.push("caught up"),
  };
  const send = async (path, body, table) => {
    asked.push({ path, body, table });
    return answers.shift();
  };
  return { game: new PracticeGame("t1", on, send), asked, told };
}

const whole = {
  ok: true,
  version: 7,
  snapshot: { version: 5 },
  events: [event(6), event(7)],
  yous: [{ version: 6 }, { version: 7 }],
  over: false,
};
const later = { ok: true, version: 8, events: [event(8)], yous: [{ version: 8 }], over: true };

test("it begins with a snapshot, each view told after its event", async () => {
  const { game: one, asked, told } = game(whole);
  await one.begin("regle", "ab");
  assert.deepEqual(asked, [
    { path: "/api/tables/ID/practice", body: { number: "ab", house: "regle", actions: [] }, table: "t1" },
  ]);
  assert.deepEqual(told, ["whole 5 true", "event 6", "you 6", "event 7", "you 7", "caught up"]);
  assert.equal(one.over, false);
});

test("an action asks for what came after; taken back, the game is told anew, at once", async () => {
  const { game: one, asked, told } = game(whole, later, whole);
  await one.begin("regle", "ab");
  await one.act("P");
  assert.deepEqual(asked[1].body, { number: "ab", house: "regle", actions: ["P"], since: 7 });
  assert.equal(one.over, true);
  told.length = 0;
  one.actions = ["P", "KH"];
  await one.undo();
  assert.deepEqual(asked[2].body, { number: "ab", house: "regle", actions: ["P"] });
  assert.equal(told[0], "whole 5 false");
});

test("what is refused changes nothing", async () => {
  const no = { ok: false, code: "illegal_action", message: "no" };
  const { game: one } = game(whole, no);
  await one.begin("regle", "ab");
  assert.equal(await one.act("V"), no);
  assert.deepEqual([one.actions, one.version], [[], 7]);
});

test("a hint is asked for the game as it stands", async () => {
  const hint = { ok: true, hint: { best: "P", options: { P: 0.6, S: 0.5 } } };
  const { game: one, asked } = game(whole, hint);
  await one.begin("expert", "cd");
  assert.equal(await one.hint(), hint);
  assert.equal(asked[1].path, "/api/tables/ID/practice/hint");
  assert.deepEqual(asked[1].body, { number: "cd", house: "expert", actions: [] });
});
