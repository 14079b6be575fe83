// The audit page: this browser verifies a game, a receipt and the log.

import { get, refusal } from "../common/api.js";
import { byId, h, messageOf, onSubmit, text } from "../common/dom.js";
import { showLoadError } from "../common/head.js";
import { findingRow } from "../text/finding_text.js";
import { gameName, parseGameName } from "../text/game_names.js";
import { moment, t, tn } from "../text/i18n.js";
import { leafDetails, leafTitle } from "../text/log_labels.js";
import { hex, unbase64 } from "../verify/bytes.js";
import { keyAt } from "../verify/keys.js";
import { checkReceipt, isSigned, leafHash, readCheckpoint, readKey } from "../verify/receipt.js";
import { checks } from "../verify/verify_game.js";

const PAGE_SIZE = 20;
const gameField = byId("verify-game", HTMLInputElement);
const verdict = byId("verdict-line");
const firstLine = byId("log-from", HTMLInputElement);
/** Number of log requests: only the last answer is shown. */
let requests = 0;

/** Verify the game that the input names. */
async function verifyTyped() {
  const answer = await get("/api/tables");
  const tables = answer.ok ? answer.tables.map(({ table }) => table) : [];
  const game = parseGameName(gameField.value, tables);
  gameField.setAttribute("aria-invalid", String(!game));
  if (game) return verifyGame(game);
  byId("findings").replaceChildren();
  verdict.classList.replace("good", "bad");
  const example = gameName(`${tables[0] ?? "petit"}-36`);
  text(verdict, t("Enter the table and the number, such as “{example}”, or paste a link.", { example }));
}

/** @param {string} game */
async function verifyGame(game) {
  const list = byId("findings");
  list.replaceChildren();
  text(verdict, t("Checking…"));
  const answer = await get("/api/games/ID", game);
  if (!answer.ok) return void text(verdict, await refusal(answer));
  let faults = 0;
  for (const one of checks(answer)) {
    faults += one.good === false ? 1 : 0;
    list.append(findingRow(one));
  }
  text(
    verdict,
    faults
      ? tn("{n} fault: this game was not fair.", "{n} faults: this game was not fair.", { n: faults })
      : t("Nothing wrong: this game was dealt, played and paid as promised."),
  );
  verdict.className = `verdict-line ${faults ? "bad" : "good"}`;
}

/** @param {string} receipt */
async function verifyReceipt(receipt) {
  const answer = await get("/api/checkpoint");
  if (!answer.ok) throw new Error(await refusal(answer));
  const key = await keyAt(receipt, answer.key, answer.handed_on);
  const { leaf, index, size, signed } = await checkReceipt(receipt, key);
  const words = t("Your bet is line {n} of the {size} lines that the casino has signed.", { n: index, size });
  return signed === null
    ? `${words} ${t("This browser cannot check the signature.")}`
    : `${words} ${new TextDecoder().decode(leaf)}`;
}

async function showCheckpoint() {
  if (!("signed" in byId("main").dataset)) {
    text(byId("checkpoint-said"), t("Nothing is signed yet: the first signature comes with the first game."));
    return requests ? undefined : void showLeaves(0);
  }
  const answer = await get("/api/checkpoint");
  if (!answer.ok) return void showLoadError(answer);
  text(byId("checkpoint"), `${answer.checkpoint}\n${answer.key}`);
  const signed = await isSigned(readCheckpoint(answer.checkpoint), readKey(answer.key));
  text(
    byId("checkpoint-said"),
    signed
      ? t("✓ signed by this key")
      : signed === null
        ? t("This browser cannot check the signature.")
        : t("✗ NOT signed by this key"),
  );
  // Keep lines that were asked for in the meantime.
  if (!requests) showLeaves(answer.size - PAGE_SIZE);
}

/** @param {number} first */
async function showLeaves(first) {
  const from = Math.max(0, first);
  firstLine.value = String(from);
  requests += 1;
  const mine = requests;
  const answer = await get("/api/log", { after: from - 1, limit: PAGE_SIZE });
  showLoadError(answer);
  const leaves = answer.ok ? answer.leaves : [];
  const rows = await Promise.all(
    leaves.map(async ({ n, leaf }) => {
      const bytes = unbase64(leaf);
      const content = JSON.parse(new TextDecoder().decode(bytes));
      const hash = hex(await leafHash(bytes));
      return h(
        "li",
        { value: n },
        h(
          "details",
          h(
            "summary",
            h("b", leafTitle(content)),
            " ",
            h("bdi", leafDetails(content)),
            h("small", " ", content.at ? moment(content.at) : "", " ", h("code", content.type)),
          ),
          h("pre", { tabindex: "0" }, JSON.stringify(content, null, 1)),
          h("p.hint", h("code", hash)),
        ),
      );
    }),
  );
  if (mine === requests) byId("leaves").replaceChildren(...rows);
}

onSubmit(byId("verify-form"), () => verifyTyped());
onSubmit(byId("receipt-form"), async () => {
  const output = byId("receipt-said");
  try {
    text(output, `✓ ${await verifyReceipt(byId("receipt-text", HTMLTextAreaElement).value)}`);
    output.className = "good";
  } catch (error) {
    text(output, `✗ ${t(messageOf(error))}`);
    output.className = "bad";
  }
});
if (location.hash) {
  byId("receipt-text", HTMLTextAreaElement).value = decodeURIComponent(location.hash.slice(1));
  const form = byId("receipt-form", HTMLFormElement);
  form.requestSubmit();
  form.scrollIntoView();
}
onSubmit(byId("log-form"), () => showLeaves(Number(firstLine.value)));
byId("log-back").addEventListener("click", () => showLeaves(Number(firstLine.value) - PAGE_SIZE));
byId("log-on").addEventListener("click", () => showLeaves(Number(firstLine.value) + PAGE_SIZE));

const linkedGame = new URLSearchParams(location.search).get("game");
if (linkedGame) {
  gameField.value = gameName(linkedGame);
  verifyGame(linkedGame);
  byId("verify-form").scrollIntoView();
} else
  get("/api/games", { limit: 1 }).then((newest) => {
    if (newest.ok && newest.games.length) gameField.value ||= gameName(newest.games[0].game);
  });
showCheckpoint();
