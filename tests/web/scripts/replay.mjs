// Replays records given on standard input, one a line, and prints what the verifier says of each.

import { createInterface } from "node:readline";
import { Fault } from "../../../static/js/verify/deal.js";
import { replay } from "../../../static/js/verify/game.js";

for await (const line of createInterface({ input: process.stdin })) {
  try {
    console.log(JSON.stringify({ ok: true, ...replay(JSON.parse(line)) }));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    console.log(JSON.stringify({ ok: false, text: error.message, deal: error.deal }));
  }
}
