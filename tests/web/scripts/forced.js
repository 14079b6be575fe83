// Puts the page of a table into a moment of a game that nobody plays, and says what does not fit there.
// The page's own scripts draw it; an idle table, whose book stays open, leaves it in peace.

/** From now on the page draws and counts no more by itself. */
let frozen = false;
const frame = requestAnimationFrame.bind(globalThis);
const { ResizeObserver: Observer } = globalThis;
globalThis.ResizeObserver = class extends Observer {
  constructor(told) {
    super((...sizes) => frozen || told(...sizes));
  }
};
function freeze() {
  frozen = true;
  globalThis.requestAnimationFrame = () => 0;
  for (let n = setInterval(() => {}, 1e6); n; n -= 1) clearInterval(n);
}

/** What was to be drawn before is drawn. */
const drawn = () => new Promise((done) => frame(() => frame(done)));

const HAND = ["QD", "KD", "TD", "JH", "QH"];

/** A deal with five cards in each hand, and a whole trick in the middle, or the card led, or none. */
function dealt(trick, led) {
  const played = led ? [led] : trick ? ["QD", "KD"] : [];
  return {
    number: 1,
    dealer: "house",
    began: { house: 4, challenger: 4 },
    turnUp: "TH",
    stock: 21,
    turn: "challenger",
    phase: "leading",
    over: null,
    away: [],
    hands: {
      house: HAND.map((_, n) => ({ id: `h${n}`, card: null })),
      challenger: HAND.map((card) => ({ id: card, card })),
    },
    tricks: { house: 1, challenger: 1 },
    taken: { house: [], challenger: [] },
    shown: null,
    trick: played.map((card, n) => ({ id: "ab"[n], card, seat: ["house", "challenger"][n] })),
  };
}

/** A person's seat before the choices `legal`, with a trick and words on the felt. */
async function force({ legal, chosen = [], trick, led = "" }) {
  // A table that has just been opened has no game for a moment.
  while (!casino.state().game) await new Promise((later) => setTimeout(later, 50));
  freeze();
  const { renderFelt, PlayerControls, eventText } = await casino.parts();
  await drawn();
  const deal = dealt(trick, led);
  const { game, ...table } = casino.state();
  const version = legal.length + chosen.length;
  const you = { ...table.you, name: "Sitter", hand: HAND, legal, version };
  const state = {
    ...table,
    you,
    deal,
    said: { seat: "challenger", action: "N", version: 1 },
    game: {
      ...game,
      phase: "playing",
      score: deal.began,
      bots: { house: "regle" },
      players: { ...game.players, challenger: "Sitter" },
      bets: [],
      book: { house_cents: 0, challenger_cents: 0, matched_cents: 0 },
    },
  };
  const chair = { seated: true, sending: false, message: "", sent: [], onchange() {}, moreTime() {} };
  chair.act = (action) => chair.sent.push(action);
  chair.send = (what) => what();
  globalThis.choices ??= new PlayerControls(chair);
  Object.assign(globalThis.choices, { seat: chair });
  globalThis.choices.render(state);
  for (const card of chosen) globalThis.choices.chosen.add(card);
  globalThis.choices.renderControls(state);
  for (const one of document.getElementById("desk").children)
    one.toggleAttribute("hidden", one.id !== "controls");
  document.querySelector(".turn-left").textContent = "3600";
  document.getElementById("ring").hidden = true;
  renderFelt({ ...state, said: { seat: "house", action: "A", version: 0 } }, globalThis.choices);
  renderFelt(state, globalThis.choices);
  const event = { type: "action", seat: "challenger", action: "QD", version: 1 };
  document.getElementById("caption-title").textContent = eventText({ type: "dealt", deal }, state);
  document.getElementById("caption-words").textContent = eventText(event, state);
  await hear();
  await drawn();
  await document.fonts.ready;
  await drawn();
}

/** A bettor has won the last game, whose result is kept while bets are taken. */
async function keep() {
  const { renderSettlement } = await casino.parts();
  const { game, you, ...table } = casino.state();
  const state = { ...table, game: { ...game, phase: "betting" }, you: { ...you, name: "Bettor" } };
  const won = { matched_cents: 50000, gain_cents: 100000, commission_cents: 5000 };
  const bets = [{ player: "Bettor", side: "house", ...won }];
  const result = { winner: "house", stake: 2, score: { house: 5, challenger: 1 } };
  renderSettlement({ ...state, game: { ...game, phase: "over", result, settled: { bets, principals: [] } } });
  renderSettlement(state);
}

/** Somebody with a long name says a phrase. */
async function hear() {
  const { Chat } = await casino.parts();
  globalThis.gossip ??= new Chat(() => {});
  globalThis.gossip.receive({ player: "Mademoiselle de Lespinasse", phrase: "well_played" }, casino.state());
}

/** Where the letters of an element stand, line by line, or the element if it is a picture. */
function boxes(one) {
  if (one.matches(".piece, .turner, .counters, .trump, .points, .bubble, .said li, .chip-face, .kept"))
    return [one.getBoundingClientRect()];
  const range = document.createRange();
  range.selectNodeContents(one);
  return [...range.getClientRects()];
}

const seen = (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
const apart = (a, b) =>
  a.right <= b.left + 2 || b.right <= a.left + 2 || a.bottom <= b.top + 2 || b.bottom <= a.top + 2;

/** What lies over what of the things that a player reads. */
function covered() {
  const kinds = [
    ".piece.trick",
    ".piece.stock, .piece.turnUp",
    ".sealed > *",
    ".trump",
    ".stock-count",
    ".told > *",
    ".points",
    ".zone :is(.total, .matched)",
    ".pile .chip-face",
    ".plate :is(.name, .tricks, .counters)",
    ".bubble.spoken",
    ".said li, .gallery h2",
    ".piece.chosen .turner",
    ".settlement.kept",
    ".poule-line > *",
    ".offer, .chip, .place, .poule-box > *, .seat > *, .bar-words > *",
  ];
  const things = kinds.flatMap((kind) =>
    [...document.querySelectorAll(kind)].filter(seen).map((one) => ({ kind, one, at: boxes(one) })),
  );
  const felt = document.getElementById("cloth").getBoundingClientRect();
  const bottom = (part) => part.getBoundingClientRect().bottom;
  const bitten = things.filter(({ kind, one, at: [box] }) => {
    const around = one.closest(".poule-line, .kept");
    const isCut = around && bottom(one.querySelector("h3") ?? one) > bottom(around) + 1;
    return isCut || (/bubble|kept/.test(kind) && box.top < felt.bottom + 5 && !isWithin(felt, box));
  });
  const faults = bitten.map(({ one }) => `“${one.textContent}” is cut or runs over the rim`);
  return faults.concat(overlaps(things, felt));
}

/** Whether the corners of a box, which are round themselves, lie on the round felt. */
function isWithin(felt, box) {
  const { borderRadius } = getComputedStyle(document.getElementById("cloth"));
  const round = Math.min(parseFloat(borderRadius), felt.height / 2);
  return [box.left + 8, box.right - 8].every((x) =>
    [box.top + 8, box.bottom - 8].every((y) => {
      const dx = Math.max(felt.left + round - x, x - felt.right + round, 0);
      const dy = Math.max(felt.top + round - y, y - felt.bottom + round, 0);
      return Math.hypot(dx, dy) <= round;
    }),
  );
}

function overlaps(things, felt) {
  return things.flatMap((a, n) =>
    things.slice(n + 1).flatMap((b) => {
      const free = a.kind === b.kind || a.at.every((x) => b.at.every((y) => apart(x, y)));
      const name = ({ kind, one, at: [x] }) => {
        const edges = [x?.left, x?.top, x?.right, x?.bottom].map((v) => Math.round(v));
        return `${kind} “${one.textContent.trim()}” ${edges}`;
      };
      const size = [felt.width, felt.height].map(Math.round);
      return free ? [] : [`${name(a)} and ${name(b)} on a felt of ${size}`];
    }),
  );
}

/** What of the choices is cut, covered or outside the window. */
function cut() {
  const strip = document.getElementById("desk");
  const wrong = strip.scrollHeight > strip.clientHeight + 1 ? [`the strip scrolls: ${strip.innerText}`] : [];
  const low = innerWidth < 430 ? 43.5 : 40;
  for (const one of document.querySelectorAll(".plate .name, .told > *")) {
    const isCut = one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 4;
    if (isCut) wrong.push(`on the felt “${one.innerText}” is cut`);
  }
  for (const one of document.querySelectorAll("#controls :is(.ask, button, .refusal, .turn-left)")) {
    if (!seen(one) || !one.textContent) continue;
    const { left, top, right, bottom } = one.getBoundingClientRect();
    const name = `“${one.innerText}”`;
    if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight) wrong.push(`${name} is outside`);
    if (one.scrollWidth > one.clientWidth + 1) wrong.push(`${name} is cut`);
    const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    if (!one.contains(there)) wrong.push(`${name} is covered by ${there?.className || there?.id}`);
    if (one.matches("button") && bottom - top < low) wrong.push(`${name} is low: ${bottom - top}`);
    if (one.matches(".quiet") && right - left > 0.8 * innerWidth) wrong.push(`${name} is too wide`);
  }
  return wrong;
}

/** What cannot be reached by scrolling, and whether the page scrolls sideways. */
function lost() {
  const wrong = document.scrollingElement.scrollWidth > innerWidth + 1 ? ["scrolls sideways"] : [];
  for (const one of document.querySelectorAll("header :is(a, summary, button), main :is(button, input)")) {
    if (!seen(one) || one.closest(".visually-hidden")) continue;
    one.scrollIntoView({ block: "center" });
    const { left, top, right, bottom } = one.getBoundingClientRect();
    const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    if (!one.contains(there)) wrong.push(one.id || one.parentElement.id || one.className);
  }
  return wrong;
}

Object.assign(globalThis, { force, keep, hear, covered, cut, lost });
