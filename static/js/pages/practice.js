// The page of practice: one person, one bot, no stake and no clock; hints, and moves taken back.

import { refusal } from "../common/api.js";
import { byId, fill, h, onceAFrame, show, still, text, within } from "../common/dom.js";
import { connectHead } from "../common/head.js";
import { sound } from "../common/preferences.js";
import { botName } from "../felt/avatars.js";
import { cardSign } from "../felt/cards.js";
import { renderCloth, watchCloth } from "../felt/felt.js";
import { Pacer } from "../state/animation_queue.js";
import { cardsOf } from "../state/card_moves.js";
import { Practising } from "../state/practice_game.js";
import { fold, foldYou } from "../state/reducer.js";
import { emptyTable, fromSnapshot, nobody } from "../state/table_state.js";
import { Controls } from "../table/player_controls.js";
import { Caption } from "../text/caption.js";
import { gameKind, sentence, spoken } from "../text/event_text.js";
import { percent, t } from "../text/i18n.js";

/** @import { Answer, Event, Hint } from "../state/messages" */

const MOST_SHOWN = 5;
// An exchange needs a line of its own.
const MOST_EXCHANGES = 3;
const LATEST_MS = 20_000;

const { table = "" } = byId("main").dataset;
const NAME = "you";
let state = { ...emptyTable(table), holder: NAME, you: { ...nobody(), name: NAME } };
let asked = "";
// What is said on the felt before the first deal.
let ready = "";
const caption = new Caption();
const render = onceAFrame(draw);

const pacer = new Pacer(show_, { hurry: () => hurry || document.hidden || still(), latest: LATEST_MS });
let hurry = false;

const game = new Practising(table, {
  whole(snapshot, paced) {
    hurry = !paced;
    pacer.drop();
    ready = "";
    state = fromSnapshot(snapshot, { ...nobody(), name: NAME });
    caption.begin(state);
  },
  event: (event) => pacer.push(event),
  you: (you) =>
    pacer.push(() => {
      state = foldYou(state, you);
      render();
    }),
  caughtUp: () =>
    pacer.push(() => {
      hurry = false;
      render();
    }),
});

const chair = {
  seated: true,
  sending: false,
  message: "",
  onchange: render,
  /** @param {string} action */
  act: (action) => game.act(action),
  /** @param {() => Promise<Answer<object>>} what */
  async send(what) {
    if (chair.sending) return;
    chair.sending = true;
    render();
    const answer = await what();
    chair.sending = false;
    chair.message = answer.ok ? "" : await refusal(answer);
    render();
  },
};
const controls = new Controls(chair);

/**
 * @param {Event} event
 * @param {number} came
 */
function show_(event, came) {
  const before = state;
  state = fold(state, event, came);
  caption.hear(event, state, before);
  const words = sentence(event, state, before);
  if (!hurry) sound(event);
  if (words && !hurry) text(byId("live"), words);
  render();
}

function draw() {
  const { legal } = state.you;
  if (legal.join() !== asked) forget();
  asked = legal.join();
  const playing = state.game !== null && !state.game.result && !ready;
  controls.render(state);
  renderCloth(state, controls);
  text(byId("caption-title"), caption.title);
  text(byId("caption-words"), caption.words);
  show(byId("begin"), !playing);
  show(byId("helps"), playing);
  byId("ask-hint", HTMLButtonElement).disabled = !legal.length || chair.sending;
  byId("undo", HTMLButtonElement).disabled = !game.actions.length || chair.sending;
  renderResult();
  if (ready) invite();
}

/** What stands on the felt before the first deal. */
function invite() {
  const box = byId("headline");
  show(box, true);
  text(within(box, "b"), t("Practice"));
  text(within(box, "span"), ready);
}

/** Whoever is chosen sits there before the first deal. */
function sitDown() {
  if (game.house) return;
  const chosen = byId("opponent", HTMLSelectElement);
  const house = chosen.value;
  const { wins: n } = chosen.selectedOptions[0].dataset;
  const players = { house, challenger: NAME };
  const began = { table, version: 0, game: table, commitment: "", players };
  state = fromSnapshot(began, { ...nobody(), name: NAME });
  const waits = t("{name} waits: deal when you are ready.", { name: botName("house", house) });
  ready = n ? `${waits} ${t("Wins {n} of 100 games to five against a steady player.", { n })}` : waits;
  render();
}

function renderResult() {
  const { result = null } = state.game ?? {};
  if (!result) return;
  const { score, stake, winner } = result;
  const values = { score: `${score.challenger} – ${score.house}`, kind: gameKind(stake) };
  const words =
    winner === "challenger"
      ? t("You win {score}, a {kind} game.", values)
      : t("You lose {score}, a {kind} game.", values);
  text(byId("begin-words"), words);
  text(byId("deal"), t("Another game"));
}

/** A hint is for one question. */
function forget() {
  byId("hint").dataset.key = "";
  byId("hint").replaceChildren();
}

async function hint() {
  if (!state.you.legal.length || chair.sending) return;
  const question = asked;
  const answer = await game.hint();
  if (question !== asked) return;
  if (!answer.ok) return text(byId("hint"), await refusal(answer));
  if (!answer.hint) return text(byId("hint"), t("There is nothing to choose here."));
  renderHint(answer.hint);
}

/**
 * The chance to win the game after each choice, the best first.
 * @param {Hint} hint
 */
function renderHint({ best, options }) {
  const rows = Object.entries(options)
    .sort(([a, x], [b, y]) => Number(b === best) - Number(a === best) || y - x)
    .slice(0, best.startsWith("X") ? MOST_EXCHANGES : MOST_SHOWN);
  fill(byId("hint"), JSON.stringify(rows), () => [
    h("span", {}, t("Your chance to win:")),
    ...rows.map(([action, chance], n) =>
      h(n ? "span.option" : "b.option", {}, `${named(action)} ${percent(chance)}`),
    ),
  ]);
}

/**
 * A choice in few words: what is said, the cards discarded, the card played.
 * @param {string} action
 */
function named(action) {
  if (action.startsWith("X") && action.length > 1) {
    return t("discard {cards}", { cards: cardsOf(action.slice(1)).map(cardSign).join(" ") });
  }
  return spoken(action)?.[0] ?? cardSign(action);
}

function begin() {
  const number = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  );
  return chair.send(() => game.begin(byId("opponent", HTMLSelectElement).value, number.join("")));
}

/** @type {Record<string, () => unknown>} */
const KEYS = { h: () => byId("ask-hint").click(), u: () => byId("undo").click() };

connectHead();
for (const option of byId("opponent", HTMLSelectElement).options) {
  const name = botName("house", option.value);
  const { wins } = option.dataset;
  option.text = wins ? t("{name} wins {n} of 100", { name, n: wins }) : name;
}
byId("begin", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault();
  begin();
});
byId("ask-hint").addEventListener("click", hint);
byId("undo").addEventListener("click", () => chair.send(() => game.back()));
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target instanceof Element && event.target.closest("input, select, dialog")) return;
  KEYS[event.key]?.();
});
byId("opponent").addEventListener("change", sitDown);
watchCloth(draw);
sitDown();
draw();
// For tests in a browser: what the page shows.
Object.assign(globalThis, { casino: { state: () => state, connected: () => true, game } });
