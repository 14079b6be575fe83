// The account page: balance over time, own limits, bets with receipts, statement.

import { Statement } from "../account/statement.js";
import { connectEnter, get, post, refusal } from "../common/api.js";
import { byId, h, onSubmit, recall, show, text, within } from "../common/dom.js";
import { connectHead, showLoadError } from "../common/head.js";
import { gamePage, tablePage } from "../common/urls.js";
import { parseChips } from "../table/chips.js";
import { gameName } from "../text/game_names.js";
import { amount, chips, dateLocale, moment, signed, t, tn } from "../text/i18n.js";

/** @import { BetLine, Change, OwnLimits, SetLimit } from "../state/messages" */

// Said: house; challenger

const DAY_MS = 86_400_000;
const MINUTES_MS = 300_000;
const STEPS_S = [1, 5, 15, 30, 60, 300, 900, 3600, 6 * 3600, 86400, 7 * 86400, 30 * 86400, 365 * 86400];
const MAX_ROWS = 200;

/** @type {uPlot | null} */
let chart = null;

/**
 * Return the range of the chart: that of the balance, with some air, and no finer than a tenth of it.
 * @type {uPlot.Range.Function}
 */
const balanceRange = (_, low, high) => {
  const air = Math.max(0.1 * (high - low), 0.05 * high, 1);
  return [Math.max(0, low - air), high + air];
};

/** @param {Change[]} changes */
async function plot(changes) {
  const { default: uPlot } = await import("uplot");
  const box = byId("plot");
  const style = getComputedStyle(document.documentElement);
  /** @param {string} name */
  const probe = (name) => style.getPropertyValue(name).trim();
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const theme = document.documentElement.dataset.theme;
  const isDark = theme === "dark" || (theme !== "light" && dark);
  const [line, ink, grid] = isDark ? ["#62cf9b", "#aab7ad", "#2d3b33"] : ["#14583c", "#565d55", "#d8cfba"];
  // A canvas does not scale with the font size.
  const rem = Number.parseFloat(style.fontSize);
  const font = `${0.75 * rem}px ${getComputedStyle(document.body).fontFamily}`;
  const axis = { stroke: ink, font, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid } };
  const last = changes[changes.length - 1];
  // Extend the last balance until now, so that a newcomer sees a line.
  const now = Math.max(Date.now(), last.at_ms + 1000);
  const lasts = now - changes[0].at_ms;
  const clock = new Intl.DateTimeFormat(
    dateLocale,
    lasts >= DAY_MS ? { dateStyle: "short" } : { timeStyle: lasts < MINUTES_MS ? "medium" : "short" },
  );
  /** @type {uPlot.Axis} */
  const times = {
    ...axis,
    incrs: STEPS_S,
    space: 7 * rem,
    size: 2.4 * rem,
    values: (_, ticks) => ticks.map((one) => clock.format(1000 * one)),
  };
  /** @type {uPlot.Options} */
  const options = {
    width: box.clientWidth,
    height: Math.max(160, Math.min(17 * rem, box.clientWidth / 2.6)),
    legend: { show: false },
    cursor: { y: false },
    scales: { y: { range: balanceRange } },
    axes: [times, { ...axis, size: 4.4 * rem, values: (_, ticks) => ticks.map((one) => chips(one * 100)) }],
    series: [
      {},
      {
        stroke: line,
        width: 2,
        paths: uPlot.paths.stepped?.({ align: 1 }),
        label: probe("--x"),
      },
    ],
  };
  /** @type {uPlot.AlignedData} */
  const data = [
    [...changes.map((one) => one.at_ms / 1000), now / 1000],
    [...changes, last].map((one) => one.balance_cents / 100),
  ];
  chart?.destroy();
  chart = new uPlot(options, data, box);
  const low = Math.min(...changes.map((one) => one.balance_cents));
  const high = Math.max(...changes.map((one) => one.balance_cents));
  text(
    byId("plot-words"),
    changes.length > 1
      ? tn("{n} change, between {low} and {high}.", "{n} changes, between {low} and {high}.", {
          n: changes.length,
          low: chips(low),
          high: chips(high),
        })
      : t("The line moves with your first bet."),
  );
}

// Redraw for a new width or theme: a canvas follows neither.
/** @param {() => void} draw */
function connectPlot(draw) {
  draw();
  const box = byId("plot");
  new ResizeObserver(() => chart?.setSize({ width: box.clientWidth, height: chart.height })).observe(box);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  for (const input of document.querySelectorAll("input[name=theme]")) input.addEventListener("change", draw);
}

/** @returns {Record<string, string>} */
function receipts() {
  try {
    return JSON.parse(recall("bets", "{}"));
  } catch {
    return {};
  }
}

// Return the heading of a bets column, which phones show beside each number.
/** @param {number} column */
function columnHead(column) {
  const table = byId("bets").parentElement;
  return (table instanceof HTMLTableElement && table.tHead?.rows[0].cells[column].textContent) || "";
}

/** @param {BetLine} bet */
function betRow(bet) {
  const id = receipts()[`${bet.game}/${bet.order}`];
  const gain = bet.gain_cents ?? 0;
  const result =
    bet.result === "open"
      ? t("still open")
      : bet.result === "void"
        ? t("void")
        : bet.result === "unmatched"
          ? t("unmatched")
          : bet.result === "returned"
            ? t("returned: your number came too late")
            : signed(gain);
  return h(
    "tr",
    {},
    h(
      "th",
      { scope: "row" },
      h(
        "a",
        { href: bet.result === "open" ? tablePage(bet.game.replace(/-\d+$/, "")) : gamePage(bet.game) },
        gameName(bet.game),
      ),
    ),
    h("td", {}, t(bet.side)),
    h("td.n", { "data-head": columnHead(2) }, amount(bet.unit_cents)),
    h("td.n", { "data-head": columnHead(3) }, bet.matched_cents === null ? "" : amount(bet.matched_cents)),
    h(`td.n.${gain > 0 ? "won" : gain < 0 ? "lost" : "even"}`, {}, result),
    h(
      "td.n",
      { "data-head": columnHead(5) },
      bet.commission_cents ? `−${amount(bet.commission_cents)}` : "–",
    ),
    h("td", {}, id ? h("button", { type: "button", onclick: () => showReceipt(id) }, t("Show")) : ""),
  );
}

/** @param {string} id */
async function showReceipt(id) {
  const answer = await get("/api/receipts/ID", id);
  text(byId("receipt"), answer.ok ? answer.receipt : await refusal(answer));
  byId("receipt-dialog", HTMLDialogElement).showModal();
}

/** @param {OwnLimits} limits */
const breakText = (limits) => t("Your break lasts until {when}.", { when: moment(limits.break_until_ms) });

/** @param {HTMLFormElement} form */
async function setLimit(form) {
  const key = /** @type {SetLimit["key"]} */ (form.dataset.key);
  const { value: entered } = form.querySelector("input") ?? within(form, "select", HTMLSelectElement);
  const rest = key === "break_until_ms";
  const value = rest ? Date.now() + Number(entered) * DAY_MS : entered ? parseChips(entered) : 0;
  const output = byId("limit-said");
  if (value === null) return void text(output, t("Enter a number of chips."));
  const answer = await post("/api/limits", { key, value });
  const later = answer.ok && answer.from > Date.now();
  const rests = rest && answer.ok && !later && answer.limits.break_until_ms > Date.now();
  text(
    output,
    !answer.ok
      ? await refusal(answer)
      : rests
        ? breakText(answer.limits)
        : later
          ? t("It applies from {when}.", { when: moment(answer.from) })
          : t("Saved."),
  );
}

/** @param {HTMLFormElement} form */
async function setPassword(form) {
  const password = within(form, "#old-password", HTMLInputElement).value;
  const new_password = within(form, "#new-password", HTMLInputElement).value;
  const answer = await post("/api/password", password ? { password, new_password } : { new_password });
  text(byId("password-said"), answer.ok ? t("Saved.") : await refusal(answer));
  if (answer.ok) form.reset();
}

async function askForChips() {
  const answer = await post("/api/refill", {});
  if (answer.ok) location.reload();
  else text(byId("refill-said"), await refusal(answer));
}

async function load() {
  const [account, me] = await Promise.all([get("/api/statement"), get("/api/me")]);
  showLoadError(account);
  if (!account.ok) return;
  text(byId("at-hand"), chips(account.balance_cents));
  text(byId("at-risk"), chips(account.escrow_cents));
  show(byId("no-bets"), !account.bets.length);
  show(byId("bets-told"), account.bets.length > 0);
  byId("bets").append(...account.bets.slice(-MAX_ROWS).reverse().map(betRow));
  new Statement(account.changes, account.open_games);
  if (account.changes.length) connectPlot(() => plot(account.changes));
  if (!me.ok) return;
  const { limits } = me;
  show(byId("refill"), account.balance_cents + account.escrow_cents < me.refill_below_cents);
  for (const key of /** @type {const} */ (["day_stake_cents", "day_loss_cents"])) {
    if (limits[key]) byId(`limit-${key}`, HTMLInputElement).value = chips(limits[key]);
  }
  if (limits.break_until_ms > Date.now()) text(byId("limit-said"), breakText(limits));
}

connectHead();
if (byId("main").dataset.name) {
  /** @type {NodeListOf<HTMLFormElement>} */
  const forms = document.querySelectorAll("form.limit");
  for (const form of forms) {
    onSubmit(form, () => setLimit(form));
  }
  const passwords = byId("password-form", HTMLFormElement);
  onSubmit(passwords, () => setPassword(passwords));
  byId("refill").addEventListener("click", askForChips);
  byId("leave").addEventListener("click", async () => {
    await post("/api/leave", {});
    location.reload();
  });
  load();
} else {
  connectEnter(byId("enter-form", HTMLFormElement), () => location.reload());
}
