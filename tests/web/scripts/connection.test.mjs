// The line to a table: joins until it is heard, misses nothing, asks no more than it must.

import assert from "node:assert/strict";
import { test } from "node:test";
import { requestWithRetry, TableConnection } from "../../../static/js/state/connection.js";

const SILENCE = new Error("operation has timed out");
const BUSY = { ok: false, code: "rate_limited", message: "that is too often: wait a moment" };
const event = (version, type = "cut") => ({ table: "t1", version, type });
const snapshot = (version) => ({ ok: true, version, snapshot: { version } });
const missed = (version, ...events) => ({ ok: true, version, events });

// A socket of which the test plays the far end: what was asked, and what is answered to it.
function lined() {
  const handlers = {};
  const asked = [];
  const timers = [];
  const told = { events: [], snapshots: [], you: [], connected: [] };
  const socket = {
    connected: false,
    on: (name, handler) => {
      handlers[name] = handler;
    },
    io: { on: (name, handler) => socket.on(name, handler) },
    timeout: () => ({
      emitWithAck: (name, payload) =>
        new Promise((answer, fail) => asked.push({ name, payload, answer, fail })),
    }),
  };
  const on = {
    event: ({ version }) => told.events.push(version),
    snapshot: ({ version }) => told.snapshots.push(version),
    you: (you) => told.you.push(you),
    connected: (there, answer) => told.connected.push(there || (answer?.code ?? false)),
  };
  const line = new TableConnection("t1", on, (step, ms) => timers.push({ step, ms }));
  line.listen(socket);
  const settled = () => new Promise(setImmediate);
  return {
    line,
    asked,
    timers,
    told,
    say: (name, what) => handlers[name](what),
    connect() {
      socket.connected = true;
      handlers.connect();
    },
    // As the library does: who waits for an answer is told after everybody knows of the break.
    disconnect() {
      socket.connected = false;
      handlers.disconnect();
      for (const one of asked) one.fail(new Error("socket has been disconnected"));
    },
    async answer(what) {
      what instanceof Error ? asked.at(-1).fail(what) : asked.at(-1).answer(what);
      await settled();
    },
    async wait() {
      timers.shift().step();
      await settled();
    },
    settled,
  };
}

async function joined(version = 5) {
  const there = lined();
  there.connect();
  await there.answer(snapshot(version));
  there.told.connected.length = 0;
  return there;
}

test("before the socket is there, what is asked is refused, not lost", async () => {
  const line = new TableConnection("t1", {});
  assert.equal((await line.request("take_seat", { table: "t1" })).code, "unavailable");
});

test("a join brings the table, then its events one after the other", async () => {
  const { line, asked, told, say } = await joined();
  assert.equal(JSON.stringify(asked), '[{"name":"join","payload":{"table":"t1"}}]');
  for (const version of [6, 6, 7]) say("event", event(version));
  say("event", { ...event(8), table: "t2" });
  assert.deepEqual([told.snapshots, told.events, line.version], [[5], [6, 7], 7]);
});

test("a join without an answer, or that comes too often, is tried again after a growing pause", async () => {
  const { asked, timers, told, connect, answer, wait } = lined();
  connect();
  const pauses = [];
  for (const no of [SILENCE, BUSY, BUSY, SILENCE, SILENCE, SILENCE]) {
    await answer(no);
    assert.equal(timers.length, 1);
    pauses.push(timers[0].ms);
    await wait();
  }
  assert.deepEqual(pauses, [1000, 2000, 4000, 8000, 8000, 8000]);
  assert.equal(asked.length, 7);
  await answer(snapshot(5));
  const no = told.connected.slice(0, -1).map((code) => code[0]);
  assert.deepEqual([no.join(""), told.connected.at(-1)], ["urruuu", true]);
  assert.equal(timers.length, 0);
});

test("a pause is short again once a join was answered", async () => {
  const { timers, say, answer, wait } = await joined();
  for (const version of [9, 19]) {
    say("event", event(version));
    await answer(BUSY);
    assert.equal(timers[0].ms, 1000);
    await wait();
    await answer(snapshot(version));
  }
});

test("a table that is not there is not asked for again", async () => {
  const { timers, told, connect, answer } = lined();
  connect();
  await answer({ ok: false, code: "unknown_table", message: "there is no table t1: look at the lobby" });
  assert.deepEqual([timers.length, told.connected], [0, ["unknown_table"]]);
});

test("nothing is asked while a pause runs, and what comes then is heard in its order", async () => {
  const { asked, told, say, answer, wait } = await joined();
  say("event", event(8));
  await answer(SILENCE);
  for (const version of [8, 6]) say("event", event(version));
  assert.equal(asked.length, 2);
  await wait();
  assert.deepEqual(asked.at(-1).payload, { table: "t1", since: 6 });
  await answer(missed(8, event(7), event(8)));
  assert.deepEqual(told.events, [6, 7, 8]);
});

test("a line that breaks during a join joins when it is back, and forgets the old join", async () => {
  const { asked, timers, told, say, connect, disconnect, answer, settled } = lined();
  connect();
  disconnect();
  await settled();
  assert.deepEqual([told.connected, timers.length], [[false], 0], "a broken line is no refusal");
  connect();
  say("disconnect");
  connect();
  assert.equal(asked.length, 3);
  await answer(snapshot(5));
  asked[1].answer(snapshot(4));
  await settled();
  assert.deepEqual([told.snapshots, told.connected], [[5], [false, false, true]]);
});

test("a pause ends with the line", async () => {
  const { asked, told, connect, disconnect, answer, wait } = lined();
  connect();
  await answer(BUSY);
  disconnect();
  await wait();
  assert.equal(asked.length, 1);
  connect();
  await answer(snapshot(5));
  assert.equal(asked.length, 2);
  assert.deepEqual(told.connected, ["rate_limited", false, true]);
});

test("a table looked at afresh in the middle of a join comes as a snapshot", async () => {
  const { asked, told, say, answer } = await joined();
  say("event", event(8));
  say("event", event(6, "eclipse"));
  await answer(missed(8, event(6), event(7), event(8)));
  assert.deepEqual(asked.at(-1).payload, { table: "t1" });
  await answer(snapshot(8));
  assert.deepEqual([told.snapshots, told.events, told.connected], [[5, 8], [], [true]]);
});

test("an event that nobody knows makes the table be looked at afresh, also among those missed", async () => {
  const { asked, told, say, answer } = await joined();
  say("event", event(6, "eclipse"));
  assert.deepEqual(asked.at(-1).payload, { table: "t1" });
  await answer(snapshot(6));
  say("event", event(9));
  await answer(missed(9, event(7), event(8, "eclipse"), event(9)));
  assert.deepEqual(asked.at(-1).payload, { table: "t1" });
  await answer(snapshot(9));
  assert.deepEqual([told.snapshots, told.events], [[5, 6, 9], [7]]);
});

test("what was heard in the middle of a join and could not be shown is asked for", async () => {
  const { asked, told, say, answer } = await joined();
  say("event", event(7));
  say("event", event(9));
  await answer(missed(8, event(6), event(7), event(8)));
  assert.deepEqual(asked.at(-1).payload, { table: "t1", since: 8 });
  await answer(missed(9, event(9)));
  assert.deepEqual([told.events, told.connected], [[6, 7, 8, 9], [true]]);
});

test("a house whose count begins anew is asked once", async () => {
  const { asked, told, say, answer } = await joined(500);
  say("event", event(900));
  await answer(snapshot(3));
  say("event", event(4));
  assert.deepEqual([asked.length, told.snapshots, told.events], [2, [500, 3], [4]]);
});

test("a line on which nothing is heard while an answer is awaited is lost until a join is answered", async () => {
  const { line, asked, told, answer } = await joined();
  line.request("act", { table: "t1", version: 5, action: "P" });
  await answer(SILENCE);
  assert.deepEqual([asked.at(-1).name, told.connected], ["join", [false]]);
  await answer(missed(5));
  assert.deepEqual(told.connected, [false, true]);
});

test("a bet is sent again until the house answers, and a refusal is an answer", async () => {
  const { line, asked, say, answer } = await joined();
  const bet = requestWithRetry(line, "place_bet", { bet_id: "b1" });
  say("packet");
  await answer(SILENCE);
  say("ping");
  await answer(SILENCE);
  await answer({ ok: false, code: "unavailable", message: "the disk is full" });
  assert.equal((await bet).message, "the disk is full");
  assert.equal(
    asked
      .slice(1)
      .map(({ payload }) => payload.bet_id)
      .join(" "),
    "b1 b1 b1",
  );
});
