// A file that the casino gave out: what it is, and what it proves.

import { LogExport } from "./log_export.js";
import { checkReceipt } from "./receipt.js";
import { checks } from "./verify_game.js";

/**
 * What a file is and what was found. `signed`: whether the key given has signed it; null if there is no
 * key or the browser cannot check, false also for what carries no signature.
 * @typedef {"key" | "receipt" | "record" | "game" | "export"} Kind
 * @typedef {{kind: Kind, findings: Problem[], faults: number, signed: boolean | null, line?: string,
 *   index?: number, size?: number, games?: number, log?: LogExport}} Report
 * @typedef {(done: number) => void} Progress bytes of the file
 */
/** @import { Problem } from "./log_export.js" */

const HEAD_BYTES = 4096;
const KEY = /^\S+\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}\s*$/;

/** Return the kind of a file. @param {Blob} file @returns {Promise<Kind>} */
export async function kindOf(file) {
  const head = await file.slice(0, HEAD_BYTES).text();
  if (KEY.test(head)) return "key";
  if (head.startsWith("c2sp.org/tlog-proof")) return "receipt";
  if (head.startsWith('{"casino_log":')) return "export";
  if (/^\s*\{/.test(head)) return "game";
  throw new Error("This is not a record, receipt, export or key of a casino.");
}

/**
 * Check a file other than a key with the casino's key, "" if there is none; throw if it cannot be read.
 * @param {Blob} file
 * @param {string} key
 * @param {Progress} [progress]
 * @returns {Promise<Report>}
 */
export async function checkFile(file, key, progress = () => {}) {
  const kind = await kindOf(file);
  if (kind === "export") return checkExport(file, key, progress);
  if (kind !== "receipt") return checkGames(file, progress);
  const { leaf, ...place } = await checkReceipt(await file.text(), key);
  return { kind, findings: [], faults: 0, line: new TextDecoder().decode(leaf), ...place };
}

// Check the games of a file: one in many lines, or one a line, with its payments or as a record alone.
/** @param {Blob} file @param {Progress} progress @returns {Promise<Report>} */
async function checkGames(file, progress) {
  /** @type {Report} */
  const report = { kind: "record", findings: [], faults: 0, signed: false, games: 0 };
  const isIndented = /^\s*\{\s*\n/.test(await file.slice(0, HEAD_BYTES).text());
  for await (const line of isIndented ? [await file.text()] : linesOf(file, progress)) {
    const value = JSON.parse(line);
    const game = value.record ? value : { record: value };
    if (value.record) report.kind = "game";
    report.games = (report.games ?? 0) + 1;
    const of = game.record.game ?? `${report.games}`;
    try {
      for (const finding of checks(game)) report.findings.push({ ...finding, of });
    } catch {
      report.findings.push({ what: "game", good: false, detail: "", of });
    }
  }
  report.faults = report.findings.filter(({ good }) => good === false).length;
  return report;
}

/** @param {Blob} file @param {string} key @param {Progress} progress @returns {Promise<Report>} */
async function checkExport(file, key, progress) {
  const log = new LogExport();
  for await (const line of linesOf(file, progress)) await log.add(line);
  log.finish();
  if (key && !log.keys.has(key)) log.report("foreign", key);
  const signed = log.canVerify && log.signed && key ? log.keys.has(key) : null;
  return { kind: "export", findings: log.problems, faults: log.faults, signed, log };
}

// Yield the lines of a file without reading it whole.
/** @param {Blob} file @param {Progress} progress */
async function* linesOf(file, progress) {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const reader = file.stream().getReader();
  let rest = "";
  let done = 0;
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    const lines = (rest + decoder.decode(chunk.value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim()) yield line;
    done += chunk.value.length;
    progress(done);
  }
  rest += decoder.decode();
  if (rest.trim()) yield rest;
}
