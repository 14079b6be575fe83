// The dialog in which a person opens a table of their own.

import { post, refusal } from "./api.js";
import { byId, onSubmit, text, within } from "./dom.js";
import { tablePage } from "./urls.js";

/** @import { OpenTable, Refusal } from "../state/messages" */

/** Connect the dialog, if people may open tables here. */
export function connectHostDialog() {
  const opener = document.getElementById("host-open");
  if (!(opener instanceof HTMLButtonElement)) return;
  const dialog = byId("host-dialog", HTMLDialogElement);
  const form = byId("host-form", HTMLFormElement);
  let tableId = newId();
  opener.addEventListener("click", () => dialog.showModal());
  opener.disabled = false;
  byId("host-no").addEventListener("click", () => dialog.close());
  onSubmit(form, async () => {
    const button = within(form, "button.primary", HTMLButtonElement);
    button.disabled = true;
    const { fault, reason } = await open(form, tableId);
    button.disabled = false;
    text(within(form, "[role=alert]"), fault);
    // A table whose answer was lost is asked for again under its id.
    if (reason) tableId = newId();
  });
}

/** @param {HTMLFormElement} form @param {string} tableId */
async function open(form, tableId) {
  const name = form.querySelector("#host-name");
  if (name instanceof HTMLInputElement) {
    const entered = await post("/api/enter", { name: name.value });
    if (!entered.ok) return failed(entered);
  }
  const fields = new FormData(form);
  const asked = orderOf(fields, tableId);
  const answer = await post("/api/hosted", asked);
  if (!answer.ok) return failed(answer);
  const link = answer.link ? `?link=${answer.link}` : "";
  location.assign(`${tablePage(answer.table)}${link}${fields.get("challenger") === "me" ? "#play" : ""}`);
  return { fault: "", reason: "" };
}

/** @param {Refusal} answer */
const failed = async (answer) => ({ fault: await refusal(answer), reason: answer.reason });

/** @param {FormData} fields @param {string} tableId @returns {OpenTable} */
function orderOf(fields, tableId) {
  const values = Object.fromEntries([...fields].filter(([, value]) => value));
  const number = (/** @type {string} */ key) => (key in values ? Number(values[key]) : null);
  const stake = number("stake");
  return /** @type {OpenTable} */ ({
    table_id: tableId,
    preset: values.preset,
    house: values.house ?? null,
    challenger: values.challenger === "me" ? "nobody" : (values.challenger ?? null),
    target: number("target"),
    stake_cents: stake === null ? null : Math.round(stake * 100),
    pace: values.pace ?? null,
    spectators: number("spectators"),
    games: number("games") ?? 0,
    audience: values.private ? "link" : "public",
  });
}

function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
