// Check the file of a table's games in this browser, as verify.html does.

import { byId, text } from "../common/dom.js";
import { urlFor } from "../common/urls.js";
import { faultsText, gamesPaidText, problemRow } from "../text/finding_text.js";
import { loadTexts, percent, t } from "../text/i18n.js";
import { checkFile } from "../verify/saved_file.js";

await loadTexts("games_check");

/** Say what was found, and name every fault. @param {string} table */
export async function checkGames(table) {
  const button = byId("check", HTMLButtonElement);
  const verdict = byId("verdict-line");
  button.disabled = true;
  text(verdict, t("Checking…"));
  try {
    const answer = await fetch(urlFor(`/games/${encodeURIComponent(table)}.jsonl`));
    // A refusal is no game, and must not look like a false one.
    if (!answer.ok) throw new Error(answer.statusText);
    const file = await answer.blob();
    const { findings, faults, games } = await checkFile(file, "", (done) =>
      text(verdict, `${t("Checking…")} ${percent(done / file.size)}`),
    );
    const wrong = findings.filter(({ good }) => good === false);
    byId("findings").replaceChildren(...wrong.map(problemRow));
    verdict.className = `verdict-line ${faults ? "bad" : "good"}`;
    text(verdict, faults ? faultsText(faults) : `✓ ${gamesPaidText(games ?? 0)}`);
  } catch {
    text(verdict, t("The casino does not answer."));
  }
  button.disabled = false;
}
