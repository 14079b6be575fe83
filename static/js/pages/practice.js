// The practice page: one person, one bot, no stake, no clock; hints and undo.

import { randomText, refusal, Sender } from "../common/api.js";
import { byId, h, isHurried, oncePerFrame, onShortcut, onSubmit, show, text, within } from "../common/dom.js";
import { playEventSound } from "../common/event_sound.js";
import "../common/head.js";
import { botName } from "../felt/avatars.js";
import { cardSign, suitName } from "../felt/cards.js";
import { renderFelt, resultWords } from "../felt/felt.js";
import { AnimationQueue } from "../state/animation_queue.js";
import { PracticeGame } from "../state/practice_game.js";
import { fold, foldYou } from "../state/reducer.js";
import { anonymousViewer, emptyTable, fromSnapshot, newGame } from "../state/table_state.js";
import { isCard, parseCards } from "../state/tokens.js";
import { PlayerControls } from "../table/player_controls.js";
import { Caption } from "../text/caption.js";
import { announcedText, spokenWords } from "../text/event_text.js";
import { gameName } from "../text/game_names.js";
import { hintReason } from "../text/hint_reason.js";
import { percent, t } from "../text/i18n.js";
import { actionText, NOISE } from "../text/review_text.js";
import { waitingText } from "../text/waiting_text.js";

const MAX_OPTIONS = 5;
// Exchanges take a line each.
const MAX_EXCHANGES = 3;
const MAX_MISTAKES = 5;
const MAX_DELAY_MS = 20_000;

const { table = "" } = byId("main").dataset;
const NAME = "you";
const asked = new URLSearchParams(location.search);
/** The finished game to be played on, if any. */
const past = asked.get("game");
let state = { ...emptyTable(table), holder: NAME, you: { ...anonymousViewer(), name: NAME } };
let shownQuestion = "";
// Text on the felt before the first deal.
let invitation = "";
const caption = new Caption();
const render = oncePerFrame(draw);

const queue = new AnimationQueue(showEvent, {
  hurry: () => hurry || isHurried(),
  latest: MAX_DELAY_MS,
});
let hurry = false;

const game = new PracticeGame(table, {
  whole(snapshot, paced) {
    hurry = !paced;
    queue.drop();
    invitation = "";
    // Nothing is staked: no game counts more than another.
    /** @type {Wire.GalleryLaws} */
    const gallery = { ...snapshot.gallery, gallery_stakes: "single" };
    state = fromSnapshot({ ...snapshot, gallery }, { ...anonymousViewer(), name: NAME });
    caption.reset(state);
  },
  event: (event) => queue.push(event),
  you: (you) =>
    queue.push(() => {
      state = foldYou(state, you);
      render();
    }),
  caughtUp: () =>
    queue.push(() => {
      hurry = false;
      render();
    }),
});

const seat = Object.assign(new Sender(render), {
  seated: true,
  /** @param {string} action */
  act: (action) => game.act(action, momentText()),
});
const controls = new PlayerControls(seat);

/** @param {Wire.Event} event @param {number} came */
function showEvent(event, came) {
  state = fold(state, event, came);
  caption.update(event, state);
  const words = announcedText(event, state);
  if (!hurry) playEventSound(event);
  if (words && !hurry) text(byId("live"), words);
  render();
}

function draw() {
  const { legal } = state.you;
  if (legal.join() !== shownQuestion) byId("hint").replaceChildren();
  shownQuestion = legal.join();
  const playing = state.game !== null && !state.game.result && !invitation;
  controls.render(state);
  renderFelt(state, controls);
  caption.render();
  show(byId("begin"), !playing);
  show(byId("helps"), playing);
  text(byId("thinks"), playing && !legal.length ? waitingText(state) : "");
  byId("ask-hint", HTMLButtonElement).disabled = !legal.length || seat.sending;
  byId("undo", HTMLButtonElement).disabled = !game.actions.length || seat.sending;
  if (state.game?.result) {
    // Small screens have no room for the headline.
    text(byId("begin-words"), resultWords(state).join(" · "));
    text(byId("deal"), past ? t("From there again") : t("Another game"));
    show(byId("review"), true);
  }
  if (!invitation) return;
  const box = byId("headline");
  show(box, true);
  text(within(box, "b"), t("Practice"));
  text(within(box, "span"), invitation);
}

/** Show the chosen opponent before the first deal. */
function seatOpponent() {
  if (game.house) return;
  const chosen = byId("opponent", HTMLSelectElement);
  const house = chosen.value;
  const { wins: n } = chosen.selectedOptions[0].dataset;
  state = { ...state, game: newGame({ game: table, players: { house, challenger: NAME } }) };
  if (past && state.game) {
    const [points, own] = (asked.get("score") ?? "0-0").split("-").map(Number);
    state.game.score = { house: points, challenger: own };
    invitation = t("You are the challenger in {game}. The next cards are those of that game.", {
      game: gameName(past),
    });
    return render();
  }
  const waits = t("{name} is waiting: deal when you are ready.", { name: botName({ house }) });
  invitation = n
    ? `${waits} ${t("Against an average player, this bot wins {n} of 100 games to five.", { n })}`
    : waits;
  render();
}

async function showHint() {
  if (!state.you.legal.length || seat.sending) return;
  const question = shownQuestion;
  const answer = await game.hint();
  if (question !== shownQuestion) return;
  if (!answer.ok) return text(byId("hint"), await refusal(answer));
  if (!answer.hint) return text(byId("hint"), t("There is nothing to choose here."));
  renderHint(answer.hint);
}

// Show the win probability of each choice, best first; as good as the best is what differs by less
// than 2%, as in the review, and then no rule tells them apart. The cards of the best exchange are chosen.
/** @param {Wire.Hint} hint */
function renderHint({ best, options }) {
  const { you, deal } = state;
  const isExchange = best.startsWith("X");
  const isGood = (/** @type {string} */ action) => options[best] - options[action] < NOISE;
  const choices = Object.keys(options);
  const isClear = isExchange || choices.filter(isGood).length === 1;
  const unclear = choices.every(isGood) ? t("All choices are equally good.") : "";
  const reason = isClear ? hintReason(best, you.hand, deal?.turnUp ?? "", !deal?.trick.length) : unclear;
  const rows = Object.entries(options)
    .sort(([a, x], [b, y]) => Number(b === best) - Number(a === best) || y - x)
    .slice(0, isExchange ? (reason ? 1 : MAX_EXCHANGES) : MAX_OPTIONS);
  byId("hint").replaceChildren(
    h("span", `${reason} ${t("Your chance to win:")}`),
    ...rows.map(([action, chance]) =>
      h(isGood(action) ? "b.option" : "span.option", `${optionText(action)} ${percent(chance)}`),
    ),
  );
  if (!isExchange) return;
  controls.chosen = new Set(parseCards(best.slice(1)));
  render();
}

// Ask for the value of each choice that was made, and show the dearest mistakes.
async function showReview() {
  const button = byId("review", HTMLButtonElement);
  button.disabled = true;
  text(button, t("Working it out…"));
  text(byId("live"), t("Working it out…"));
  const mistakes = [];
  for (const [n, action] of game.actions.entries()) {
    const answer = await game.hint(n);
    const { best = "", options = {} } = (answer.ok && answer.hint) || {};
    const cost = options[best] - options[action];
    if (cost >= NOISE) mistakes.push({ moment: game.moments[n], action, best, cost });
  }
  button.disabled = false;
  text(button, t("Review"));
  const rows = mistakes.sort((a, b) => b.cost - a.cost).slice(0, MAX_MISTAKES);
  byId("mistakes").replaceChildren(
    ...rows.map(({ moment, action, best, cost }) =>
      h(
        "li",
        h("small", moment),
        t("You chose: {action} · better (+{cost}): {best}", {
          action: optionText(action),
          best: optionText(best),
          cost: percent(cost),
        }),
      ),
    ),
  );
  show(byId("no-mistakes"), !rows.length);
  byId("review-dialog", HTMLDialogElement).showModal();
}

// Return what the person sees when choosing.
function momentText() {
  const { deal, you } = state;
  if (!deal) return "";
  const { number: n, tricks, trick, turnUp } = deal;
  const cards = you.hand.map(cardSign).join(" ");
  const values = { n, cards, trick: tricks.house + tricks.challenger + 1 };
  const where = you.legal.some(isCard) ? t("Deal {n}, trick {trick}.", values) : t("Deal {n}.", values);
  const trumps = turnUp ? t("Trumps: {suit}.", { suit: suitName(turnUp[1]) }) : "";
  const led = trick[0]?.card ? t("Led: {card}.", { card: cardSign(trick[0].card) }) : "";
  return `${where} ${trumps} ${led} ${t("Your hand: {cards}.", values)}`;
}

// Words as the choices have them, cards as a review does; to announce the king is said in full.
/** @param {string} action */
const optionText = (action) => (!/^(X.|K$)/.test(action) && spokenWords(action)?.[0]) || actionText(action);

onSubmit(byId("begin"), () => {
  show(byId("review"), false);
  seat.send(() => game.begin(byId("opponent", HTMLSelectElement).value, randomText()));
});
byId("review").addEventListener("click", showReview);
byId("ask-hint").addEventListener("click", showHint);
byId("undo").addEventListener("click", () => seat.send(() => game.undo()));
onShortcut(byId("helps"));
byId("opponent").addEventListener("change", seatOpponent);
byId("back").addEventListener("click", () => game.forget());
if (past) {
  game.start = { game: past, step: Number(asked.get("step")) };
  byId("opponent", HTMLSelectElement).value = asked.get("house") ?? "";
  text(byId("deal"), t("Play on"));
}
seatOpponent();
draw();
seat.send(() => game.resume());
// For browser tests.
Object.assign(globalThis, { casino: { state: () => state, connected: () => true, game } });
