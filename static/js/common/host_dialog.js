// The dialog in which a person opens a table of their own, or changes it.

import { botName } from "../felt/avatars.js";
import { loadTexts, t } from "../text/i18n.js";
import { randomText } from "../verify/bytes.js";
import { post, refusal } from "./api.js";
import { all, byId, h, onSubmit, text, within } from "./dom.js";
import { enter } from "./enter.js";
import { tablePage } from "./urls.js";

/** @import { ChangeTable, OpenTable, Refusal, Summary } from "../state/messages" */

await loadTexts("host_dialog");

/** @type {((words: string) => void) | undefined} */
let onChanged;

/** Connect the dialog, if people may open tables here. */
export function connectHostDialog() {
  const opener = document.getElementById("host-open");
  if (!(opener instanceof HTMLButtonElement)) return;
  const dialog = byId("host-dialog", HTMLDialogElement);
  const form = byId("host-form", HTMLFormElement);
  let tableId = randomText();
  opener.addEventListener("click", () => showHostDialog());
  opener.disabled = false;
  for (const option of all("#host-form [data-wins]", HTMLOptionElement)) {
    const name = botName(option.closest("#host-house") ? "house" : "challenger", option.value);
    option.text = t("{name} wins {n} of 100", { name, n: option.dataset.wins ?? "" });
  }
  byId("host-no").addEventListener("click", () => dialog.close());
  onSubmit(form, async () => {
    const button = within(form, "button.primary", HTMLButtonElement);
    button.disabled = true;
    const { change: table } = form.dataset;
    const { fault, reason } = await (table ? change(form, table) : open(form, tableId));
    button.disabled = false;
    text(within(form, "[role=alert]"), fault);
    // A table whose answer was lost is asked for again under its id.
    if (reason) tableId = randomText();
  });
}

/**
 * Show the dialog, to open a table or to change one.
 * @param {string} [table]
 * @param {(words: string) => void} [changed] shows what has changed
 * @param {boolean} [isPoule] whether its games belong to poules
 */
export function showHostDialog(table = "", changed, isPoule = false) {
  const form = byId("host-form", HTMLFormElement);
  onChanged = changed;
  if (form.dataset.change !== table) form.reset();
  form.dataset.change = table;
  if (table) within(form, `[value=${isPoule ? "poule" : "quick"}]`, HTMLInputElement).checked = true;
  within(form, "details").toggleAttribute("open", Boolean(table));
  text(within(form, "[role=alert]"), "");
  byId("host-dialog", HTMLDialogElement).showModal();
}

/** Offer the host to change or to close the table. @param {HTMLElement} row @param {Summary} summary */
export function showHosting(row, { table, poule }) {
  if (row.querySelector(".hosting")) return;
  const change = () => showHostDialog(table, (words) => text(changing, words), Boolean(poule));
  const changing = h("button", { type: "button", onclick: change }, t("Change the table"));
  const close = async () => {
    const answer = await post("/api/hosted/ID/close", {}, table);
    text(button, answer.ok ? t("The table closes after this game.") : await refusal(answer));
  };
  const button = h("button", { type: "button", onclick: close }, t("Close the table"));
  row.append(h("p.hosting.row", {}, changing, button));
}

/** @param {HTMLFormElement} form @param {string} table */
async function change(form, table) {
  const answer = await post("/api/hosted/ID/change", changesOf(new FormData(form)), table);
  if (!answer.ok) return failed(answer);
  const { from_game: n } = answer;
  onChanged?.(n ? t("Changes from game {n}.", { n }) : t("Nothing has changed."));
  byId("host-dialog", HTMLDialogElement).close();
  return { fault: "", reason: "" };
}

/** @param {HTMLFormElement} form @param {string} tableId */
async function open(form, tableId) {
  const name = form.querySelector("#host-name");
  if (name instanceof HTMLInputElement) {
    const entered = await enter(name.value);
    if (!entered.ok) return failed(entered);
  }
  const fields = new FormData(form);
  const isPoule = fields.get("preset") === "poule";
  /** @type {OpenTable} */
  const asked = {
    ...changesOf(fields),
    table_id: tableId,
    preset: isPoule ? "quick" : /** @type {OpenTable["preset"]} */ (fields.get("preset")),
    spectators: number(fields, "spectators"),
    games: number(fields, "games") ?? 0,
    audience: fields.get("private") ? "link" : "public",
  };
  if (isPoule) {
    const poule = number(fields, "players");
    const terms = { entry_cents: number(fields, "entry", 100), wins: number(fields, "wins") };
    Object.assign(asked, { poule, ...terms, stake_cents: null, games: 0 });
  }
  if (fields.get("me")) asked.challenger = "nobody";
  const answer = await post("/api/hosted", asked);
  if (!answer.ok) return failed(answer);
  const link = answer.link ? `?link=${answer.link}` : "";
  location.assign(`${tablePage(answer.table)}${link}${fields.get("me") ? "#play" : ""}`);
  return { fault: "", reason: "" };
}

/** @param {Refusal} answer */
const failed = async (answer) => ({ fault: await refusal(answer), reason: answer.reason });

/** @param {FormData} fields @returns {ChangeTable} */
function changesOf(fields) {
  const cents = (/** @type {string} */ key) => number(fields, key, 100);
  const laws = [...fields].filter(([key, value]) => key.startsWith("law-") && value);
  return /** @type {ChangeTable} */ ({
    house: fields.get("house") || null,
    challenger: fields.get("challenger") || null,
    target: number(fields, "target"),
    laws: Object.fromEntries(laws.map(([key, value]) => [key.slice(4), Number(value) || value])),
    pace: fields.get("pace") || null,
    stake_cents: cents("stake"),
    min_bet_cents: cents("min-bet"),
    max_bet_cents: cents("max-bet"),
  });
}

/** @param {FormData} fields @param {string} key @param {number} [parts] of a unit */
const number = (fields, key, parts = 1) =>
  fields.get(key) ? Math.round(Number(fields.get(key)) * parts) : null;
