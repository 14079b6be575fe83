// The table folded from events: cards where they lie, one's own exchange, the book, the clock.

import assert from "node:assert/strict";
import { test } from "node:test";
import { netWin } from "../../../static/js/state/matching.js";
import { fold, foldYou } from "../../../static/js/state/reducer.js";
import {
  emptyTable,
  fromSnapshot,
  heldCents,
  isStakeReturned,
} from "../../../static/js/state/table_state.js";
import { Caption, STAKE_RETURNED } from "../../../static/js/text/caption.js";
import { eventText, nameOf, scoredText } from "../../../static/js/text/event_text.js";

const OPENED = {
  type: "game_opened",
  table: "t1",
  game: "t1-000001",
  commitment: "00",
  stake_cents: 1000,
  players: { house: "regle", challenger: "ann" },
  holder: "ann",
  bots: { house: "regle" },
  laws: { target: 5 },
  gallery: { matching: "pro_rata", gallery_stakes: "game", commission_bp: 500 },
  limits: { least_cents: 100 },
  seconds: 20,
};
const DEALT = {
  type: "dealt",
  deal: {
    number: 1,
    dealer: "house",
    turn: null,
    turn_up: null,
    score: { house: 0, challenger: 0 },
    tricks: { house: 0, challenger: 0 },
    stock: 21,
    sizes: { house: 5, challenger: 5 },
    hands: {},
    led: null,
    actions: [],
  },
};
const HAND = ["KH", "QH", "7S", "8D", "9C"];

const bet = (order, player, side, unit_cents) => ({ type: "bet_accepted", order, player, side, unit_cents });
const act = (seat, action, turn) => ({ type: "action", seat, action, turn });
const AGREED = [act("challenger", "P", "house"), act("house", "A", "challenger")];
const LATE = { type: "seat", what: "defaulted", player: "ann", holder: "ann", queue: [], late: true };
const cards = (state, seat = "challenger") => state.deal.hands[seat].map((slot) => slot.card);

function after(...steps) {
  let state = { ...emptyTable("t1"), you: { ...emptyTable("t1").you, name: "ann" } };
  for (const step of steps) {
    state = step.type
      ? fold(state, { version: state.version + 1, ...step }, 1000)
      : foldYou(state, step, 1000);
  }
  return state;
}

const playing = (...steps) =>
  after(OPENED, DEALT, { hand: HAND }, { type: "turned_up", card: "8S", turn: "challenger" }, ...steps);

test("R3.3 after his own exchange the player sees the new cards, and those laid away are gone", () => {
  const asked = playing(...AGREED);
  const waiting = fold(asked, { version: 7, ...act("challenger", "X????", "house") });
  assert.deepEqual(cards(waiting), HAND, "until the new hand is told the old one lies there");
  assert.equal(waiting.deal.stock, 19);
  const state = foldYou(waiting, { hand: ["KH", "QH", "AS", "JS", "9C"] });
  assert.deepEqual(cards(state), ["KH", "QH", "AS", "JS", "9C"]);
  assert.equal(state.deal.away.map((slot) => slot.card).join(" "), "7S 8D");
  const id = (one, card) => one.deal.hands.challenger.find((slot) => slot.card === card).id;
  assert.equal(id(state, "KH"), id(waiting, "KH"), "a card that was kept stays where it was");
});

test("R3.3 an exchange missed on a broken line still ends with the hand that is told", () => {
  const state = playing(
    ...AGREED,
    act("challenger", "X????", "house"),
    act("house", "X????", "challenger"),
    act("challenger", "S", "challenger"),
    act("challenger", "AS", "house"),
    { hand: ["KH", "QH", "JS", "9C"] },
  );
  assert.deepEqual(cards(state), ["KH", "QH", "JS", "9C"]);
  assert.equal(state.deal.trick.map((slot) => slot.card).join(" "), "AS");
  assert.equal(cards(state, "house").length, 5);
});

test("R3.7 a deal knows who exchanged or risks 2 points, as it happens and from a snapshot", () => {
  const state = playing(...AGREED);
  assert.ok(!state.deal.exchanged);
  assert.ok(fold(state, { version: 9, ...act("challenger", "X??", "house") }).deal.exchanged);
  const told = (actions) => fromSnapshot({ ...OPENED, deal: { ...DEALT.deal, turn_up: "8S", actions } }).deal;
  assert.ok(told(["P", "A", "X??", "X??"]).exchanged);
  assert.ok(!told(["P"]).exchanged);
  assert.deepEqual([told(["S"]).bold, told(["P", "R"]).bold], ["challenger", "house"]);
});

test("G9 before the first bet the cover is known, to who was there and to who comes late", () => {
  const cover = { house_cents: 500, challenger_cents: 0 };
  const state = after({ ...OPENED, cover });
  assert.deepEqual(state.game.book.cover, cover);
  assert.deepEqual(fromSnapshot({ ...OPENED, version: 1, cover }, state.you).game.book, state.game.book);
});

test("G12 what a bet may win is told with the commission of its base", () => {
  assert.equal(netWin(1000, 3, { commission_bp: 500 }), 2850);
  assert.equal(netWin(1000, 3, { commission_bp: 500, commission_base: "gross" }), 2800);
});

test("a seal that a snapshot held already is counted once, also when a crowded book tells it", () => {
  const cut = { type: "cut", player: "ann", number: 1 };
  const seals = [{ number: 1, player: "ann" }];
  const late = fromSnapshot({ ...OPENED, version: 1, seals }, emptyTable("t1").you);
  assert.equal(fold(late, { ...cut, version: 2 }).game.seals.length, 1);
  const bens = bet(1, "ben", "house", 100);
  assert.equal(fold(late, { ...bens, seal_number: 2, version: 2 }).game.seals.length, 2);
  assert.equal(fold(late, { ...bens, seal_number: null, version: 2 }).game.seals.length, 1);
  const book = { type: "book", totals_cents: [0, 0], matched_cents: 0 };
  const new_cuts = [cut, { ...cut, player: "ben", number: 2 }];
  assert.equal(fold(late, { ...book, new_cuts, version: 2 }).game.seals.length, 2);
});

test("the book is locked, texts are opened, the closing says which made the cut", () => {
  const cover = { house_cents: 1, challenger_cents: 2 };
  const lock = { type: "book_locked", bets: 3, seals: 2, cover, proof: "p", seconds: 4 };
  const locked = after(OPENED, lock);
  assert.equal(locked.game.phase, "locked");
  assert.equal(locked.lasts, 4);
  const opened = fold(locked, { type: "cuts_opened", opened: 1, seals: 2, version: 3 });
  assert.deepEqual([opened.game.cutsOpened, opened.lasts], [1, 4]);
  const closing = { type: "betting_closed", bets: [], opened: [1], withheld: [2], version: 4 };
  const { game } = fold(opened, closing);
  assert.deepEqual([game.phase, game.cutsOpened, game.withheld], ["closed", 1, [2]]);
});

test("the seat is a person's, also if a bot of theirs plays: the casino's bot does not hold it", () => {
  const bots = { house: "regle", challenger: "novice" };
  assert.equal(after({ ...OPENED, bots, players: bots, holder: "" }).holder, "");
  assert.equal(after({ ...OPENED, bots: { house: "regle", challenger: "ann" } }).holder, "ann");
});

test("R8.5 a claim puts everything where it says, and no card lies twice after an exchange", () => {
  const actions = ["P", "A", "X????", "X??", "S", "V"];
  const deal = { ...DEALT.deal, turn: "challenger", turn_up: "8S", actions };
  const state = playing(
    ...AGREED,
    act("challenger", "X????", "house"),
    { hand: ["KH", "QH", "AS", "JS", "9C"] },
    act("house", "X??", "challenger"),
    act("challenger", "S", "challenger"),
    act("challenger", "KH", "house"),
    { ...act("house", "V", "challenger"), deal },
    { hand: HAND },
  );
  const { hands, away, trick, phase } = state.deal;
  assert.deepEqual([cards(state), trick, phase, hands.house.length], [HAND, [], "leading", 5]);
  const ids = [...hands.house, ...hands.challenger, ...away].map((slot) => slot.id);
  assert.equal(new Set(ids).size, 13);
});

test("the clock counts from the moment an event comes, and stops when the book closes", () => {
  const open = after(OPENED);
  assert.equal(open.endsAt, 21_000);
  assert.equal(fold(open, { version: 2, type: "betting_closed", bets: [], cut: "" }).endsAt, null);
});

test("a game that ends goes on the road, a void one too", () => {
  const score = { house: 5, challenger: 2 };
  const over = after(OPENED, DEALT, { type: "game_over", winner: "house", score, stake: 2 });
  assert.deepEqual(over.road, [{ game: "t1-000001", winner: "house", stake: 2 }]);
  assert.equal(after(OPENED, { type: "game_void", reason: "the operator" }).road[0].winner, null);
});

test("why a game counts so often is not said of bets that are always paid once", () => {
  const event = { type: "game_over", winner: "house", score: { house: 5, challenger: 0 }, stake: 3 };
  const said = (gallery) => {
    const before = after({ ...OPENED, gallery }, DEALT);
    const caption = new Caption();
    caption.update(event, fold(before, { ...event, version: before.version + 1 }, 1000));
    return caption.words;
  };
  assert.match(said({ gallery_stakes: "game" }), / no points: stakes count three times\.$/);
  assert.match(said({ gallery_stakes: "single" }), / 0 points: a triple game\.$/);
});

test("R8.2 who comes late after an exposed card sees what is asked now", () => {
  const phase = (turn_up, actions) =>
    fromSnapshot(
      { ...OPENED, version: 9, closed: true, deal: { ...DEALT.deal, turn: "challenger", turn_up, actions } },
      emptyTable("t1").you,
    ).deal.phase;
  assert.equal(phase(null, ["E7S"]), "exposed");
  assert.equal(phase("8S", ["E7S", "O"]), "proposing");
  assert.equal(phase("8S", ["E7S", "O", "P", "A"]), "elder_exchange");
  assert.equal(phase("8S", ["S", "K"]), "leading");
});

test("a table between two games and one whose bets are stopped can be looked at", () => {
  const limits = { least_cents: 5000 };
  const state = fromSnapshot(
    { table: "t1", version: 9, road: [], taking: false, challenger: "novice", limits },
    emptyTable("t1").you,
  );
  assert.deepEqual(
    [state.version, state.game, state.taking, state.bot, state.limits],
    [9, null, false, "novice", limits],
  );
});

test("whoever left a sealed text shut has the stake back, and the felt says so to nobody else", () => {
  const sealed = after(
    OPENED,
    { type: "cut", number: 1, player: "ann" },
    { ...bet(1, "ben", "house", 500), seal_number: 2 },
  );
  const closing = { type: "betting_closed", bets: [], matched_cents: 0, first_dealer: "house" };
  const event = { ...closing, version: sealed.version + 1, opened: [2], withheld: [1] };
  const state = fold(sealed, event, 1000);
  assert.ok(!isStakeReturned(sealed.game, "ann"));
  assert.ok(isStakeReturned(state.game, "ann"));
  assert.ok(!isStakeReturned(state.game, "ben"));
  assert.ok(!isStakeReturned(state.game, "") && !isStakeReturned(null, "ann"));
  const said = (name) => {
    const caption = new Caption();
    caption.update(event, { ...state, you: { ...state.you, name } });
    return caption.words;
  };
  assert.equal(said("ann"), STAKE_RETURNED);
  assert.equal(said("ben"), "0 matched on each side");
});

test("the next bets are counted down from when the server settled the game", () => {
  let state = fold(emptyTable("t1"), { ...OPENED, version: 1 }, 500);
  state = fold(state, { type: "settled", table: "t1", version: 2, bets: [], principals: [] }, 1000, 8);
  assert.equal(state.endsAt, 9000);
});

test("a game given up says by whom and why until the next one, and counts as it stands", () => {
  const texts = {
    ann: "Your time ran out twice: you are out.",
    ben: "ann ran out of time and is out.",
  };
  for (const [name, words] of Object.entries(texts)) {
    const caption = new Caption();
    const empty = emptyTable("t1");
    let state = { ...empty, you: { ...empty.you, name } };
    const show = (event, now) => {
      state = fold(state, { table: "t1", version: state.version + 1, ...event }, now);
      caption.update(event, state);
    };
    show(OPENED, 0);
    show(DEALT, 0);
    // Only the player sees the clock.
    const clock = name === "ann" ? { seconds: 30 } : {};
    show({ type: "turned_up", card: "7S", turn: "challenger", ...clock }, 1000);
    show(LATE, 31_200);
    assert.equal(caption.title, words);
    const { deal } = state;
    const answer = { type: "action", seat: "challenger", action: "S", turn: "house" };
    show(answer, 31_300);
    assert.equal(eventText({ ...answer, version: 5 }, state), "");
    show({ type: "points", score: { house: 2, challenger: 0 } }, 31_400);
    assert.equal(scoredText(state, "house"), "");
    assert.equal(caption.title, words);
    show({ ...DEALT, deal: { ...DEALT.deal, score: { house: 2, challenger: 0 } } }, 31_500);
    show({ type: "points", score: { house: 4, challenger: 0 } }, 31_600);
    show({ type: "game_over", winner: "house", stake: 3, score: { house: 5, challenger: 0 } }, 32_000);
    assert.equal(caption.title, words);
    assert.equal(scoredText(state, "house"), "+5: opponent ran out of time", "all deals not played together");
    assert.match(caption.words, /no points: stakes count three times/);
    assert.equal(foldYou(state, { hand: ["KS", "QS", "JS", "AS", "TS"] }).deal, deal, "the cards stay");
    show({ ...OPENED, game: "t1-000002" }, 40_000);
    assert.notEqual(caption.title, words);
  }
});

test("who leaves with time on the clock has not run out of it", () => {
  const clock = { type: "turned_up", card: "7S", turn: "challenger", seconds: 30 };
  const state = after(OPENED, DEALT, clock, { ...LATE, late: undefined });
  assert.deepEqual(state.game.forfeit, { player: "ann", late: false, score: { house: 0, challenger: 0 } });
});

// Points and tricks (house, ann) when ann is out, an action before, the points after, and what the page says.
const OUT = {
  "a point that tricks have won": ["34 13", "", "35", "+1: most tricks", "ann has 3 tricks: 1 point."],
  "two points": [
    "33 13",
    "S",
    "35",
    "+2: opponent did not exchange",
    "Maître Hubert played at once and lost: 2 points to ann.",
  ],
  "a king later": ["34 12", "", "44 45", "+1: king turned up", "ann turned up a king: 1 point."],
  "a point, then a king": ["33 13", "", "34 35", "+1: king turned up", "ann turned up a king: 1 point."],
  "the house's point": ["44 31", "", "54", "+1: most tricks", "Maître Hubert has 3 tricks: 1 point."],
  "what is conceded": ["34 12", "", "44 54", "+2: opponent ran out of time", ""],
  "what is conceded, at four all": ["44 22", "", "54", "+1: opponent ran out of time", ""],
};
for (const [decision, [then, action, later, reason, words]] of Object.entries(OUT)) {
  test(`a game given up is decided by ${decision}`, () => {
    const pairs = (text) => text.split(" ").map(([house, ann]) => ({ house: +house, challenger: +ann }));
    const [score, tricks] = pairs(then);
    const points = pairs(later).map((scored) => ({ type: "points", score: scored }));
    const deal = { ...DEALT.deal, dealer: "challenger", turn: "challenger", turn_up: "7S", score, tricks };
    const dealt = { ...DEALT, deal: { ...deal, actions: action ? [action] : [] } };
    const end = points.at(-1).score;
    const winner = end.house === 5 ? "house" : "challenger";
    const over = { type: "game_over", winner, stake: 1, score: end };
    // The replay of a finished game leaves out what no one played.
    for (const rest of [[act("challenger", "C", null), ...points], []]) {
      const state = after(OPENED, dealt, LATE, ...rest, over);
      assert.equal(scoredText(state, winner), reason);
      const won = `${nameOf(state, winner)} wins the game, a single: 5 to ${Math.min(end.house, end.challenger)}.`;
      const spectator = { ...state, you: { ...state.you, name: "ben" } };
      const told = ["ann ran out of time and is out.", words, won].filter(Boolean).join(" ");
      assert.equal(eventText(over, spectator), told);
    }
  });
}

test("a game that is void because it was given up is not lost", () => {
  const over = { type: "game_void", reason: "challenger_out_of_time" };
  const caption = new Caption();
  const state = after(OPENED, DEALT, LATE, over);
  caption.update(over, state);
  const words = "The game is void: the challenger ran out of time. Every chip goes back.";
  assert.deepEqual([caption.title, eventText(over, state)], [words, words]);
});

test("three units of each bet are held until the close, then of what is matched, then nothing", () => {
  const bens = bet(1, "ben", "house", 500);
  const empty = emptyTable("t1");
  let state = fold({ ...empty, you: { ...empty.you, name: "ben" } }, { ...OPENED, version: 1 });
  assert.equal(heldCents(state), 0);
  state = fold(state, { ...bens, version: 2 });
  assert.equal(heldCents(state), 1500);
  const closed = { type: "betting_closed", bets: [{ ...bens, matched_cents: 200 }], version: 3 };
  state = fold(state, closed);
  assert.equal(heldCents(state), 600);
  assert.equal(heldCents({ ...state, you: { ...state.you, name: "ann" } }), 3000);
  const over = { type: "game_over", winner: "house", stake: 1, score: { house: 5, challenger: 3 } };
  assert.equal(heldCents(fold(state, { ...over, version: 4 })), 0);
});
