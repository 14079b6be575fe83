// The lobby: every table with what happens there now.

import { get } from "../api.js";
import { byId, fill, h } from "../dom.js";
import { connectHead } from "../head.js";
import { chips, t } from "../i18n.js";

const LOOK_MS = 3000;

function preview(table) {
  const { game, score = { house: 0, challenger: 0 }, road = [] } = table;
  const doing = !game ? t("between two games") : table.phase === "betting" ? t("bets are taken")
    : t("deal {n}", { n: table.deal });
  return h("li.card.preview", {},
    h("h3", {}, h("a", { href: `/table/${table.table}` }, t("Table {name}", { name: table.table }))),
    h("div.mini", { "aria-hidden": "true" },
      h("p", {}, h("span", {}, table.house), h("b", {}, String(score.house))),
      h("p", {}, h("span", {}, table.challenger ?? (table.holder || "…")), h("b", {}, String(score.challenger)))),
    h("p.hint", {}, `${doing} · ${t("{n} bets", { n: table.bets ?? 0 })} · ${t("{n} watching", { n: table.watching ?? 0 })}`),
    h("p.hint", {}, t("stake {stake}, units from {least} to {most}", { stake: chips(table.stake_cents),
      least: chips(table.limits.least_cents), most: chips(table.limits.greatest_cents) })),
    h("ol.road", { "aria-label": t("The last games") }, ...road.slice(-12).map((one) => h("li", {}, h(
      `a.${one.winner ?? "void"}`, { href: `/game/${one.game}`, "aria-label": `${one.game}: ${t(one.winner ?? "void")} ${one.stake}` },
      String(one.stake || "·"))))));
}

async function look() {
  const answer = await get("/api/tables");
  if (answer.ok) fill(byId("tables"), JSON.stringify(answer.tables), () => answer.tables.map(preview));
}

connectHead();
look();
setInterval(() => document.hidden || look(), LOOK_MS);
