// The dialog in which a person opens a table of their own, or a changed one in its place.

import { loadTexts, t } from "../text/i18n.js";
import { NO_ANSWER, post, randomText, refusal } from "./api.js";
import { all, byId, h, onSubmit, text, within } from "./dom.js";
import { enter } from "./enter.js";
import { copyInvitation } from "./share_link.js";
import { tablePage } from "./urls.js";

await loadTexts("host_dialog");

const opener = byId("host-open", HTMLButtonElement);
const dialog = byId("host-dialog", HTMLDialogElement);
const form = byId("host-form", HTMLFormElement);
let tableId = randomText();
const closing = byId("close-yes", HTMLButtonElement);

// Opens a table or, on the page of the viewer's own, changes that.
opener.addEventListener("click", () => showHostDialog(within(document, "section:has(#host-open)")));
opener.disabled = false;
for (const row of all("li[data-usual]", HTMLElement)) {
  within(row, ".invite").addEventListener("click", copyInvitation);
  within(row, ".change").addEventListener("click", () => showHostDialog(row));
}
for (const kind of all("[name=preset]")) kind.addEventListener("change", () => showUsual(kind.dataset));
form.addEventListener("change", showEqual);
byId("host-no").addEventListener("click", () => dialog.close());
for (const button of all(".host-close", HTMLButtonElement)) {
  button.disabled = false;
  button.addEventListener("click", () => {
    closing.value = button.value;
    byId("close-dialog", HTMLDialogElement).showModal();
  });
}
closing.addEventListener("click", closeTable);
onSubmit(form, async () => {
  const button = within(form, "button.primary", HTMLButtonElement);
  button.disabled = true;
  const { change: table } = form.dataset;
  const answer = await (table ? replace(table) : open());
  button.disabled = false;
  text(within(form, "[role=alert]"), answer.ok ? "" : await refusal(answer));
  // A table whose answer was lost is asked for again under its id.
  if (!answer.ok && answer.reason) tableId = randomText();
});

// Show the dialog, to change the table of an element or, if it is of none, to open one.
/** @param {HTMLElement} element */
function showHostDialog({ dataset }) {
  const { table = "", preset = "quick" } = dataset;
  if (form.dataset.change !== table) form.reset();
  form.dataset.change = table;
  const chosen = within(form, table ? `[value=${preset}]` : "[name=preset]:checked", HTMLInputElement);
  chosen.checked = true;
  showUsual(table ? dataset : chosen.dataset);
  within(form, "details").toggleAttribute("open", Boolean(table));
  text(within(form, "[role=alert]"), "");
  dialog.showModal();
}

// Show in each field the value that it keeps if it is left alone.
/** @param {DOMStringMap} values those of a table, or of a kind of table */
function showUsual({ usual = "{}", table }) {
  for (const [name, value] of Object.entries(JSON.parse(usual))) {
    const field = document.getElementById(`host-${name}`);
    if (field instanceof HTMLInputElement) field.placeholder = value;
    if (field instanceof HTMLSelectElement)
      markKept(field, String(value), table ? t("unchanged") : t("preset"));
  }
  showEqual();
}

// Simulated spectators bet only where no one is the favourite; a poule is won by beating all others.
function showEqual() {
  const chosen = (/** @type {string} */ name) =>
    byId(`host-${name}`, HTMLSelectElement).selectedOptions[0]?.dataset ?? {};
  const { preset, players, me } = Object.fromEntries(new FormData(form));
  byId("host-wins", HTMLInputElement).placeholder = `${Number(players) - 1}`;
  const wins = me ? 0 : Number(chosen("house").wins) - Number(chosen("challenger").wins);
  const hasFavourite =
    preset === "poule"
      ? Number(players) - (me ? 1 : 0) > Number(chosen("house").equal)
      : Math.abs(wins) > Number(form.dataset.fair);
  const isUnequal = hasFavourite || chosen("law-deal").value === "house";
  form.classList.toggle("unequal", isUnequal);
  // A bot that plays against itself has another name there.
  for (const option of byId("host-challenger", HTMLSelectElement).options) {
    const { name = "", twin = "", value } = option.dataset;
    option.label = value === chosen("house").value ? option.text.replace(name, twin) : option.text;
  }
  const field = byId("host-spectators", HTMLInputElement);
  if (field.disabled !== isUnequal) field.value = isUnequal ? "0" : "";
  field.disabled = isUnequal;
}

// Mark the choice that a list keeps, which sends nothing; a value that is not in the list has a line of its own.
/** @param {HTMLSelectElement} field @param {string} kept @param {string} words */
function markKept(field, kept, words) {
  const chosen = field.dataset.kept === undefined ? kept : field.value;
  field.dataset.kept = kept;
  field.querySelector("[data-unlisted]")?.remove();
  for (const option of field.options) {
    option.dataset.value ??= option.value;
    option.dataset.words ??= option.text;
    option.defaultSelected = option.dataset.value === kept;
    option.value = option.defaultSelected ? "" : option.dataset.value;
    option.text = option.defaultSelected ? `${option.dataset.words} (${words})` : option.dataset.words;
  }
  if (!field.querySelector("[value='']"))
    field.prepend(h("option", { value: "", selected: "", "data-unlisted": "" }, words));
  field.value = chosen === kept ? "" : chosen;
}

async function closeTable() {
  const answer = await post("/api/hosted/ID/close", {}, closing.value);
  const status = within(document, `:not(main)[data-table=${closing.value}] .host-said`);
  text(status, answer.ok ? t("The table closes after this game.") : await refusal(answer));
}

// Open a changed copy of a table, and go there; a player stays for the game that is being played.
/** @param {string} table */
async function replace(table) {
  const asked = changesOf(new FormData(form));
  const isChanged = Object.values({ ...asked, ...asked.laws, laws: null }).some((value) => value !== null);
  if (!isChanged) return { ...NO_ANSWER, message: t("Nothing has changed.") };
  const answer = await post("/api/hosted", { ...asked, table_id: table, replaces: table });
  if (answer.ok && document.querySelector("#leave-seat:not([hidden])")) dialog.close();
  else if (answer.ok) goTo(answer);
  return answer;
}

/** @param {{table: string, link: string}} opened @param {string} [hash] */
const goTo = ({ table, link }, hash = "") =>
  location.assign(`${tablePage(table)}${link && `?link=${link}`}${hash}`);

async function open() {
  const name = form.querySelector("#host-name");
  const entered = name instanceof HTMLInputElement && (await enter(name.value));
  if (entered && !entered.ok) return entered;
  const fields = new FormData(form);
  const isPoule = fields.get("preset") === "poule";
  /** @type {Wire.OpenTable} */
  const asked = {
    ...changesOf(fields),
    table_id: tableId,
    preset: isPoule ? "quick" : /** @type {Wire.OpenTable["preset"]} */ (fields.get("preset")),
    games: number(fields, "games") ?? 0,
    audience: fields.get("private") ? "link" : "public",
  };
  if (isPoule) {
    const poule = number(fields, "players");
    const terms = { entry_cents: number(fields, "entry", 100), wins: number(fields, "wins") };
    Object.assign(asked, { poule, ...terms, challenger: null, stake_cents: null, games: 0 });
  }
  if (fields.get("me")) asked.challenger = "nobody";
  const answer = await post("/api/hosted", asked);
  if (answer.ok) goTo(answer, fields.get("me") ? "#play" : "");
  return answer;
}

/** @param {FormData} fields @returns {Omit<Wire.OpenTable, "table_id">} */
function changesOf(fields) {
  const laws = [...fields].filter(([key, value]) => key.startsWith("law-") && value);
  return /** @type {Omit<Wire.OpenTable, "table_id">} */ ({
    house: fields.get("house") || null,
    challenger: fields.get("challenger") || null,
    target: number(fields, "target"),
    laws: Object.fromEntries(laws.map(([key, value]) => [key.slice(4), Number(value) || value])),
    pace: fields.get("pace") || null,
    stake_cents: number(fields, "stake", 100),
    min_bet_cents: number(fields, "min-bet", 100),
    max_bet_cents: number(fields, "max-bet", 100),
    spectators: number(fields, "spectators"),
  });
}

/** @param {FormData} fields @param {string} key @param {number} [parts] of a unit */
const number = (fields, key, parts = 1) =>
  fields.get(key) ? Math.round(Number(fields.get(key)) * parts) : null;
