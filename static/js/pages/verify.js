// verify.html: one file that checks what a casino gave out, without a network.
//
// tools/build_assets.py writes this script, its style sheet and its texts into the file.

import "../text/page_language.js";
import { byId, h, messageOf, show, text, within } from "../common/dom.js";
import { faultsText, gamesPaidText, problemRow } from "../text/finding_text.js";
import { t, tn } from "../text/i18n.js";
import { checkFile, kindOf } from "../verify/saved_file.js";

/** @import { Report } from "../verify/saved_file.js" */

const keyField = byId("key", HTMLTextAreaElement);

/** Return what a file that is right proves. @param {Report} report */
function provedTexts({ kind, signed, findings, games, index, size, line, log }) {
  if (kind === "receipt") {
    const place = { n: index ?? 0, size: size ?? 0 };
    const words = signed
      ? t("The casino has signed a list of {size} lines, and line {n} of it is this:", place)
      : t("Line {n} of a list of {size} lines is this:", place);
    return [words, line ?? ""];
  }
  if (log) return logTexts(log, signed);
  // What was not checked is among the findings.
  if (findings.some(({ good }) => good === null)) return [];
  if (kind === "game") return [t("Nothing wrong: this game was dealt, played and paid as promised.")];
  return [
    tn(
      "The one game was dealt and played by the rules.",
      "All {n} games were dealt and played by the rules.",
      { n: games ?? 0 },
    ),
  ];
}

/** @param {NonNullable<Report["log"]>} log @param {Report["signed"]} signed */
function logTexts({ tree, signed: covered, games, voids, entries }, signed) {
  const words = [
    t("The file has {n} lines, all of them in order. The last signature is over {signed} of them.", {
      n: tree.size,
      signed: covered,
    }),
    t("All {n} entries balance, and no account falls below 0.", { n: entries }),
  ];
  if (games > voids) words.push(gamesPaidText(games - voids));
  if (signed) words.unshift(t("This is the log of the key that you gave."));
  if (voids)
    words.push(
      tn("The void game gave every chip back.", "All {n} void games gave every chip back.", { n: voids }),
    );
  return words;
}

/** Return what a file does not prove. @param {Report} report */
function unprovedTexts({ kind, signed, log }) {
  const isBlind = log ? !log.canVerify : signed === null && keyField.value.trim();
  /** @type {string[]} */
  const words = [];
  if (kind === "record" || kind === "game")
    words.push(t("A record is not signed: only the log proves that the casino has played this game."));
  else if (isBlind) words.push(t("This browser cannot check the signature."));
  else if (signed === null && log)
    words.push(
      t("Whose log this is: it was checked with the key that it names itself. Add the casino’s key."),
    );
  else if (signed === null)
    words.push(t("Who signed it: add the casino’s key, then the signature is checked."));
  if (kind === "record")
    words.push(t("Whether the bets were matched and paid: a record does not hold them."));
  if (kind === "receipt") words.push(t("How the game was dealt and paid: check its record for that."));
  return log ? [...words, ...unprovedByLog(log)] : words;
}

/** @param {NonNullable<Report["log"]>} log */
function unprovedByLog({ tree, signed, running }) {
  const words = [
    t("Whether lines at the end were left out: compare the last signature with one that you kept."),
    t("The decisions of bots, seats, limits and times: “casino audit” checks these too."),
  ];
  if (running.size)
    words.unshift(tn("One game is not over yet.", "{n} games are not over yet.", { n: running.size }));
  if (tree.size > signed)
    words.unshift(
      tn("The last line is not signed yet.", "The last {n} lines are not signed yet.", {
        n: tree.size - signed,
      }),
    );
  return words;
}

/** @param {string[]} words */
const list = (words) => h("ul", ...words.map((one) => h("li", one.startsWith("{") ? h("code", one) : one)));

/** @param {Report} report */
function reportParts(report) {
  const { kind, signed, findings, faults, log, games = 0 } = report;
  const unproved = unprovedTexts(report);
  const isLong = log || games > 1;
  const isPartial = findings.some(({ good }) => good === null) || (kind === "receipt" && signed === null);
  const verdict = faults
    ? faultsText(faults)
    : isPartial
      ? `? ${t("Nothing wrong was found, but not everything could be checked.")}`
      : `✓ ${t("Nothing wrong: everything this file can prove is true.")}`;
  return [
    h(`p.verdict.${faults ? "bad" : isPartial ? "unknown" : "good"}`, verdict),
    faults ? null : list(provedTexts(report)),
    h("ol.findings", ...findings.filter(({ good }) => !isLong || !good).map(problemRow)),
    ...(unproved.length ? [h("h3", t("What it does not prove")), list(unproved)] : []),
    log ? h("pre", `${log.tree.size}\n${log.root}`) : null,
  ];
}

/** @param {File} file */
async function showReport(file) {
  const section = h("section", h("h2", { dir: "auto" }, file.name));
  byId("reports").prepend(section);
  const bar = h("progress", { max: file.size, value: 0, "aria-label": t("Checking…") });
  section.append(bar);
  try {
    const report = await checkFile(file, keyField.value.trim(), (done) =>
      bar.setAttribute("value", `${done}`),
    );
    section.append(...reportParts(report).filter((part) => part !== null));
  } catch (error) {
    const words = error instanceof SyntaxError ? "The file is damaged: it cannot be read." : messageOf(error);
    section.append(h("p.verdict.bad", `✗ ${t(words)}`));
  }
  bar.remove();
}

/** Check files one after another, keys first. @param {File[]} files */
async function check(files) {
  /** @type {File[]} */
  const others = [];
  for (const file of files) {
    const kind = await kindOf(file).catch(() => null);
    if (kind === "key") keyField.value = (await file.text()).trim();
    else others.push(file);
  }
  for (const file of others) await showReport(file);
}

document.title = t("Check a casino’s files");
text(byId("title"), t("Check a casino’s files"));
text(byId("lead"), t("This page needs no network, and no file leaves your computer."));
text(byId("key-label"), t("The casino’s key"));
text(
  byId("key-hint"),
  t("The trust page shows it, and the file casino.db.pub holds it. Get it from more than one source."),
);
byId("drop").append(
  h("b", t("Drop files here, or choose them")),
  h("span", t("a game’s record, the receipt of a bet, an export of the log (jsonl), or the key")),
  h("input", {
    type: "file",
    multiple: true,
    id: "files",
    onchange: ({ target }) => check([...target.files]),
  }),
);
// All at once, so that nothing moves.
show(within(document, "main"), true);
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  check([...(event.dataTransfer?.files ?? [])]);
});
