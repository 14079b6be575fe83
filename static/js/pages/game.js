// The replay of a finished game: step by step, both hands open, a link to every deal and card.

import { get, refusal } from "../common/api.js";
import { byId, h, show, text } from "../common/dom.js";
import { connectHead } from "../common/head.js";
import { sound } from "../common/preferences.js";
import { copyLink } from "../common/share_link.js";
import { at as at_, playerPage } from "../common/urls.js";
import { plainName, simulated } from "../felt/avatars.js";
import { renderCloth, watchCloth } from "../felt/felt.js";
import { steps } from "../state/replay.js";
import { Caption } from "../text/caption.js";
import { bettorName, nameOf, sentence, voidReason, wonGame } from "../text/event_text.js";
import { amount, signed, t } from "../text/i18n.js";

/** @import { FinishedGame, Seat as Side } from "../state/messages" */

const PACE_MS = 1300;
/** @type {import("../state/replay.js").Step[]} */
let all = [];
let at = 0;
/** @type {import("../table/game_review.js").Review | null} */
let review = null;
/** @type {ReturnType<typeof setInterval> | undefined} */
let running;

/** @param {number} to */
function go(to) {
  if (to === at + 1 && all[to]) sound(all[to].event);
  at = Math.max(0, Math.min(all.length - 1, to));
  const { event, state } = all[at];
  renderCloth(state, null);
  const caption = captionAt(at);
  text(byId("caption-title"), caption.title);
  text(byId("caption-words"), caption.words);
  text(byId("live"), sentence(event, state, all[at - 1]?.state) || caption.title);
  byId("steps", HTMLInputElement).value = String(at);
  for (const link of byId("deals").querySelectorAll("a")) {
    link.toggleAttribute("aria-current", link.hash === `#deal-${state.deal.number}`);
  }
  for (const name of ["first", "back"]) byId(name, HTMLButtonElement).disabled = at === 0;
  for (const name of ["last", "on"]) byId(name, HTMLButtonElement).disabled = at === all.length - 1;
  if (at === all.length - 1) stop();
  review?.at(at);
}

// The review takes the house a second or two, so it is asked for by hand.
async function startReview() {
  const button = byId("review-start", HTMLButtonElement);
  button.disabled = true;
  text(byId("review-said"), t("The expert thinks…"));
  const { game } = byId("main").dataset;
  const [told, { Review }] = await Promise.all([
    get("/api/games/ID/review", game),
    import("../table/game_review.js"),
  ]);
  button.disabled = false;
  text(byId("review-said"), told.ok ? "" : await refusal(told));
  if (!told.ok) return;
  review = new Review(told, all, (seat) => nameOf(all[0].state, seat));
  review.at(at);
  byId("review-challenger").focus();
}

/**
 * What is said on the felt at a step: what has happened since the deal began.
 * @param {number} step
 */
function captionAt(step) {
  const caption = new Caption();
  const { number } = all[step].state.deal;
  const from = all.findIndex(({ state }) => state.deal.number === number);
  for (let n = from; n <= step; n += 1) {
    caption.hear(all[n].event, all[n].state, all[n - 1]?.state ?? all[n].state);
  }
  return caption;
}

function stop() {
  clearInterval(running);
  running = undefined;
  text(byId("run"), t("Play"));
}

function toggle() {
  if (running) return stop();
  if (at === all.length - 1) go(0);
  run();
  text(byId("run"), t("Pause"));
}

/** Go on at the chosen speed. */
function run() {
  clearInterval(running);
  running = setInterval(() => go(at + 1), PACE_MS / Number(byId("speed", HTMLSelectElement).value));
}

function fromHash() {
  const [, kind, number] = location.hash.match(/^#(deal|step)-(\d+)$/) ?? [];
  const deal = all.findIndex((one) => one.state.deal.number === Number(number));
  stop();
  go(kind === "step" ? Number(number) : Math.max(0, deal));
}

// The same place for somebody else, in the address too.
async function share() {
  stop();
  history.replaceState(null, "", `#step-${at}`);
  const copied = await copyLink(location.href);
  text(byId("shared"), copied ? t("Copied.") : location.href);
}

/**
 * Keys as in a film: arrows, Home, End, the space bar.
 * @param {KeyboardEvent} event
 */
function key(event) {
  const { target } = event;
  if (!all.length || event.ctrlKey || event.metaKey || event.altKey) return;
  if (target instanceof Element && target.matches("input, select, [tabindex]")) return;
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: all.length - 1 }[event.key];
  if (event.key === " " && !(target instanceof HTMLButtonElement)) toggle();
  else if (to === undefined) return;
  else {
    stop();
    go(to);
  }
  event.preventDefault();
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

/**
 * A bettor, with a link to the page of one who is a person.
 * @param {string} player
 */
function bettor(player) {
  const name = bettorName(player, { name: "" });
  return player === "house" || simulated(player) ? name : h("a", { href: playerPage(player) }, name);
}

/** @param {FinishedGame} told */
function renderEnd(told) {
  const { record, settled } = told;
  /** @param {Side} seat */
  const called = (seat) => (all[0] ? nameOf(all[0].state, seat) : plainName(record.players[seat]));
  text(byId("players"), `${called("house")} – ${called("challenger")}`);
  text(
    byId("result"),
    told.winner && told.score
      ? wonGame(called(told.winner), { winner: told.winner, stake: told.stake, score: told.score })
      : t("The game is void: {reason}. Every chip goes back.", { reason: voidReason(told.void) }),
  );
  const rows = settled?.bets ?? [];
  byId("settled").append(
    ...rows.map(([, player, side, matched, , gain, fee]) =>
      h(
        "tr",
        {},
        h("th", { scope: "row", dir: "auto" }, bettor(player)),
        h("td", {}, t(side)),
        h("td.n", {}, amount(matched)),
        h(`td.n.${gain > 0 ? "won" : "lost"}`, {}, signed(gain)),
        h("td.n", {}, fee ? `−${amount(fee)}` : "–"),
      ),
    ),
  );
  text(byId("record"), JSON.stringify(record, null, 1));
}

/**
 * A game that is not there has no table.
 * @param {string} words
 */
function nothing(words) {
  byId("main").classList.add("nothing");
  byId("main").append(h("p.lead", {}, words, " ", h("a", { href: at_("/games") }, t("Finished games"))));
}

async function load() {
  const { game } = byId("main").dataset;
  const [told, retold] = await Promise.all([get("/api/games/ID", game), get("/api/games/ID/steps", game)]);
  if (!told.ok) return nothing(await refusal(told));
  all = retold.ok ? steps(retold) : [];
  byId("steps", HTMLInputElement).max = String(Math.max(0, all.length - 1));
  renderEnd(told);
  if (!all.length) return void text(byId("caption-title"), t("No card was dealt."));
  renderDeals();
  show(byId("review"), true);
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
byId("speed").addEventListener("change", () => running && run());
byId("steps").addEventListener("input", () => {
  stop();
  go(byId("steps", HTMLInputElement).valueAsNumber);
});
byId("review-start").addEventListener("click", startReview);
byId("share").addEventListener("click", share);
addEventListener("keydown", key);
addEventListener("hashchange", fromHash);
watchCloth(() => all.length && renderCloth(all[at].state, null));
load();
