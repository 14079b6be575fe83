// The felt: cards moving to their places, name plates, points, speech bubbles.

import { all, byId, fill, h, isHurried, setAttributes, show, text, within } from "../common/dom.js";
import { trickReason } from "../state/card_moves.js";
import { isYou, opponent, SEATS } from "../state/tokens.js";
import { cardLabel, gameKind, nameOf, scoredText, seatName, spokenWords } from "../text/event_text.js";
import { t, tn } from "../text/i18n.js";
import { botName, renderPortrait, seatsOf } from "./avatars.js";
import { cardName, cardSvg, suitName } from "./cards.js";
import { pieces } from "./layout.js";

/** @import { Piece } from "./layout.js" */

/**
 * How the viewer's own cards look and which those are.
 * @typedef {{pressed?: boolean, refused?: string, legal?: boolean, dull?: boolean}} CardLook
 * @typedef {{isOwn: (piece: Piece) => boolean, stop: string, lookOf: (card: string) => CardLook}} OwnCards
 */

/** @type {Map<string, HTMLElement>} */
const elements = new Map();
// Said: higher; trump; not followed
const TAGS = { higher: "higher", trump: "trump", led: "not followed", rest: "" };
const DEAL_MS = 60;

/** Draw the felt; `own` styles the viewer's own cards. @param {State.Table} state @param {OwnCards | null} own */
export function renderFelt(state, own) {
  const cloth = byId("cloth");
  const page = cloth.closest(".table-page")?.classList;
  // Who plays or is about to sees the table from their own seat, but a result of others as a spectator.
  const { you, holder, game } = state;
  page?.toggle("seated", isYou(state, "challenger") || Boolean(!game && you.name && holder === you.name));
  // A class instead of :has(), which would restyle the whole felt with every word.
  cloth.closest(".stage")?.classList.add("known");
  const phase = game?.phase ?? "betting";
  cloth.classList.toggle("betting", ["betting", "locked", "closed", "void"].includes(phase));
  cloth.classList.toggle("playing", ["playing", "over"].includes(phase));
  cloth.classList.toggle("ended", phase === "over");
  const isMatchPoint = SEATS.some((seat) => game && game.score[seat] === game.laws.target - 1);
  page?.toggle("tense", phase === "playing" && isMatchPoint);
  const cards = renderPieces(state, own);
  // After a game won card by card, the player's end of the felt is free for the result.
  cloth.classList.toggle("bare", phase === "over" && !cards.some(({ kind }) => kind === "hand"));
  for (const seat of SEATS) renderPlate(state, seat);
  renderMiddle(state);
  renderBubbles(state);
}

/** @param {State.Table} state @param {OwnCards | null} own */
function renderPieces(state, own) {
  const layer = byId("pieces");
  const wanted = pieces(state);
  const fresh = wanted.filter(({ id }) => !elements.has(id));
  // The Tab key follows the document: a card drawn lies before the next card of its hand.
  const next = (/** @type {Piece} */ { seat, z }) =>
    wanted.find((card) => card.seat === seat && card.z > z && elements.has(card.id));
  const drawn = wanted.map((piece) => elements.get(piece.id) ?? createCard(layer, piece, next(piece)));
  // Reading the layout once makes new cards animate from the stock; on the first draw they lie still.
  if (layer.dataset.told && fresh.length && !isHurried()) layer.getBoundingClientRect();
  if (state.game) layer.dataset.told = "yes";
  for (const [n, piece] of wanted.entries()) {
    const element = drawn[n];
    // Cards are dealt one after another.
    element.style.transitionDelay = fresh.includes(piece) ? `${DEAL_MS * fresh.indexOf(piece)}ms` : "";
    setAttributes(element, {
      "--dx": piece.dx.toFixed(3),
      "--dy": piece.dy.toFixed(3),
      "--turn": `${piece.turn.toFixed(1)}deg`,
      "--z": piece.z,
    });
    showFace(element, piece.card);
    setInteraction(element, piece, own, state);
  }
  const seen = new Set(wanted.map(({ id }) => id));
  for (const [id, element] of elements) {
    if (!seen.has(id)) {
      elements.delete(id);
      element.remove();
    }
  }
  return wanted;
}

/** Create a card where the stock lies. @param {HTMLElement} layer @param {Piece} piece @param {Piece} [next] */
function createCard(layer, piece, next) {
  const element = h("div.piece.stock", h("div.turner"));
  elements.set(piece.id, element);
  layer.insertBefore(element, elements.get(next?.id ?? "") ?? null);
  return element;
}

/** @param {HTMLElement} element @param {string | null} card */
function showFace(element, card) {
  const key = card ?? "back";
  if (element.dataset.card === key) return;
  element.dataset.card = key;
  const name = card ? `<span class="visually-hidden">${cardName(card)}</span>` : "";
  within(element, ".turner").innerHTML = cardSvg(card) + name;
}

// Make a card a button, a labelled picture, or decoration.
/** @param {HTMLElement} element @param {Piece} piece @param {OwnCards | null} own @param {State.Table} state */
function setInteraction(element, piece, own, state) {
  const { deal } = state;
  const mine = Boolean(own?.isOwn(piece));
  const role = mine ? "button" : piece.card ? "img" : null;
  /** @type {CardLook} */
  const look = mine && own ? own.lookOf(piece.card ?? "") : {};
  const tag = piece.won && deal ? TAGS[trickReason(deal)] : "";
  setAttributes(element, {
    role,
    "aria-label": role === "img" ? cardLabel(piece, state) : null,
    "aria-hidden": role ? null : "true",
    tabindex: mine ? (own?.stop === piece.card ? 0 : -1) : null,
    "aria-pressed": look.pressed === undefined ? null : String(look.pressed),
    "aria-disabled": mine && !look.legal ? "true" : null,
    title: look.refused || null,
    "data-tag": tag ? t(tag) : null,
    "data-answer": piece.asks ? t("your card") : null,
    class: {
      piece: true,
      [piece.kind]: true,
      [piece.seat ?? ""]: piece.seat,
      winning: piece.won,
      losing: piece.won === false,
      legal: look.legal,
      refused: look.refused || look.dull,
      chosen: look.pressed,
      trumps: piece.card && piece.card[1] === deal?.turnUp?.[1],
    },
  });
}

/** @param {State.Table} state @param {Wire.Seat} seat */
function renderPlate(state, seat) {
  const plate = byId(`plate-${seat}`);
  const { deal, game } = state;
  const seats = seatsOf(state);
  /** @param {string} name */
  const part = (name) => within(plate, `.${name}`);
  const bot = seats?.bots[seat];
  renderPortrait(part("medal"), seats, seat);
  const own = isYou({ game: seats, you: state.you }, seat);
  const name = own ? t("You") : seatName(state, seat);
  // In a poule, whose players change seats, a name also stands where other tables name the seat.
  for (const label of [part("name"), ...all(`[data-named=${seat}]`, HTMLElement)]) text(label, name);
  const kind = bot ? t("bot") : t("person");
  text(part("kind"), !game || own ? "" : kind);
  // The winner of a trick leads the next one.
  const elder = deal && deal.tricks.house + deal.tricks.challenger ? "" : t("first to lead");
  text(part("role"), !deal || game?.result ? "" : deal.dealer === seat ? t("dealer") : elder);
  const n = game?.score[seat] ?? 0;
  const target = game?.laws.target ?? state.target;
  renderPips(part("counters"), n, target);
  part("counters").setAttribute("aria-label", t("{n} of {target} points", { n, target }));
  text(part("points"), n);
  text(part("tricks"), deal && !game?.forfeit ? t("tricks: {n}", { n: deal.tricks[seat] }) : "");
  text(part("record"), winRecord(state, seat, bot));
  text(part("scored"), scoredText(state, seat));
  plate.classList.toggle("dealer", deal?.dealer === seat);
  plate.classList.toggle("turn", deal?.turn === seat && game?.phase === "playing");
  plate.classList.toggle("winner", game?.result?.winner === seat);
}

// The counters of a side move from left to right, one per point.
/** @param {HTMLElement} row @param {number} score @param {number} target */
export function renderPips(row, score, target) {
  row.style.setProperty("--n", String(target));
  fill(row, String(target), () => Array.from({ length: target }, (_, n) => h("i.counter", { "--i": n })));
  for (const [n, disc] of [...row.children].entries()) disc.classList.toggle("moved", n >= target - score);
}

// People take turns in a seat, and so do the bots of a poule: its games are not the record of one of them.
/** @param {State.Table} state @param {Wire.Seat} seat @param {string} [bot] in that seat */
export function winRecord({ road, house, bot: challenger, poule, pouleResult }, seat, bot) {
  if (!bot || poule || pouleResult || bot !== { house, challenger }[seat]) return "";
  const all = road.filter(({ winner }) => winner);
  const n = all.filter(({ winner }) => winner === seat).length;
  return all.length ? tn("won {n} of {all}", "won {n} of {all}", { n, all: all.length }) : "";
}

/** @param {State.Table} state */
function renderMiddle(state) {
  const { deal, game } = state;
  const stock = byId("stock-count");
  show(stock, Boolean(deal?.turnUp && !game?.result));
  show(byId("trump"), Boolean(deal?.turnUp));
  // The result of a game stands above the last trick.
  const [title, words] = resultWords(state);
  show(byId("headline"), Boolean(title));
  byId("headline").classList.toggle("long", title.length > 16);
  text(within(byId("headline"), "b"), title);
  text(within(byId("headline"), "span"), words);
  if (!deal?.turnUp) return;
  text(stock, t("{n} left", { n: deal.stock }));
  stock.setAttribute("aria-label", tn("{n} card in the stock", "{n} cards in the stock", { n: deal.stock }));
  const suit = deal.turnUp[1];
  const sign = within(byId("trump"), ".sign");
  if (sign.dataset.suit === suit) return;
  sign.dataset.suit = suit;
  sign.className = `sign suit-${suit}`;
  sign.innerHTML = `<svg viewBox="0 0 20 20"><use href="#pip-${suit}" width="20" height="20"/></svg>`;
  text(within(byId("trump"), "b"), capitalize(suitName(suit)));
}

/** @param {string} word */
const capitalize = (word) => word.charAt(0).toLocaleUpperCase() + word.slice(1);

/** Return the result of a game, first of all whether the viewer has won. @param {State.Table} state */
export function resultWords(state) {
  const { result, stake_cents } = state.game ?? {};
  const { pouleResult: pool, you } = state;
  if (!result) return ["", ""];
  const { score, stake, winner } = result;
  const loser = opponent(winner);
  const points = `${score[winner]} – ${score[loser]}`;
  const own = isYou(state, winner) ? t("You win") : isYou(state, loser) ? t("You lose") : "";
  if (pool && "winner" in pool) {
    if (pool.name === you.name) return [t("You win the poule"), points];
    const taken = t("{name} takes the pool", { name: botName({ house: pool.name }) });
    return own ? [own, `${taken}\u00a0· ${points}`] : [taken, points];
  }
  // Without a stake the kind of game is nothing to the players.
  const kind =
    own && !stake_cents ? "" : `${capitalize(t("{kind} game", { kind: gameKind(stake) }))}\u00a0· `;
  return [own || t("{name} wins", { name: nameOf(state, winner) }), kind + points];
}

/** @param {State.Table} state */
function renderBubbles(state) {
  const { deal, game } = state;
  const isPlay = !deal || deal.trick.length || deal.phase === "over" || game?.result;
  for (const seat of SEATS) {
    const bubble = byId(`bubble-${seat}`);
    const speech = state.said?.seat === seat ? state.said : null;
    const words = speech && spokenWords(speech.action);
    if (!words) {
      // Words stay until their speaker acts again, play begins or the deal is over. The king is announced together
      // with a card: keep both visible.
      const isOld = isPlay || bubble.dataset.deal !== String(deal.number);
      if (isOld && (!speech || bubble.dataset.said !== "K")) bubble.classList.remove("spoken");
      continue;
    }
    bubble.dataset.deal = String(deal?.number);
    bubble.dataset.said = speech.action;
    const [here, french] = words;
    fill(bubble, `${here}${speech.version}`, () => [
      h("span", here),
      here === french ? null : h("i", { lang: "fr" }, french),
    ]);
    bubble.classList.add("spoken");
  }
}

/** Return how long bets are still taken, 0 if they are not or it is unknown. @param {State.Table} state */
export const bettingMsLeft = ({ endsAt, game }) =>
  endsAt && game?.phase === "betting" ? Math.max(0, endsAt - Date.now()) : 0;

/** Show the ring that counts down while bets are taken. @param {State.Table} state */
export function renderRing(state) {
  const left = bettingMsLeft(state);
  const ring = byId("ring");
  show(ring, left > 0);
  if (left <= 0) return;
  const share = Math.min(1, left / (1000 * (state.lasts || 1)));
  byId("ring-arc").style.setProperty("--a", `${360 * share}deg`);
  const n = Math.ceil(left / 1000);
  text(byId("ring-seconds"), n);
  text(within(ring, "p:last-of-type"), tn("second", "seconds", { n }));
  ring.classList.toggle("last", left < 5000);
}
