// The page of a table: the line, the state, and everything that shows it.

import { connectEnter, get } from "../common/api.js";
import { byId, h, onceAFrame, recall, remember, show, still, text } from "../common/dom.js";
import { connectHead, showBalance, showCompany, showConnection } from "../common/head.js";
import { sound } from "../common/preferences.js";
import { at, auditPage } from "../common/urls.js";
import { renderRing } from "../felt/countdown_ring.js";
import { renderCloth, watchCloth } from "../felt/felt.js";
import { Pacer } from "../state/animation_queue.js";
import { Line } from "../state/connection.js";
import { fold, foldYou } from "../state/reducer.js";
import { emptyTable, fromSnapshot, withClock } from "../state/table_state.js";
import { Desk } from "../table/bet_panel.js";
import { renderGallery } from "../table/gallery.js";
import { renderRoad } from "../table/recent_games.js";
import { Chair } from "../table/seat_panel.js";
import { Caption } from "../text/caption.js";
import { gameNumber, sentence } from "../text/event_text.js";
import { t } from "../text/i18n.js";

/** @import { BetPlaced, Event, EventOf, NewBet } from "../state/messages" */
/** @import { Game, Table } from "../state/table" */

const LOG_LINES = 60;
const MOST_KEPT = 300;
const SPOKEN_MS = 2000;
const QUIET = ["bet_accepted", "book", "cut", "cuts_opened", "checkpoint"];

const { table = "" } = byId("main").dataset;
let state = emptyTable(table);
let shown = state;
let connected = false;
const caption = new Caption();

// Events may come in bursts, and a slow device may be late: what they came to is drawn once.
const render = onceAFrame(draw);

const line = new Line(table, {
  snapshot(snapshot) {
    pacer.drop();
    state = fromSnapshot(snapshot, state.you, Date.now());
    caption.begin(state);
    const { game = "", locked, proof = "", closed, opened = [] } = snapshot;
    render();
    if (!locked || !hasSealed()) return;
    cutter()
      .then((mine) => (closed ? mine.closed(game, opened) : mine.locked(game, proof)))
      .then(render);
  },
  event(event) {
    // Texts are opened at once, however slowly the page shows what happens.
    cut(event);
    pacer.push(event);
  },
  you(you) {
    const came = Date.now();
    if (you.game && you.text) loaded?.told(you.game, you.text);
    pacer.push(() => {
      const asked = you.legal?.length && !state.you.legal.length;
      state = foldYou(state, you, came);
      if (asked) sound({ type: "turn" });
      render();
    });
  },
  said(said) {
    voices().then(() => phrases?.hear(said, state));
    if (said.phrase === "applause") sound({ type: "applause" });
  },
  chance(chance) {
    pacer.push(() => {
      state = { ...state, chance };
      showCompany(chance.watching);
      render();
    });
  },
  connected(there, answer) {
    connected = there;
    showConnection(there, answer);
  },
});
const pacer = new Pacer(
  (event, came) => {
    const before = state;
    state = fold(state, event, came);
    caption.hear(event, state, before);
    tell(event, before);
    sound(event);
    if (event.type === "settled") settle();
    call();
    render();
  },
  { hurry: () => document.hidden || still() },
);

/** @type {import("../table/shuffle_commitment.js").Cutter | null} */
let loaded = null;

// What only those need who bet is fetched when they have entered, for the line may break before a bet.
async function cutter() {
  const { Cutter } = await import("../table/shuffle_commitment.js");
  loaded ??= new Cutter(table, {
    open: (said) => line.ask("open_cut", said),
    get,
    tile: async (path) => new Uint8Array(await (await fetch(at(`/log/${path}`))).arrayBuffer()),
  });
  return loaded;
}

const desk = new Desk(async (side, unit_cents) => {
  if (!connected) return { ok: false, code: "unavailable", message: t("No connection: nothing was bet.") };
  const game = state.game?.id ?? "";
  const first = !state.game?.bets.some((bet) => bet.player === state.you.name);
  const seal = first ? await (await cutter()).seal(game, state.you.name) : null;
  const plain = { table, game, side, unit_cents };
  /** @type {NewBet} */
  let bet = { ...plain, bet_id: newId(), ...(seal && { seal }) };
  let answer = await line.insist("place_bet", bet);
  if (!answer.ok && ["cuts_full", "already_sealed"].includes(answer.code)) {
    bet = { ...plain, bet_id: newId() };
    answer = await line.insist("place_bet", bet);
  }
  if (!answer.ok) return answer;
  if (answer.ok) keepReceipt(bet, answer);
  if (answer.bet?.seal_number) (await cutter()).sealed(game, answer.bet.seal_number);
  render();
  return answer;
});
const seat = new Chair({
  act: (action) => line.ask("act", { table, version: state.you.version, action }),
  take: () => line.ask("take_seat", { table }),
  leave: () => line.ask("leave_seat", { table }),
  more: () => line.ask("more_time", { table }),
});
seat.onchange = render;
seat.ongiven = (seconds) => {
  state = { ...withClock({ ...state, lasts: 0 }, seconds, Date.now()) };
};
/** @type {import("../text/spoken_countdown.js").Clock | null} */
let clock = null;
/** @type {import("../table/chat.js").Phrases | null} */
let phrases = null;

// What people say is fetched for who may say something, or once somebody does.
async function voices() {
  if (phrases) return;
  const { Phrases } = await import("../table/chat.js");
  phrases ??= new Phrases((phrase) => line.ask("say", { table, phrase }));
  phrases.render(state);
}

/** @type {typeof import("../table/seat_notification.js") | null} */
let calls = null;

// A page that is not looked at is not drawn: the call does not wait for that.
async function call() {
  const { you, queue } = state;
  if (!calls && you.name && queue.includes(you.name)) {
    calls = await import("../table/seat_notification.js");
    calls.connectCall();
  }
  calls?.renderCall(state);
}
/** @type {import("../table/settlement_panel.js").Settlement | null} */
let settlement = null;

// The result and the chips that travel are fetched when the page is there, for the first settlement.
async function aftermath() {
  const [{ Settlement }, { chipsTravel }] = await Promise.all([
    import("../table/settlement_panel.js"),
    import("../felt/chip_animation.js"),
  ]);
  settlement ??= new Settlement();
  return chipsTravel;
}
addEventListener("load", aftermath);

async function settle() {
  const chipsTravel = await aftermath();
  settlement?.begin();
  render();
  chipsTravel(state);
}

// What the seat is asked comes first: how its cards look hangs on that.
const PARTS = [
  () => {
    show(byId("away"), state.away);
    seat.render(state);
    renderCloth(state, seat.controls);
    renderCaption();
  },
  () => {
    desk.render(state);
    settlement?.render(state);
    showBalance(state.you);
  },
  () => {
    renderGallery(state);
    if (state.you.name) voices();
    if (state.you.name && !loaded) cutter();
    phrases?.render(state);
    renderRoad(state);
    renderFairness();
    shown = state;
  },
];
let part = 0;
let begun = state;

// A snapshot is drawn in a frame for each part, so that a slow device answers in between.
function draw() {
  if (part === PARTS.length) for (const one of PARTS) one();
  else {
    if (part === 0) begun = state;
    PARTS[part]();
    part += 1;
    if (part < PARTS.length || begun !== state) render();
  }
}

function renderCaption() {
  text(byId("caption-title"), caption.title);
  text(byId("caption-words"), caption.words);
}

function renderFairness() {
  const { game } = state;
  show(byId("trust"), game !== null);
  text(byId("game-id"), game ? gameNumber(game.id) : "");
  text(byId("commitment"), game?.commitment ?? "");
  text(byId("cut-count"), game ? cutCount(game) : "");
  if (game) renderCut(game);
  show(byId("verify-link"), Boolean(game && (game.phase === "over" || game.phase === "void")));
  if (game) byId("verify-link", HTMLAnchorElement).href = auditPage(game.id);
}

/**
 * How many have a part in the shuffle; a game in whose shuffle nobody had one is marked.
 * @param {Game} game
 */
function cutCount({ phase, seals, cutsOpened }) {
  const n = phase === "betting" || phase === "locked" ? seals.length : cutsOpened;
  return n || phase === "betting" ? t("{n} share in the shuffle", { n }) : t("nobody shared in the shuffle");
}

/**
 * A sentence for the screen reader and the log; bets of others are not read aloud.
 * @param {Event} event
 * @param {Table} before
 */
function tell(event, before) {
  const words = sentence(event, state, before);
  if (!words) return;
  const log = byId("log");
  log.prepend(h("li", {}, words));
  while (log.children.length > LOG_LINES) log.lastChild?.remove();
  const mine = "player" in event && event.player === state.you.name;
  if (!QUIET.includes(event.type) || mine) text(byId("live"), words);
}

// An id of the bettor, so that a bet sent twice is one bet; also where there is no https.
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * The id by which this browser can ask for the receipt of a bet later.
 * @param {NewBet} bet
 * @param {BetPlaced} answer
 */
function keepReceipt(bet, answer) {
  const kept = Object.entries(JSON.parse(recall("bets", "{}"))).slice(1 - MOST_KEPT);
  const order = answer.bet?.order ?? answer.order;
  remember("bets", JSON.stringify(Object.fromEntries([...kept, [`${bet.game}/${order}`, bet.bet_id]])));
}

/**
 * The cut goes on by itself: whoever challenges seals when the game opens, whoever bets with the first bet.
 * @param {Event} event
 */
async function cut(event) {
  const game = event.game ?? "";
  if (event.type === "game_opened") await sealAsChallenger(event);
  if (!hasSealed()) return;
  if (event.type === "book_locked") await (await cutter()).locked(game, event.proof ?? "");
  if (event.type === "betting_closed") (await cutter()).closed(game, event.opened ?? []);
  if (event.type === "game_over" || event.type === "game_void") await (await cutter()).over(game);
  render();
}

/** Whether this browser has sealed a text at this table: else there is nothing to open or to compare. */
const hasSealed = () => Boolean(recall(`cuts.${table}`));

/** @param {EventOf<"game_opened">} event */
async function sealAsChallenger({ game, players, bots }) {
  const { name } = state.you;
  if (!name || players.challenger !== name || bots?.challenger) return;
  const seal = await (await cutter()).seal(game, name);
  const answer = seal ? await line.insist("cut", { table, game, seal }) : null;
  if (answer?.ok) (await cutter()).sealed(game, answer.seal_number);
}

/**
 * What has become of this browser's own text, and loudly where it did not count.
 * @param {Game} game
 */
function renderCut(game) {
  // What this browser has checked itself comes first; of a text sealed elsewhere only the house tells.
  const checked = loaded?.state(game.id) ?? "none";
  const said = checked === "none" ? state.you.text || "none" : checked;
  const words = loaded?.words(said) ?? "";
  const box = byId("cut-state");
  text(box, words);
  show(box, Boolean(words));
  box.classList.toggle("bad", ["missed", "alarm"].includes(said));
}

function tick() {
  const left = state.endsAt ? Math.max(0, state.endsAt - Date.now()) : 0;
  renderRing(state);
  settlement?.count(state);
  if (left <= 0) return;
  speakClock();
  /** @type {HTMLElement | null} */
  const turn = byId("controls").querySelector(".turn-left");
  if (!turn) return;
  text(turn, Math.ceil(left / 1000));
  turn.style.setProperty("--left", String(left / (1000 * (state.lasts || 1))));
  turn.classList.toggle("last", left < 5000);
}

/** The clock in words, at a few moments, for whoever hears the page. */
async function speakClock() {
  const { you, game, endsAt, lasts } = state;
  const mine = you.legal.length > 0;
  const of = mine ? "turn" : you.name && game?.phase === "betting" && !desk.plays() ? "bets" : "";
  if (!of) return;
  if (!clock) {
    const { Clock } = await import("../text/spoken_countdown.js");
    clock ??= new Clock();
  }
  const words = clock.say(endsAt ?? 0, lasts ?? 0, of, Date.now());
  if (!words) return;
  const region = byId(mine ? "urgent" : "live");
  text(region, words);
  // Heard once: whoever reads the page later finds no seconds that are long over.
  setTimeout(() => region.textContent === words && text(region, ""), SPOKEN_MS);
}

/** What opens and closes the panels of the page. */
function connectPanels() {
  document.addEventListener("click", async (event) => {
    const button =
      event.target instanceof Element ? event.target.closest("[data-opens], [data-closes]") : null;
    if (!(button instanceof HTMLElement)) return;
    const { opens, closes } = button.dataset;
    panel(opens ?? closes ?? "", Boolean(opens));
  });
  document.addEventListener("keydown", (event) => event.key === "Escape" && panel("about", false));
  byId("tour-start").addEventListener("click", async () => {
    panel("about", false);
    (await import("../table/tour.js")).startTour(state.game?.gallery);
  });
}

/**
 * @param {string} name
 * @param {boolean} open
 */
function panel(name, open) {
  const box = byId(name);
  if (box instanceof HTMLDialogElement) return open ? box.showModal() : box.close();
  box.classList.toggle("open", open);
  if (open) box.querySelector("button")?.focus();
}

connectHead();
connectPanels();
connectEnter(byId("enter-form", HTMLFormElement), () => location.reload());
watchCloth(() => renderCloth(state, seat.controls));
setInterval(tick, 200);
if (!byId("purse").hidden) {
  get("/api/me").then((me) => {
    if (me.ok && me.name && !state.you.name) {
      state = foldYou(state, { name: me.name, balance_cents: me.balance_cents });
      render();
    }
  });
}
render();
// For tests in a browser: what the page shows.
Object.assign(globalThis, { casino: { state: () => shown, connected: () => connected, line } });
