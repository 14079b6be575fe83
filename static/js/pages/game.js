// The replay of a finished game: step by step, both hands open, a link to every deal and card.

import { get, refusal } from "../common/api.js";
import { byId, h, show, text } from "../common/dom.js";
import { playEventSound } from "../common/event_sound.js";
import { showLoadError } from "../common/head.js";
import { copyLink } from "../common/share_link.js";
import { playerPage, urlFor } from "../common/urls.js";
import { botName, isSimulated } from "../felt/avatars.js";
import { renderFelt } from "../felt/felt.js";
import { replaySteps } from "../state/replay.js";
import { Caption } from "../text/caption.js";
import { bettorName, eventText, gameWonText, nameOf, scoredText, voidReason } from "../text/event_text.js";
import { amount, signed, t } from "../text/i18n.js";

const PACE_MS = 1300;
const { game } = byId("main").dataset;
/** @type {import("../state/replay.js").Step[]} */
let steps = [];
let current = 0;
/** @type {import("../table/game_review.js").GameReview | null} */
let review = null;
/** @type {ReturnType<typeof setInterval> | undefined} */
let timer;

/** @param {number} to */
function showStep(to) {
  if (to === current + 1 && steps[to]) playEventSound(steps[to].event);
  current = Math.max(0, Math.min(steps.length - 1, to));
  const { event, state } = steps[current];
  renderFelt(state, null);
  const caption = captionAt(current);
  caption.render();
  text(byId("live"), eventText(event, state) || caption.title);
  byId("steps", HTMLInputElement).value = String(current);
  for (const link of byId("deals").querySelectorAll("a")) {
    link.toggleAttribute("aria-current", link.hash === `#deal-${state.deal.number}`);
  }
  for (const name of ["first", "back"]) byId(name, HTMLButtonElement).disabled = current === 0;
  for (const name of ["last", "on"]) byId(name, HTMLButtonElement).disabled = current === steps.length - 1;
  if (current === steps.length - 1) stop();
  review?.showStep(current);
  renderPlayOn();
}

// Link to practice from this position, where the viewer plays the challenger and decides again.
function renderPlayOn() {
  const { event, state } = steps[current];
  const link = byId("play-on", HTMLAnchorElement);
  show(link, !state.game.result);
  const actions = steps.slice(0, current + 1).filter((one) => one.event.type === "action").length;
  const isOwn = event.type === "action" && event.seat === "challenger";
  const { id, players, score } = state.game;
  const step = String(actions - Number(isOwn));
  const points = `${score.house}-${score.challenger}`;
  const query = new URLSearchParams({ game: id, step, house: players.house, score: points });
  link.href = urlFor(`/practice/${id.replace(/-\d+$/, "")}?${query}`);
}

// The review takes the server a second or two, so it runs on request.
async function startReview() {
  const button = byId("review-start", HTMLButtonElement);
  button.disabled = true;
  text(byId("review-said"), t("The expert is thinking…"));
  const [answer, { GameReview }] = await Promise.all([
    get("/api/games/ID/review", game),
    import("../table/game_review.js"),
  ]);
  button.disabled = false;
  text(byId("review-said"), answer.ok ? "" : await refusal(answer));
  if (!answer.ok) return;
  review = new GameReview(answer, steps, (seat) => nameOf(steps[0].state, seat));
  review.showStep(current);
  byId("review-challenger").focus();
}

// Return the caption at a step: what has happened since the deal began.
/** @param {number} step */
function captionAt(step) {
  const caption = new Caption();
  const { number } = steps[step].state.deal;
  const from = steps.findIndex(({ state }) => state.deal.number === number);
  for (const { event, state } of steps.slice(from, step + 1)) caption.update(event, state);
  return caption;
}

function stop() {
  clearInterval(timer);
  timer = undefined;
  text(byId("run"), t("Play"));
}

/** @param {number} to */
function jump(to) {
  stop();
  showStep(to);
}

function toggle() {
  if (timer) return stop();
  if (current === steps.length - 1) showStep(0);
  run();
  text(byId("run"), t("Pause"));
}

function run() {
  clearInterval(timer);
  timer = setInterval(() => showStep(current + 1), PACE_MS / Number(byId("speed", HTMLSelectElement).value));
}

function fromHash() {
  const [, kind, number] = location.hash.match(/^#(deal|step)-(\d+)$/) ?? [];
  const deal = steps.findIndex((one) => one.state.deal.number === Number(number));
  jump(kind === "step" ? Number(number) : Math.max(0, deal));
}

async function share() {
  stop();
  history.replaceState(null, "", `#step-${current}`);
  text(byId("shared"), (await copyLink(location.href)) ? t("Copied.") : location.href);
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const { target } = event;
  if (!steps.length || event.ctrlKey || event.metaKey || event.altKey) return;
  if (target instanceof Element && target.matches("input, select, [tabindex]")) return;
  const to = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: steps.length - 1 }[event.key];
  if (event.key === " " && !(target instanceof HTMLButtonElement)) toggle();
  else if (to === undefined) return;
  else jump(to);
  event.preventDefault();
}

function renderDeals() {
  const ends = [...new Map(steps.map((one) => [one.state.deal.number, one.state])).values()];
  /** What was scored in each deal. @type {Record<number, string>} */
  const scored = {};
  for (const [n, { state }] of steps.entries()) {
    const { number } = state.deal;
    if (state.scored && state.scored !== steps[n - 1]?.state.scored)
      scored[number] =
        `${scored[number] ?? ""} · ${nameOf(state, state.scored.seat)} ${scoredText(state, state.scored.seat)}`;
  }
  byId("deals").append(
    ...ends.map(({ deal, game }) =>
      h(
        "li",
        h(
          "a",
          { href: `#deal-${deal.number}` },
          t("Deal {n}: tricks {house} : {challenger}, score {a} – {b}", {
            n: deal.number,
            ...deal.tricks,
            a: game.score.house,
            b: game.score.challenger,
          }),
        ),
        h("small", scored[deal.number]),
      ),
    ),
  );
}

// Return a bettor's name, linked if the bettor is a person.
/** @param {string} player */
function bettor(player) {
  const name = bettorName(player, { name: "" });
  return player === "house" || isSimulated(player) ? name : h("a", { href: playerPage(player) }, name);
}

/** @param {Wire.Settlement["bets"][number]} row @param {string | Node} who @param {string} side */
function settledRow([, , , matched, , gain, fee], who, side) {
  return h(
    "tr",
    h("th", { scope: "row", dir: "auto" }, who),
    h("td", side),
    h("td.n", amount(matched)),
    h(`td.n.${gain > 0 ? "won" : "lost"}`, signed(gain - fee)),
    h("td.n", fee ? `−${amount(fee)}` : "–"),
  );
}

/** @param {Wire.FinishedGame} answer */
function renderResult(answer) {
  const { record, settled } = answer;
  /** @param {Wire.Seat} seat */
  const called = (seat) => (steps[0] ? nameOf(steps[0].state, seat) : botName(record.players, seat));
  text(
    byId("result"),
    answer.winner && answer.score
      ? gameWonText(called(answer.winner), {
          winner: answer.winner,
          stake: answer.stake,
          score: answer.score,
        })
      : t("The game is void: {reason}. Every chip goes back.", { reason: voidReason(answer.void) }),
  );
  byId("settled").append(
    ...(settled?.principals ?? []).map((row) => settledRow(row, h("b", called(row[2])), t("player"))),
    ...(settled?.bets ?? []).map((row) => settledRow(row, bettor(row[1]), called(row[2]))),
  );
  text(byId("record"), JSON.stringify(record, null, 1));
}

async function load() {
  const [answer, retelling] = await Promise.all([
    get("/api/games/ID", game),
    get("/api/games/ID/steps", game),
  ]);
  showLoadError(answer);
  if (!answer.ok) return;
  steps = retelling.ok ? replaySteps(retelling) : [];
  byId("steps", HTMLInputElement).max = String(Math.max(0, steps.length - 1));
  renderResult(answer);
  if (!steps.length) return void text(byId("caption-title"), t("No cards were dealt."));
  renderDeals();
  show(byId("review"), true);
  fromHash();
}

byId("first").addEventListener("click", () => jump(0));
byId("back").addEventListener("click", () => jump(current - 1));
byId("on").addEventListener("click", () => jump(current + 1));
byId("last").addEventListener("click", () => jump(steps.length - 1));
byId("run").addEventListener("click", toggle);
byId("speed").addEventListener("change", () => timer && run());
byId("steps").addEventListener("input", () => jump(byId("steps", HTMLInputElement).valueAsNumber));
byId("review-start").addEventListener("click", startReview);
byId("share").addEventListener("click", share);
addEventListener("keydown", onKey);
addEventListener("hashchange", fromHash);
load();
