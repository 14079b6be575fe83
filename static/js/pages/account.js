// The account page: balance over time, own limits, bets with receipts, statement.

import { balanceAxis, stepsSvg } from "../account/plots.js";
import { connectStatement } from "../account/statement.js";
import { get, post, refusal } from "../common/api.js";
import { all, byId, h, onSubmit, recall, remember, show, text, within } from "../common/dom.js";
import { codeKey, connectEnter } from "../common/enter.js";
import { showBalance, showLoadError } from "../common/head.js";
import { copyLink } from "../common/share_link.js";
import { gamePage, tablePage } from "../common/urls.js";
import { parseChips } from "../table/chips.js";
import { gameName } from "../text/game_names.js";
import { amount, chips, dateLocale, moment, signed, t, tn } from "../text/i18n.js";

// Said: house; challenger; void; unmatched

const DAY_MS = 86_400_000;
const MINUTES_MS = 300_000;
const MAX_ROWS = 200;
const TIME_MARKS = [0.125, 0.375, 0.625, 0.875];

/** Draw the balance as steps, until now. @param {Wire.Change[]} changes */
function plot(changes) {
  const [{ at_ms: first }, last] = [changes[0], changes[changes.length - 1]];
  const now = Math.max(Date.now(), last.at_ms + 10_000);
  const balances = changes.map((change) => change.balance_cents);
  const [low, high] = [Math.min(...balances), Math.max(...balances)];
  const axis = balanceAxis(low, high);
  const share = (/** @type {number} */ cents) => (cents - axis.from) / (axis.to - axis.from);
  const clock = new Intl.DateTimeFormat(
    dateLocale,
    now - first >= DAY_MS
      ? { day: "numeric", month: "short" }
      : { timeStyle: now - first < MINUTES_MS ? "medium" : "short" },
  );
  const points = changes.map(({ at_ms }, n) => ({
    x: (at_ms - first) / (now - first),
    y: share(balances[n]),
  }));
  byId("plot").innerHTML = stepsSvg(points, axis.marks.map(share));
  byId("plot").append(
    ...axis.marks.map((cents) => h("small", { "--share": share(cents) }, chips(cents))),
    ...TIME_MARKS.map((at) => h("b", { "--share": at }, clock.format(first + at * (now - first)))),
  );
  const counted = { n: changes.length, low: chips(low), high: chips(high) };
  text(
    byId("plot-words"),
    tn("{n} change, between {low} and {high}.", "{n} changes, between {low} and {high}.", counted),
  );
}

/** @type {Record<string, string>} */
const receipts = JSON.parse(recall("bets", "{}"));
/** What became of bets that neither won nor lost. @type {Record<string, string>} */
const RESULTS = {
  open: "still open",
  void: "void",
  unmatched: "unmatched",
  returned: "returned: your number came too late",
};

/** @param {Wire.BetLine} bet */
function betRow(bet) {
  const id = receipts[`${bet.game}/${bet.order}`];
  const gain = (bet.gain_cents ?? 0) - (bet.commission_cents ?? 0);
  const result = RESULTS[bet.result] ? t(RESULTS[bet.result]) : signed(gain);
  const href = bet.result === "open" ? tablePage(bet.game.replace(/-\d+$/, "")) : gamePage(bet.game);
  const fee = bet.commission_cents ? `−${amount(bet.commission_cents)}` : "–";
  return h(
    "tr",
    h("th", { scope: "row" }, h("a", { href }, gameName(bet.game))),
    h("td", t(bet.side)),
    h("td.n", { "data-head": t("Stake") }, amount(bet.unit_cents)),
    h("td.n", { "data-head": t("Matched") }, bet.matched_cents === null ? "" : amount(bet.matched_cents)),
    h(`td.n.${gain > 0 ? "won" : gain < 0 ? "lost" : "even"}`, result),
    h("td.n", { "data-head": t("Commission") }, fee),
    h("td", id ? h("button", { type: "button", onclick: () => showReceipt(id) }, t("Show")) : ""),
  );
}

/** @param {string} id */
async function showReceipt(id) {
  const answer = await get("/api/receipts/ID", id);
  text(byId("receipt"), answer.ok ? answer.receipt : await refusal(answer));
  const link = byId("receipt-verify", HTMLAnchorElement);
  link.hash = answer.ok ? encodeURIComponent(answer.receipt) : "";
  byId("receipt-dialog", HTMLDialogElement).showModal();
}

/** @param {Wire.OwnLimits} limits */
const breakText = (limits) => t("Your break lasts until {when}.", { when: moment(limits.break_until_ms) });

/** @param {HTMLFormElement} form */
async function setLimit(form) {
  const key = /** @type {Wire.SetLimit["key"]} */ (form.dataset.key);
  const { value: entered } = form.querySelector("input") ?? within(form, "select", HTMLSelectElement);
  const rest = key === "break_until_ms";
  const value = rest ? Date.now() + Number(entered) * DAY_MS : entered ? parseChips(entered) : 0;
  const output = byId("limit-said");
  if (value === null) return void text(output, t("Enter a number of chips."));
  const answer = await post("/api/limits", { key, value });
  if (!answer.ok) return void text(output, await refusal(answer));
  const { limits, from } = answer;
  const isLater = from > Date.now();
  const rests = rest && !isLater && limits.break_until_ms > Date.now();
  const words = isLater ? t("It applies from {when}.", { when: moment(from) }) : t("Saved.");
  text(output, rests ? breakText(limits) : words);
}

/** @param {HTMLFormElement} form */
async function setPassword(form) {
  const password = within(form, "#old-password", HTMLInputElement).value;
  const new_password = within(form, "#new-password", HTMLInputElement).value;
  const answer = await post("/api/password", password ? { password, new_password } : { new_password });
  text(byId("password-said"), answer.ok ? t("Saved.") : await refusal(answer));
  if (!answer.ok) return;
  form.reset();
  remember("password", "set");
  remember(codeKey(answer.name), "");
  for (const words of all(".no-password")) show(words, false);
}

async function load() {
  const [account, me] = await Promise.all([get("/api/statement"), get("/api/me")]);
  showLoadError(account);
  if (!account.ok) return;
  showBalance({ name: account.player, balance_cents: account.balance_cents });
  text(byId("at-hand"), chips(account.balance_cents));
  text(byId("at-risk"), chips(account.escrow_cents));
  show(byId("no-bets"), !account.bets.length);
  show(byId("bets-told"), account.bets.length > 0);
  byId("bets").append(...account.bets.slice(-MAX_ROWS).reverse().map(betRow));
  connectStatement(account);
  // Before the first bet there is nothing to draw.
  if (account.changes.length > 1) plot(account.changes);
  else show(byId("course"), false);
  if (!me.ok) return;
  const { limits } = me;
  show(byId("refill"), account.balance_cents + account.escrow_cents < me.refill_below_cents);
  for (const key of /** @type {const} */ (["day_stake_cents", "day_loss_cents"])) {
    if (limits[key]) byId(`limit-${key}`, HTMLInputElement).value = chips(limits[key]);
  }
  if (limits.break_until_ms > Date.now()) text(byId("limit-said"), breakText(limits));
}

const { name } = byId("main").dataset;
if (name) {
  const code = recall(codeKey(name));
  text(byId("code"), code);
  for (const words of all(".no-password")) show(words, Boolean(code));
  byId("copy-code").addEventListener("click", async () => {
    text(byId("code-copied"), (await copyLink(code)) ? t("Copied.") : "");
  });
  for (const form of all("form.limit", HTMLFormElement)) onSubmit(form, setLimit);
  onSubmit(byId("password-form", HTMLFormElement), setPassword);
  byId("refill").addEventListener("click", async () => {
    const answer = await post("/api/refill", {});
    if (answer.ok) location.reload();
    else text(byId("refill-said"), await refusal(answer));
  });
  byId("leave").addEventListener("click", async () => {
    await post("/api/leave", {});
    location.reload();
  });
  load();
} else {
  connectEnter(byId("enter-form", HTMLFormElement), () => location.reload());
}
