// Checks files named on the command line, with the key in front of them, as verify.html does.

import { readFileSync } from "node:fs";
import { checkFile, kindOf } from "../../../static/js/verify/saved_file.js";

const [key, ...paths] = process.argv.slice(2);
for (const path of paths) {
  try {
    const file = new Blob([readFileSync(path)]);
    const isKey = (await kindOf(file)) === "key";
    const report = isKey ? { kind: "key", findings: [] } : await checkFile(file, key);
    const { kind, findings, faults, signed, games, log } = report;
    const wrong = [...new Set(findings.filter(({ good }) => !good).map(({ what }) => what))];
    const root = log?.root ?? "";
    console.log(JSON.stringify({ kind, wrong, faults, signed, games: log?.games ?? games, root }));
  } catch (error) {
    console.log(JSON.stringify({ error: error.message }));
  }
}
