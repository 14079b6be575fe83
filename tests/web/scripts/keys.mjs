// A browser that knows a key is shown another: one case a line on standard input, and what it then
// goes by: the key's last letters and the notes it keeps, or the alarm. With a receipt: the key for it.

import { createInterface } from "node:readline";

const kept = new Map();
globalThis.localStorage = {
  getItem: (name) => kept.get(name) ?? null,
  setItem: (...two) => kept.set(...two),
};
const { ShuffleCommitment } = await import("../../../static/js/table/shuffle_commitment.js");
const { keyAt } = await import("../../../static/js/verify/keys.js");

for await (const line of createInterface({ input: process.stdin })) {
  const { known, key, handed_on, receipt, notes } = JSON.parse(line);
  kept.clear();
  kept.set("casino.key", known);
  kept.set("casino.notes.t1", JSON.stringify(notes ?? []));
  const cutter = new ShuffleCommitment("t1", { get: async () => ({ ok: true, key, handed_on }) });
  try {
    if (receipt) {
      console.log(JSON.stringify({ key: await keyAt(receipt, key, handed_on) }));
    } else {
      await cutter.key();
      console.log(JSON.stringify({ key: kept.get("casino.key"), notes: cutter.notes().length }));
    }
  } catch (error) {
    console.log(JSON.stringify({ alarm: error.message }));
  }
}
