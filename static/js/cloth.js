// The cloth: cards where they lie, moving where they go; plates, counters, bubbles.

import { cardName, cardSvg, suitSign } from "./cards.js";
import { renderCounters } from "./counters.js";
import { byId, fill, h, show, text, within } from "./dom.js";
import { t, tn } from "./i18n.js";
import { pieces } from "./layout.js";
import { nameOf, spoken } from "./narrate.js";
import { SEATS } from "./seats.js";

/** @import { Seat } from "./messages" */
/** @import { Table } from "./table" */
/** @import { Piece } from "./layout.js" */

/**
 * What the cards are to the person who looks: which are the person's own, and how those look.
 * @typedef {{pressed?: boolean, refused?: string, legal?: boolean, dull?: boolean}} Mood
 * @typedef {{can: (piece: Piece) => boolean, mood: (card: string) => Mood}} Own
 */

/** @type {Map<string, HTMLElement>} */
const elements = new Map();
/** @type {WeakMap<HTMLElement, string>} */
const places = new WeakMap();
const bubbleAt = { house: 0, challenger: 0 };

/**
 * Draw the cloth as the state has it; `own` says how the cards of the person who looks are shown.
 * @param {Table} state
 * @param {Own | null} own
 */
export function renderCloth(state, own) {
  const cloth = byId("cloth");
  const wide = cloth.clientWidth > 1.12 * cloth.clientHeight;
  cloth.classList.toggle("wide", wide);
  renderPieces(state, wide, own);
  for (const seat of SEATS) renderPlate(state, seat);
  renderMiddle(state);
  renderBubbles(state);
}

/**
 * @param {Table} state
 * @param {boolean} wide
 * @param {Own | null} own
 */
function renderPieces(state, wide, own) {
  const layer = byId("pieces");
  const wanted = pieces(state, wide);
  const stock = wanted.find(({ kind }) => kind === "stock");
  const before = elements.size;
  const drawn = wanted.map((piece) => elements.get(piece.id) ?? create(layer, piece, stock));
  // Seen there once, the new cards move to their places.
  if (elements.size > before) layer.getBoundingClientRect();
  for (const [n, piece] of wanted.entries()) {
    const element = drawn[n];
    place(element, piece);
    face(element, piece.card);
    manners(element, piece, own);
  }
  const seen = new Set(wanted.map(({ id }) => id));
  for (const [id, element] of elements) {
    if (!seen.has(id)) {
      elements.delete(id);
      element.remove();
    }
  }
}

/**
 * A new card comes from the stock.
 * @param {HTMLElement} layer
 * @param {Piece} piece
 * @param {Piece | undefined} stock
 */
function create(layer, piece, stock) {
  const element = h("div.piece", {}, h("div.turner"));
  element.dataset.id = piece.id;
  elements.set(piece.id, element);
  if (stock) place(element, { ...stock, z: piece.z });
  layer.append(element);
  return element;
}

/**
 * A card is put where it lies only if it lay elsewhere: the browser would look at its style anew.
 * @param {HTMLElement} element
 * @param {Piece} piece
 */
function place(element, { x, y, dx, dy, turn, z }) {
  const where = {
    "--x": x,
    "--y": y,
    "--dx": dx.toFixed(3),
    "--dy": dy.toFixed(3),
    "--turn": `${turn.toFixed(1)}deg`,
    "z-index": z,
  };
  const key = Object.values(where).join();
  if (places.get(element) === key) return;
  places.set(element, key);
  for (const [name, value] of Object.entries(where)) element.style.setProperty(name, String(value));
}

/**
 * @param {HTMLElement} element
 * @param {string | null} card
 */
function face(element, card) {
  const key = card ?? "back";
  if (element.dataset.card === key) return;
  element.dataset.card = key;
  within(element, ".turner").innerHTML = cardSvg(card);
}

/**
 * What a card is to the person: a picture with a name, a button, or nothing to speak of.
 * @param {HTMLElement} element
 * @param {Piece} piece
 * @param {Own | null} own
 */
function manners(element, piece, own) {
  const mine = Boolean(own?.can(piece));
  const role = mine ? "button" : piece.card && !piece.small ? "img" : null;
  attribute(element, "role", role);
  attribute(element, "aria-label", piece.card && role ? cardName(piece.card) : null);
  attribute(element, "aria-hidden", role ? null : "true");
  attribute(element, "tabindex", mine ? "0" : null);
  /** @type {Mood} */
  const mood = mine && own ? own.mood(piece.card ?? "") : {};
  attribute(element, "aria-pressed", mood.pressed === undefined ? null : String(mood.pressed));
  attribute(element, "aria-disabled", mood.refused ? "true" : null);
  attribute(element, "title", mood.refused || null);
  attribute(
    element,
    "class",
    Object.entries({
      piece: true,
      [piece.kind]: true,
      small: piece.small,
      gone: piece.gone,
      legal: mood.legal,
      refused: mood.refused || mood.dull,
      chosen: mood.pressed,
    })
      .filter(([, is]) => is)
      .map(([name]) => name)
      .join(" "),
  );
}

/**
 * @param {Element} element
 * @param {string} name
 * @param {string | null} value
 */
function attribute(element, name, value) {
  if (value === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/**
 * @param {Table} state
 * @param {Seat} seat
 */
function renderPlate(state, seat) {
  const plate = byId(`plate-${seat}`);
  const { game, deal } = state;
  /** @param {string} name */
  const part = (name) => within(plate, `.${name}`);
  text(part("name"), game ? nameOf(state, seat) : t(seat));
  text(part("kind"), !game?.bots ? "" : game.bots[seat] ? t("bot") : t("person"));
  const role = !deal ? "" : deal.dealer === seat ? t("deals") : t("leads first");
  text(part("role"), role);
  const { score = { [seat]: 0 }, laws = {} } = game ?? {};
  const target = laws.target ?? 5;
  renderCounters(part("counters"), score[seat], target);
  part("counters").setAttribute("aria-label", t("{n} of {target} points", { n: score[seat], target }));
  text(part("points"), score[seat]);
  text(part("tricks"), deal ? t("tricks: {n}", { n: deal.tricks[seat] }) : "");
  plate.classList.toggle("turn", deal?.turn === seat && game?.phase === "playing");
  plate.classList.toggle("winner", game?.result?.winner === seat);
}

/** @param {Table} state */
function renderMiddle(state) {
  const { deal } = state;
  const stock = byId("stock-count");
  show(stock, Boolean(deal));
  show(byId("trump"), Boolean(deal?.turnUp));
  renderVerdict(state);
  if (!deal) return;
  text(stock, deal.stock);
  stock.setAttribute("aria-label", tn("{n} card in the stock", "{n} cards in the stock", { n: deal.stock }));
  const trump = byId("trump");
  if (deal.turnUp) {
    const suit = deal.turnUp[1];
    fill(trump, deal.turnUp, () => [
      h(`span.sign.suit-${suit}`, { "aria-hidden": "true" }, suitSign(suit)),
      h("span", {}, t("trumps")),
    ]);
  }
}

/**
 * What a deal came to, in the middle of the cloth until the next one.
 * @param {Table} state
 */
function renderVerdict({ deal, game }) {
  const box = byId("verdict");
  const over = Boolean(deal?.over && game?.phase === "playing");
  show(box, over);
  if (!deal || !game || !over) return;
  const { house, challenger } = deal.tricks;
  const gains = SEATS.map((seat) => ({ name: game.players[seat], n: game.score[seat] - deal.began[seat] }));
  const scored = gains.filter(({ n }) => n > 0);
  fill(box, `${deal.number}`, () => [
    h("b", {}, t("Tricks {house} : {challenger}", { house, challenger })),
    ...scored.map((gain) => h("span", {}, t("{name} +{n}", gain))),
    scored.length ? null : h("span", {}, t("no point")),
  ]);
}

/** @param {Table} state */
function renderBubbles(state) {
  for (const seat of SEATS) {
    const bubble = byId(`bubble-${seat}`);
    const said = state.said?.seat === seat ? state.said : null;
    const words = said && spoken(said.action);
    if (!words) {
      if (!said) hush(bubble, state, seat);
      continue;
    }
    bubbleAt[seat] = state.deal?.number ?? 0;
    const [here, french] = words;
    fill(bubble, `${here}${said.version}`, () => [
      h("span", {}, here),
      here === french ? null : h("i", { lang: "fr" }, french),
    ]);
    bubble.classList.add("spoken");
  }
}

/**
 * A word stays until its speaker does something else, the play begins or the deal is over.
 * @param {HTMLElement} bubble
 * @param {Table} state
 * @param {Seat} seat
 */
function hush(bubble, state, seat) {
  const playing = state.deal && (state.deal.trick.length || state.deal.phase === "over");
  if (!state.deal || playing || bubbleAt[seat] !== state.deal.number) bubble.classList.remove("spoken");
}
