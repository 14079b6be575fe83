// Checks games given on standard input, one a line, as /api/games/ID tells them: what is wrong with each.

import { createInterface } from "node:readline";
import { checks } from "../../../static/js/verify/verify_game.js";

for await (const line of createInterface({ input: process.stdin })) {
  const found = [];
  for await (const one of checks(JSON.parse(line))) found.push(one);
  const wrong = found.filter((one) => one.good !== true).map((one) => one.what);
  console.log(JSON.stringify({ checked: found.map((one) => one.what), wrong }));
}
