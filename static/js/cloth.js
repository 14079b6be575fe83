// The cloth: cards where they lie, moving where they go; plates, counters, bubbles.

import { cardName, cardSvg } from "./cards.js";
import { renderCounters } from "./counters.js";
import { byId, fill, h, show, text } from "./dom.js";
import { t, tn } from "./i18n.js";
import { pieces } from "./layout.js";
import { nameOf, spoken } from "./narrate.js";
import { SEATS } from "./state.js";

const SUIT_SIGNS = { S: "♠", H: "♥", D: "♦", C: "♣" };
const elements = new Map();
const places = new WeakMap();
const bubbleAt = { house: 0, challenger: 0 };

/** Draw the cloth as the state has it; `chosen` and `onCard` are the player's own affair. */
export function renderCloth(state, own) {
  const cloth = byId("cloth");
  const wide = cloth.clientWidth > 1.12 * cloth.clientHeight;
  cloth.classList.toggle("wide", wide);
  renderPieces(state, wide, own);
  for (const seat of SEATS) renderPlate(state, seat);
  renderMiddle(state);
  renderBubbles(state);
}

function renderPieces(state, wide, own) {
  const layer = byId("pieces");
  const wanted = pieces(state, wide);
  const stock = wanted.find(({ kind }) => kind === "stock");
  const fresh = wanted.filter(({ id }) => !elements.has(id));
  for (const piece of fresh) create(layer, piece, stock);
  // Seen there once, the new cards move to their places.
  if (fresh.length) layer.getBoundingClientRect();
  for (const piece of wanted) {
    const element = elements.get(piece.id);
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

// A new card comes from the stock.
function create(layer, piece, stock) {
  const element = h("div.piece", {}, h("div.turner"));
  element.dataset.id = piece.id;
  elements.set(piece.id, element);
  if (stock) place(element, { ...stock, z: piece.z });
  layer.append(element);
}

// A card is put where it lies only if it lay elsewhere: the browser would look at its style anew.
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
  for (const [name, value] of Object.entries(where)) element.style.setProperty(name, value);
}

function face(element, card) {
  const key = card ?? "back";
  if (element.dataset.card === key) return;
  element.dataset.card = key;
  element.firstElementChild.innerHTML = cardSvg(card);
}

// What a card is to the person: a picture with a name, a button, or nothing to speak of.
function manners(element, piece, own) {
  const mine = own?.can(piece);
  const role = mine ? "button" : piece.card && !piece.small ? "img" : null;
  attribute(element, "role", role);
  attribute(element, "aria-label", piece.card && role ? cardName(piece.card) : null);
  attribute(element, "aria-hidden", role ? null : "true");
  attribute(element, "tabindex", mine ? "0" : null);
  const mood = mine ? own.mood(piece.card) : {};
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

function attribute(element, name, value) {
  if (value === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

function renderPlate(state, seat) {
  const plate = byId(`plate-${seat}`);
  const { game, deal } = state;
  const part = (name) => plate.querySelector(`.${name}`);
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
  plate.classList.toggle("turn", Boolean(deal && deal.turn === seat && game.phase === "playing"));
  plate.classList.toggle("winner", game?.result?.winner === seat);
}

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
      h(`span.sign.suit-${suit}`, { "aria-hidden": "true" }, SUIT_SIGNS[suit]),
      h("span", {}, t("trumps")),
    ]);
  }
}

// What a deal came to, in the middle of the cloth until the next one.
function renderVerdict({ deal, game }) {
  const box = byId("verdict");
  const seat = deal && SEATS.find((one) => game.score[one] > deal.began[one]);
  show(box, Boolean(deal?.over && game.phase === "playing"));
  if (box.hidden) return;
  const { house, challenger } = deal.tricks;
  const gain = (one) => game.score[one] - deal.began[one];
  fill(box, `${deal.number}`, () =>
    [
      h("b", {}, t("Tricks {house} : {challenger}", { house, challenger })),
      ...SEATS.filter((one) => gain(one) > 0).map((one) =>
        h(
          "span",
          {},
          t("{name} +{n}", {
            name: game.players[one],
            n: gain(one),
          }),
        ),
      ),
      seat ? null : h("span", {}, t("no point")),
    ].filter(Boolean),
  );
}

function renderBubbles(state) {
  for (const seat of SEATS) {
    const bubble = byId(`bubble-${seat}`);
    const words = state.said?.seat === seat && state.said.action ? spoken(state.said.action) : null;
    if (!words) {
      if (!state.said || state.said.seat !== seat) hush(bubble, state, seat);
      continue;
    }
    bubbleAt[seat] = state.deal?.number ?? 0;
    const [here, french] = words;
    fill(bubble, `${here}${state.said.version}`, () =>
      [h("span", {}, here), here === french ? null : h("i", { lang: "fr" }, french)].filter(Boolean),
    );
    bubble.classList.add("spoken");
  }
}

// A word stays until its speaker does something else, the play begins or the deal is over.
function hush(bubble, state, seat) {
  const playing = state.deal && (state.deal.trick.length || state.deal.phase === "over");
  if (!state.deal || playing || bubbleAt[seat] !== state.deal.number) bubble.classList.remove("spoken");
}
