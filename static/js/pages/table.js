// The table page: connection, state, and everything that shows it.

import { get, post, randomText } from "../common/api.js";
import { all, byId, h, isClosing, isHurried, oncePerFrame, recall, show, text } from "../common/dom.js";
import { playEventSound } from "../common/event_sound.js";
import { showBalance, showConnection, showNews } from "../common/head.js";
import { tablePage, urlFor } from "../common/urls.js";
import { renderFelt, renderRing } from "../felt/felt.js";
import { AnimationQueue } from "../state/animation_queue.js";
import { openSocket, requestWithRetry, TableConnection } from "../state/connection.js";
import { fold, foldYou } from "../state/reducer.js";
import {
  emptyTable,
  fromSnapshot,
  heldCents,
  isPlaying,
  isSeated,
  viewerBets,
  withClock,
} from "../state/table_state.js";
import { BetPanel } from "../table/bet_panel.js";
import { renderGallery } from "../table/gallery.js";
import { SeatPanel } from "../table/seat_panel.js";
import { Caption } from "../text/caption.js";
import { Announcer, eventText } from "../text/event_text.js";
import { amount, t, tn } from "../text/i18n.js";
import { nextBetsText } from "../text/waiting_text.js";

const MAX_LOG_LINES = 60;
const LAPSE_MS = 2000;
const SEAT_KEPT_SECONDS = 20;

const { table = "", dealSeconds = "" } = byId("main").dataset;
let state = foldYou(emptyTable(table), { name: byId("purse-name").textContent ?? "" });
let drawnState = state;
let isConnected = false;
const { title } = document;
/** The end of the last time that has passed, of a turn or a book. @type {number | null} */
let lapsedAt = null;
const announcer = new Announcer();
const caption = new Caption();

// Draw once per frame: events come in bursts.
const render = oncePerFrame(draw);

const connection = new TableConnection(table, {
  snapshot(snapshot) {
    queue.drop();
    state = fromSnapshot(snapshot, state.you, Date.now());
    caption.reset(state);
    followHash();
    const { game = "", locked, proof = "", closed, opened = [] } = snapshot;
    render();
    if (!locked || !hasSealed()) return;
    loadCommitment()
      .then((mine) => (closed ? mine.onClosed(game, opened) : mine.onLocked(game, proof)))
      .then(render);
  },
  event(event) {
    // Commitments are opened at once, even while animations lag behind.
    advanceShuffle(event);
    queue.push(event);
  },
  you(you) {
    const receivedAt = Date.now();
    if (you.game && you.text) commitment?.onReported(you.game, you.text);
    queue.push(() => {
      const isMyTurn = you.legal?.length && !state.you.legal.length;
      state = foldYou(state, you, receivedAt);
      if (isMyTurn) playEventSound({ type: "turn" });
      else if (lapsedAt && you.legal?.length && (you.seconds ?? 0) > 1)
        seatPanel.message = t("Your time ran out. You get it once more; run out again and you are out.");
      if (you.seconds) lapsedAt = null;
      updateQueuePlace();
      render();
    });
  },
  said(said) {
    loadChat().then(() => chat?.receive(said, state));
  },
  chance(chance) {
    queue.push(() => {
      state = { ...state, chance };
      const n = chance.watching;
      text(byId("company"), n > 1 ? tn("{n} watching", "{n} watching", { n }) : "");
      render();
    });
  },
  closed: showClosed,
  connected(there, answer) {
    // It closed while this page was offline.
    if (answer?.code === "unknown_table") return showClosed({ successor: "", is_over: true });
    const isBack = there && !isConnected;
    isConnected = there;
    showConnection(there, answer);
    byId("main").classList.toggle("offline", !there);
    // Nothing can be sent. Back, the question is asked again.
    for (const part of all("#controls, #ready, #again, .seat", HTMLElement)) part.inert = !there;
    if (isBack) {
      if (seatPanel.controls) seatPanel.controls.isFocused = false;
      // What was refused for want of a connection is no longer true.
      if (!betPanel.isConfirmed) betPanel.message = null;
      seatPanel.message = "";
    }
    // A game that ended meanwhile may have been followed by the next one: drawn first, it is no news.
    if (there) queue.push(() => requestAnimationFrame(showNews));
    betPanel.isOffline = !there;
    render();
  },
});
const queue = new AnimationQueue(
  (event, came) => {
    state = fold(state, event, came, pauseSeconds());
    caption.update(event, state);
    logEvent(event);
    playEventSound(event);
    if (event.type === "settled") loadSettlement().then(({ animateChips }) => animateChips(state));
    if (event.type === "book_locked") loadSettlement().then(({ returnChips }) => returnChips(state));
    updateQueuePlace();
    render();
  },
  { hurry: () => isHurried() || Boolean(state.game?.forfeit) },
);

/** Say that the game here is the last one, or was. @param {{successor: string, is_over: boolean}} message */
function showClosed({ successor, is_over }) {
  document.body.classList.add("closing");
  // Not in the queue, which a snapshot drops.
  if (successor) show(byId("moved"), true);
  queue.push(() => {
    document.body.classList.toggle("closed", is_over);
    render();
  });
}

// Return the pause after this game: the seat is kept for a person who has just played.
function pauseSeconds() {
  const isKept = state.game && !state.game.bots.challenger && !state.queue.length && !state.poule;
  return isKept ? SEAT_KEPT_SECONDS : Number(byId("main").dataset.pauseMs) / 1000;
}

/** @type {import("../table/shuffle_commitment.js").ShuffleCommitment | null} */
let commitment = null;

// Load the bettor's code on entering, not on the first bet: the connection may fail before it.
async function loadCommitment() {
  const { ShuffleCommitment } = await import("../table/shuffle_commitment.js");
  commitment ??= new ShuffleCommitment(table, {
    open: (said) => connection.request("open_cut", said),
    get,
    tile: async (path) => new Uint8Array(await (await fetch(urlFor(`/log/${path}`))).arrayBuffer()),
  });
  return commitment;
}

// The game in which the house took no seal. Only if the bettor bets again, knowing this, does a bet go
// without one: a house that refused every seal could choose the cards.
let unsealedGame = "";

const betPanel = new BetPanel(async (side, unit_cents) => {
  const game = state.game?.id ?? "";
  const mustSeal = !viewerBets(state).length && game !== unsealedGame;
  const mine = await loadCommitment();
  const seal = mustSeal ? await mine.seal(game, state.you.name) : null;
  /** @type {Wire.PlaceBet} */
  const bet = { table, game, side, unit_cents, bet_id: randomText(), ...(seal && { seal }) };
  const answer = await requestWithRetry(connection, "place_bet", bet);
  if (!answer.ok && ["cuts_full", "already_sealed"].includes(answer.code)) unsealedGame = game;
  if (!answer.ok) return answer;
  mine.keepReceipt(bet, answer);
  if (answer.bet?.seal_number) mine.onSealed(game, answer.bet.seal_number);
  render();
  return answer;
});
const seatPanel = new SeatPanel(connection, render, async () => {
  const answer = await connection.request("more_time", { table });
  if (answer.ok) state = withClock({ ...state, lasts: 0 }, answer.seconds, Date.now());
  return answer;
});
// Opens a table like the cabinet for the viewer, if they may, while another person plays here.
const ownTable = document.getElementById("own-table");
ownTable?.addEventListener("click", () => seatPanel.send(openTable));

async function openTable() {
  const answer = await post("/api/hosted", { preset: "cabinet", table_id: randomText() });
  if (answer.ok) location.assign(`${tablePage(answer.table)}#play`);
  else seatPanel.confirm();
  return answer;
}

const isTaken = () => Boolean(state.holder || state.queue.length) && !isSeated(state);

/** @type {import("../table/chat.js").Chat | null} */
let chat = null;

// Load the chat for those who may speak, or with the first message.
async function loadChat() {
  if (chat) return;
  const { Chat } = await import("../table/chat.js");
  chat ??= new Chat((phrase) => connection.request("say", { table, phrase }));
  chat.render(state);
}

/** @type {typeof import("../table/seat_notification.js") | null} */
let notification = null;

// Not part of drawing: a hidden page is not drawn, but must notify.
async function updateQueuePlace() {
  if (isSeated(state)) notification ??= await import("../table/seat_notification.js");
  notification?.renderQueuePlace(state);
}
/** @type {typeof import("../table/poule_panel.js") | null} */
let poule = null;

/** @type {typeof import("../table/settlement_panel.js") | null} */
let settlement = null;

// Load the settlement and its animation after the page, before the first game is settled.
async function loadSettlement() {
  settlement = await import("../table/settlement_panel.js");
  render();
  return settlement;
}
/** @type {typeof import("../table/about_panel.js") | null} */
let about = null;
async function loadPanels() {
  if (document.getElementById("poule")) poule = await import("../table/poule_panel.js");
  await loadSettlement();
  about = await import("../table/about_panel.js");
  render();
}

// This script waits for its texts: the page may have loaded before.
if (document.readyState === "complete") loadPanels();
else addEventListener("load", loadPanels);

// The seat comes first: it decides how the cards look.
const PARTS = [
  () => {
    show(byId("away"), state.away);
    seatPanel.render(state);
    if (ownTable) show(ownTable, isTaken());
    renderFelt(state, seatPanel.controls);
    caption.render(isClosing() ? "" : nextBetsText(state, Number(dealSeconds)));
  },
  () => {
    settlement?.renderOwnBets(state);
    betPanel.render(state);
    settlement?.renderSettlement(state, poule);
    showBalance(state.you);
    const held = heldCents(state);
    text(byId("held"), held ? t("{n} held", { n: amount(held) }) : "");
  },
  () => {
    renderGallery(state);
    if (state.you.name) loadChat();
    if (state.you.name && !commitment) loadCommitment();
    chat?.render(state);
    about?.renderAbout(state, commitment);
    poule?.renderPoule(state);
    drawnState = state;
  },
];
let part = 0;
let firstDrawn = state;

// Draw a snapshot over three frames, so that slow devices stay responsive.
function draw() {
  if (part === PARTS.length) for (const one of PARTS) one();
  else {
    if (part === 0) firstDrawn = state;
    PARTS[part]();
    part += 1;
    if (part < PARTS.length || firstDrawn !== state) render();
  }
  // Clocks that were drawn say the time at once.
  tick();
}

// Log an event and announce it.
/** @param {Wire.Event} event */
function logEvent(event) {
  const words = eventText(event, state);
  if (!words) return;
  const log = byId("log");
  log.prepend(h("li", words));
  while (log.children.length > MAX_LOG_LINES) log.lastChild?.remove();
  const spoken = announcer.say(event, state);
  if (spoken) text(byId("live"), spoken);
}

// Commit when a game opens (the challenger) or with the first bet; reveal once the lock is proved.
/** @param {Wire.Event} event */
async function advanceShuffle(event) {
  const game = event.game ?? "";
  if (event.type === "game_opened") await sealAsChallenger(event);
  if (!hasSealed()) return;
  const mine = await loadCommitment();
  if (event.type === "book_locked") await mine.onLocked(game, event.proof ?? "");
  if (event.type === "betting_closed") mine.onClosed(game, event.opened ?? []);
  if (event.type === "game_over" || event.type === "game_void") await mine.onGameOver(game);
  render();
}

/** Return whether this browser has committed to anything at this table. */
const hasSealed = () => Boolean(recall(`cuts.${table}`));

/** @param {Wire.EventOf<"game_opened">} event */
async function sealAsChallenger({ game, players, bots }) {
  const { name } = state.you;
  if (!name || players.challenger !== name || bots?.challenger) return;
  const mine = await loadCommitment();
  const seal = await mine.seal(game, name);
  const answer = seal ? await requestWithRetry(connection, "cut", { table, game, seal }) : null;
  if (answer?.ok) mine.onSealed(game, answer.seal_number);
}

function tick() {
  const left = state.endsAt ? Math.max(0, state.endsAt - Date.now()) : 0;
  renderRing(state);
  settlement?.renderCountdown(state);
  seatPanel.controls?.renderTurn(state, isConnected ? left : 0, title);
  const isTimed = state.you.legal.length || state.game?.phase === "betting";
  if (isTimed && !left && state.endsAt && state.endsAt !== lapsedAt) {
    lapsedAt = state.endsAt;
    // The server may have given the time of a turn again; after a book's, it may be the line that is silent.
    const isSilent = () => isConnected && !state.game?.forfeit && state.endsAt === lapsedAt;
    setTimeout(() => isSilent() && connection.join(), LAPSE_MS);
  }
  if (left > 0 && isConnected && !state.away) speakClock();
}

/** Announce the clock at a few moments, for screen readers. */
async function speakClock() {
  const { you, game, endsAt, lasts } = state;
  const mayBet = game?.phase === "betting" && you.name && !isPlaying(state);
  const of = you.legal.length ? "turn" : mayBet ? "bets" : "";
  if (!of) return;
  const { countdown } = await import("../text/spoken_countdown.js");
  countdown.announce(endsAt ?? 0, lasts ?? 0, of);
}

/** @param {MouseEvent} event */
function onClick({ target }) {
  const button = target instanceof Element ? target.closest("[data-opens], [data-closes]") : null;
  if (!(button instanceof HTMLElement)) return;
  const { opens, closes, shows, sits } = button.dataset;
  if (opens === "tour") return startTour();
  if (sits && byId("purse").hidden) return byId("enter-name").focus();
  if (sits && !byId("take-seat").hidden) return seatPanel.confirm();
  setPanel(opens ?? closes ?? "", Boolean(opens));
  if (shows) byId(shows).scrollIntoView();
}

async function startTour() {
  setPanel("about", false);
  (await import("../table/tour.js")).startTour();
}

// Follow the lobby's links to the seat, after entering, and to the tour.
function followHash() {
  const { hash } = location;
  if (hash === "#play" && byId("purse").hidden) return byId("enter-name").focus();
  if (hash === "#play" && isTaken() && ownTable) ownTable.click();
  else if (hash === "#play" && !isSeated(state)) seatPanel.confirm();
  if (hash === "#tour") startTour();
  if (hash) history.replaceState(null, "", location.pathname + location.search);
}

/** @param {string} name @param {boolean} open */
function setPanel(name, open) {
  const box = byId(name);
  if (box instanceof HTMLDialogElement) return open ? box.showModal() : box.close();
  box.classList.toggle("open", open);
  if (open) box.querySelector("button")?.focus();
}

/** Connect the form that enters. Its button is disabled until then. */
async function connectForm() {
  const { connectEnter } = await import("../common/enter.js");
  connectEnter(byId("enter-form", HTMLFormElement), ({ name, balance_cents }) => {
    state = foldYou(state, { name, balance_cents });
    showBalance(state.you);
    render();
    // The open socket has changed hands with the session.
    connection.join();
    byId("desk").focus();
    followHash();
  });
}

document.addEventListener("click", onClick);
connectForm();
setInterval(tick, 200);
openSocket().then((socket) => connection.listen(socket));
render();
// For browser tests.
const parts = async () => ({
  renderFelt,
  eventText,
  ...(await import("../table/player_controls.js")),
  ...(await import("../table/chat.js")),
  ...(await loadSettlement()),
});
Object.assign(globalThis, {
  casino: { state: () => drawnState, connected: () => isConnected, line: connection, parts },
});
