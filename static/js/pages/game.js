// The replay of a finished game: step by step, both hands open, a link to every deal.

import { get, refusal } from "../api.js";
import { renderCloth } from "../cloth.js";
import { byId, h, text } from "../dom.js";
import { connectHead } from "../head.js";
import { chips, signed, t } from "../i18n.js";
import { explain, gameKind, sentence, voidReason } from "../narrate.js";
import { steps } from "../replay.js";

/** @import { FinishedGame } from "../messages" */

const PACE_MS = 1300;
/** @type {import("../replay.js").Step[]} */
let all = [];
let at = 0;
/** @type {ReturnType<typeof setInterval> | undefined} */
let running;

/** @param {number} to */
function go(to) {
  at = Math.max(0, Math.min(all.length - 1, to));
  const { event, state } = all[at];
  renderCloth(state, null);
  text(byId("caption-title"), sentence(event, state, all[at - 1]?.state) || explain(state)[0]);
  text(byId("caption-words"), state.deal.phase === "over" ? "" : explain(state)[1]);
  byId("steps", HTMLInputElement).value = String(at);
  for (const link of byId("deals").querySelectorAll("a")) {
    link.toggleAttribute("aria-current", link.hash === `#deal-${state.deal.number}`);
  }
  for (const name of ["first", "back"]) byId(name, HTMLButtonElement).disabled = at === 0;
  for (const name of ["last", "on"]) byId(name, HTMLButtonElement).disabled = at === all.length - 1;
  if (at === all.length - 1) stop();
}

function stop() {
  clearInterval(running);
  running = undefined;
  text(byId("run"), t("Play"));
}

function toggle() {
  if (running) return stop();
  if (at === all.length - 1) go(0);
  running = setInterval(() => go(at + 1), PACE_MS);
  text(byId("run"), t("Pause"));
}

function fromHash() {
  const [, number] = location.hash.match(/^#deal-(\d+)$/) ?? [];
  const found = all.findIndex((one) => one.state.deal.number === Number(number));
  stop();
  go(found < 0 ? 0 : found);
}

function renderDeals() {
  const ends = [...new Map(all.map((one) => [one.state.deal.number, one.state])).values()];
  byId("deals").append(
    ...ends.map(({ deal, game }) =>
      h(
        "li",
        {},
        h(
          "a",
          { href: `#deal-${deal.number}` },
          t("Deal {n}: tricks {house} : {challenger}, score {a} – {b}", {
            n: deal.number,
            ...deal.tricks,
            a: game.score.house,
            b: game.score.challenger,
          }),
        ),
      ),
    ),
  );
}

/** @param {FinishedGame} told */
function renderEnd(told) {
  const { record, settled } = told;
  const { house, challenger } = record.players;
  text(byId("players"), `${house} – ${challenger}`);
  text(
    byId("result"),
    told.winner
      ? t("{name} wins the game, a {kind}: {house} to {challenger}.", {
          name: record.players[told.winner],
          kind: gameKind(told.stake),
          ...told.score,
        })
      : t("The game is void: {reason}. Every chip goes back.", { reason: voidReason(told.void) }),
  );
  const rows = settled?.bets ?? [];
  byId("settled").append(
    ...rows.map(([, player, side, matched, , gain, fee]) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, player),
        h("td", {}, t(side)),
        h("td.n", {}, chips(matched)),
        h(`td.n.${gain > 0 ? "won" : "lost"}`, {}, signed(gain)),
        h("td.n", {}, fee ? `−${chips(fee)}` : ""),
      ),
    ),
  );
  text(byId("record"), JSON.stringify(record, null, 1));
}

async function load() {
  const { game } = byId("main").dataset;
  const [told, retold] = await Promise.all([get("/api/games/ID", game), get("/api/games/ID/steps", game)]);
  if (!told.ok) return void text(byId("caption-title"), await refusal(told));
  all = retold.ok ? steps(retold) : [];
  byId("steps", HTMLInputElement).max = String(Math.max(0, all.length - 1));
  renderEnd(told);
  if (!all.length) return void text(byId("caption-title"), t("No card was dealt."));
  renderDeals();
  fromHash();
}

connectHead();
byId("first").addEventListener("click", () => {
  stop();
  go(0);
});
byId("back").addEventListener("click", () => {
  stop();
  go(at - 1);
});
byId("on").addEventListener("click", () => {
  stop();
  go(at + 1);
});
byId("last").addEventListener("click", () => {
  stop();
  go(all.length - 1);
});
byId("run").addEventListener("click", toggle);
byId("steps").addEventListener("input", () => {
  stop();
  go(byId("steps", HTMLInputElement).valueAsNumber);
});
addEventListener("hashchange", fromHash);
new ResizeObserver(() => all.length && renderCloth(all[at].state, null)).observe(byId("cloth"));
load();
