// Cards by name and by picture, what happened in sentences, why a card may not be played.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { cardName, cardSvg, cornerIndex } from "../../../static/js/felt/cards.js";
import { resultWords, winRecord } from "../../../static/js/felt/felt.js";
import { describeTable } from "../../../static/js/felt/mini_table.js";
import { fold } from "../../../static/js/state/reducer.js";
import { emptyTable } from "../../../static/js/state/table_state.js";
import { opponent, SEATS } from "../../../static/js/state/tokens.js";
import { inLine, lineParts, nextText, pouleOutcome } from "../../../static/js/table/poule_panel.js";
import { Caption } from "../../../static/js/text/caption.js";
import {
  Announcer,
  announcedText,
  bettorName,
  cardLabel,
  describePhase,
  eventText,
  nameOf,
  scoredText,
  seatName,
  spokenWords,
  voidReason,
} from "../../../static/js/text/event_text.js";
import { nextBetsText, waitingText } from "../../../static/js/text/waiting_text.js";

const PACK = [..."SHDC"].flatMap((suit) => [..."KQJAT987"].map((rank) => rank + suit));
const GAME = {
  players: { house: "regle", challenger: "ann" },
  bots: {},
  laws: { target: 5 },
  phase: "playing",
  score: { house: 1, challenger: 0 },
};
const state = { ...emptyTable("t1"), version: 1, game: GAME, deal: { phase: "leading", turn: "house" } };
const own = { ...state, you: { ...state.you, name: "ann" } };

test("every card has a name of its own and a picture of its own", () => {
  assert.equal(new Set(PACK.map(cardName)).size, 32);
  assert.equal(new Set(PACK.map(cardSvg)).size, 32);
  assert.equal(cardName("TH"), "ten of hearts");
  assert.equal(cornerIndex("TH"), "10");
  const label = (kind) => cardLabel({ card: "TH", kind, seat: "challenger" }, state);
  assert.deepEqual([label("hand"), label("turnUp")], ["ten of hearts", "Turned up: ten of hearts."]);
  assert.equal(label("trick"), "ann plays the ten of hearts.");
});

test("words are spoken as at the table, in French beside", () => {
  assert.deepEqual(spokenWords("A"), ["How many?", "Combien\u00a0?"]);
  assert.deepEqual(spokenWords("X????"), ["Two cards", "Deux cartes"]);
  assert.deepEqual(spokenWords("X"), ["None", "Servi"]);
  assert.equal(spokenWords("KH"), null);
});

test("whoever plays is not asked to bet", () => {
  const game = { ...GAME, phase: "betting", gallery: {} };
  const told = (name) => describePhase({ ...state, you: { ...state.you, name }, game });
  assert.deepEqual(told("ann"), ["You play against regle.", ""]);
  assert.equal(told("ben")[0], "Place your bets");
});

test("while a trick lies complete it is nobody's turn, whoever leads next", () => {
  const trick = [{ card: "KH" }, { card: "7H" }];
  for (const turn of ["house", null]) {
    const said = describePhase({ ...state, deal: { phase: "leading", turn, trick } });
    assert.deepEqual(said, ["The trick is complete", ""]);
  }
  assert.deepEqual(describePhase({ ...state, deal: { phase: "leading", turn: null, trick: [] } }), [
    "The deal is over",
    "",
  ]);
});

test("R3.7 whoever plays or refuses at once is told the price, after an exchange there is none", () => {
  for (const action of ["S", "R"]) {
    const said = (exchanged) =>
      eventText({ type: "action", seat: "house", action }, { ...state, deal: { exchanged } });
    assert.match(said(false), /: if the hand is lost, the opponent scores 2\.$/);
    assert.doesNotMatch(said(true), /opponent|exchang/);
  }
});

test("a point is told with its reason", () => {
  const told = (deal, score, before = {}) => {
    const event = { type: "points", score };
    return eventText(event, fold({ ...state, deal, ...before }, event));
  };
  const tricks = { house: 2, challenger: 3 };
  const refused = { dealer: "house", bold: "house", tricks };
  assert.equal(
    told(refused, { house: 1, challenger: 2 }),
    "regle refused cards and lost: 2 points to ann.",
    "not two points for the tricks",
  );
  const bold = { ...refused, dealer: "challenger" };
  assert.match(told(bold, { house: 1, challenger: 2 }), /^regle played at once and lost: 2 points/);
  assert.equal(told({ tricks }, { house: 1, challenger: 1 }), "ann has 3 tricks: 1 point.");
  const all = { tricks: { house: 0, challenger: 5 }, exchanged: true };
  assert.equal(told(all, { house: 1, challenger: 2 }), "ann takes all five tricks: 2 points.");
  assert.equal(
    told(all, { house: 1, challenger: 1 }),
    "ann takes all five tricks: the point that was missing.",
  );
  assert.equal(
    told({ ...all, exchanged: false }, { house: 1, challenger: 1 }),
    "ann takes all five tricks without an exchange: 1 point instead of 2.",
  );
  assert.match(told({ ...all, exchanged: false, bold: "house" }, { house: 1, challenger: 1 }), /was missing/);
  const king = { said: { action: "K" }, last: "action" };
  assert.equal(
    told({ turnUp: "9C", tricks }, { house: 1, challenger: 1 }, king),
    "ann announced the king of clubs: 1 point.",
  );
});

test("a trick is told with what won it", () => {
  const told = (led, answer) => {
    const shown = { taker: "challenger", cards: [{ card: led }, { card: answer }] };
    const event = { type: "trick", taker: "challenger", tricks: { house: 1, challenger: 2 } };
    return eventText(event, { ...state, deal: { shown, turnUp: "9H" } });
  };
  assert.equal(told("KC", "QH"), "ann takes the trick with a trump: 2 of 5.");
  assert.equal(
    told("AC", "QC"),
    "ann takes the trick with the higher card: 2 of 5. King, queen and jack beat the ace.",
  );
  assert.equal(told("QH", "KH"), "ann takes the trick with the higher card: 2 of 5.");
  assert.equal(told("7S", "KC"), "ann takes the trick with a card of the suit led: 2 of 5.");
  assert.equal(told("7S"), "", "the rest of a hand that was laid down");
});

test("a spectator hears who led and who followed with the trick, a player each card at once", () => {
  const events = [
    { type: "action", seat: "house", action: "KC" },
    { type: "action", seat: "challenger", action: "8H" },
    { type: "trick", taker: "challenger", tricks: { challenger: 1 } },
  ];
  const shown = { taker: "challenger", cards: [{ card: "KC" }, { card: "8H" }] };
  const heard = (name, announcer = new Announcer()) =>
    events.map((event) => announcer.say(event, { ...state, deal: { shown, turnUp: "9H" }, you: { name } }));
  const words = "regle plays the king of clubs. ann plays the eight of hearts.";
  assert.deepEqual(heard("zoe"), ["", "", `${words} ann takes the trick with a trump: 1 of 5.`]);
  assert.equal(heard("ann")[1], "You play the eight of hearts.");
});

test("a bet and the end of a game are left to what says more of them", () => {
  const bet = { type: "bet_accepted", player: "zoe", unit_cents: 500, side: "challenger" };
  const over = { type: "game_over", winner: "house", stake: 2, score: { house: 5, challenger: 1 } };
  const announcer = new Announcer();
  assert.deepEqual([announcer.say(bet, state), announcer.say(over, state)], ["", ""]);
  assert.equal(eventText(bet, state), "zoe bets 5 on ann.");
});

test("what a viewer has done or scored is told as you", () => {
  const lost = (dealer) => {
    const deal = { dealer, bold: "challenger", tricks: { house: 3, challenger: 2 } };
    const event = { type: "points", score: { house: 3, challenger: 0 } };
    return eventText(event, fold({ ...own, deal }, event));
  };
  assert.equal(lost("challenger"), "You refused cards and lost: 2 points to regle.");
  assert.equal(lost("house"), "You played at once and lost: 2 points to regle.");
  const dealt = { type: "dealt", deal: { number: 2, dealer: "challenger" } };
  assert.equal(eventText(dealt, own), "Deal 2. You deal five cards each.");
  const over = { type: "game_over", winner: "challenger", stake: 1, score: { house: 4, challenger: 5 } };
  assert.equal(eventText(over, own), "You win the game, a single: 5 to 4.");
  const staked = { ...own, game: { ...GAME, stake_cents: 200 } };
  assert.deepEqual(resultWords(fold(staked, over)), ["You win", "Single game\u00a0· 5 – 4"]);
  assert.deepEqual(resultWords(fold(own, over)), ["You win", "5 – 4"], "without a stake");
  const caption = new Caption();
  const words = (before) => {
    caption.update(over, fold({ ...before, game: { ...GAME, gallery: {} } }, over));
    return caption.words;
  };
  assert.deepEqual([words(own), words(state)], ["", "regle has 4 points: a single game."]);
  assert.deepEqual(resultWords(fold(state, over)), ["ann wins", "Single game\u00a0· 5 – 4"]);
  const pool = (name) => resultWords({ ...fold(own, over), pouleResult: { winner: 1, name } });
  assert.deepEqual(pool("ann"), ["You win the poule", "5 – 4"]);
  assert.deepEqual(pool("expert"), ["You win", "Sosthène takes the pool\u00a0· 5 – 4"]);
  const scored = { ...own, deal: null, scored: { seat: "house", n: 1, reason: "turned" } };
  const score = "regle turned up a king: 1 point. regle 1, you 0.";
  assert.equal(announcedText({ type: "points" }, scored), score);
  assert.equal(scoredText({ ...scored, deal: { turnUp: "KD" } }, "house"), "+1: king turned up (K♦)");
});

/** Yield an event and the state after it for every sentence about players; Zed has the seat `own`, Bob the other. */
function* everyCase(own) {
  const players = { [own]: "Zed", [opponent(own)]: "Bob" };
  const game = { ...GAME, players, gallery: {}, stake_cents: 200, score: { house: 5, challenger: 0 } };
  const after = (event, more = {}) => [event, { ...state, game, ...more }];
  yield after({ type: "game_opened" }, { game: { ...game, phase: "betting" } });
  for (const seat of SEATS) {
    const player = players[seat];
    const deal = { dealer: seat, turn: seat, turnUp: "9H", tricks: { house: 3, challenger: 3 } };
    for (const phase of ["exposed", "proposing", "answering", "elder_exchange", "leading", "following"])
      yield after({ type: "game_opened" }, { deal: { ...deal, phase } });
    yield after({ type: "dealt", deal: { ...deal, number: 1 } });
    yield after({ type: "turned_up", card: "9H" }, { deal });
    for (const action of ["P", "S", "A", "R", "C", "K", "N", "O", "V", "W", "X", "X??", "EKS", "KS"])
      for (const exchanged of [false, true])
        yield after({ type: "action", seat, action }, { deal: { ...deal, exchanged } });
    for (const answer of ["9C", "7H", "KS"]) {
      const shown = { cards: [{ card: "KC" }, { card: answer }] };
      yield after({ type: "trick", taker: seat, tricks: deal.tricks }, { deal: { ...deal, shown } });
    }
    for (const reason of ["turned", "king", "refused", "bold", "all", "unexchanged", "most"])
      for (const n of [1, 2]) yield after({ type: "points" }, { deal, scored: { seat, n, reason } });
    for (const points of [0, 1, 2]) {
      const score = { [seat]: 5, [opponent(seat)]: points };
      const result = { winner: seat, stake: 3, score };
      yield after({ type: "game_over", ...result }, { game: { ...game, score, result } });
    }
    for (const what of ["queued", "seated", "left"])
      for (const one of [player, "Eve"]) yield after({ type: "seat", what, player: one });
    for (const late of [false, true]) {
      const forfeit = { player, late };
      yield after({ type: "seat", what: "defaulted", player }, { game: { ...game, forfeit } });
    }
    for (const bettor of ["Eve", "Vera"])
      yield after({ type: "bet_accepted", player: bettor, unit_cents: 500, side: seat });
    yield after({ type: "poule" }, { pouleResult: { winner: 1, name: player, pool_cents: 500 } });
  }
}

test("the viewer is you in every sentence, wherever they sit, and no one else is", () => {
  const sentences = new Set();
  for (const seat of SEATS)
    for (const name of ["Zed", "Eve"])
      for (const [event, after] of everyCase(seat)) {
        const seen = { ...after, you: { ...after.you, name } };
        const caption = new Caption();
        caption.reset(seen);
        const read = [caption.title, caption.words];
        caption.update(event, seen);
        read.push(caption.title, caption.words, eventText(event, seen), announcedText(event, seen));
        for (const words of read) {
          assert.doesNotMatch(words, new RegExp(name), `${event.type} for ${name}`);
          const isOthers = name === "Eve" && event.player !== name;
          if (isOthers) assert.doesNotMatch(words, /\byou\b/i, `${event.type} for a spectator`);
          sentences.add(words);
        }
      }
  // A new sentence must be among those above.
  for (const file of ["event_text", "caption"]) {
    const source = readFileSync(new URL(`../../../static/js/text/${file}.js`, import.meta.url), "utf8");
    for (const [, text] of source.matchAll(/"([^"\n]*\{(?:name|loser|side|house|challenger)\}[^"\n]*)"/g)) {
      if (text === "{name} (bot)") continue;
      const written = new RegExp(text.replace(/[.?()]/g, "\\$&").replace(/\{\w+\}/g, ".+"));
      assert.ok(
        [...sentences].some((words) => written.test(words)),
        `${text} is not tested`,
      );
    }
  }
});

test("bots and simulated spectators have names a person can say", () => {
  const bots = { ...state, game: { ...GAME, bots: { house: "regle" } } };
  assert.equal(nameOf(bots, "house"), "Maître Hubert");
  assert.equal(nameOf(bots, "challenger"), "ann");
  assert.equal(bettorName("Odette*2", { name: "ann" }), "Odette (bot)");
});

test("a table without a game says whether one comes", () => {
  const between = (more) => describePhase({ ...emptyTable("t1"), version: 1, ...more })[0];
  assert.equal(between({ holder: "ann" }), "Between two games");
  assert.equal(between({}), "The seat is free");
  assert.equal(between({ bot: "novice" }), "Between two games", "a bot challenges if nobody else does");
  assert.deepEqual(describePhase(emptyTable("t1")), ["", ""], "nothing is said before anything is known");
});

test("a table in small is told in words too", () => {
  assert.equal(describeTable(emptyTable("t1")), "Between two games");
  const score = "regle: 1 of 5 points. ann: 0 of 5 points.";
  assert.equal(describeTable({ game: GAME, deal: null }), score);
  assert.equal(describeTable({ game: GAME, deal: { turnUp: null, trick: [] } }), score);
  const remote = { ...GAME, bots: { house: "regle", challenger: "ann" } };
  assert.match(describeTable({ game: remote, deal: null }), / ann · bot: 0 of 5 points\./);
  const trick = [{ card: "KC" }, { card: "AC" }];
  assert.equal(
    describeTable({ game: GAME, deal: { turnUp: "8H", trick } }),
    `${score} Turned up: eight of hearts. Trumps are hearts. On the table: king of clubs, ace of clubs.`,
  );
});

test("the bot that keeps a seat has a record there, a person and an empty chair have none", () => {
  const road = [{ winner: "house" }, { winner: null }, { winner: "challenger" }, { winner: "house" }];
  const table = { ...emptyTable("t1"), house: "regle", bot: "novice", road };
  assert.equal(winRecord(table, "house", "regle"), "won 2 of 3");
  assert.equal(winRecord(table, "challenger", "novice"), "won 1 of 3");
  assert.equal(winRecord(table, "challenger", undefined), "", "a person");
  assert.equal(winRecord({ ...table, bot: "" }, "challenger", ""), "", "an empty chair");
  assert.equal(winRecord({ ...table, poule: {} }, "house", "regle"), "", "any bot of a poule");
});

test("a poule says what happens next, and then who took the pool", () => {
  const poule = { entrants: ["regle", "ann", "expert"], person: 2, line: [3, 2, 1], wins: 1 };
  const next = (now, result = null, queue = [], closes = false) =>
    nextText(fold({ ...own, queue }, { type: "poule", poule: now, result }), 2, closes);
  assert.equal(
    next(poule),
    "Sosthène needs this game to take the pool. If you win it, you stay and meet Maître Hubert.",
  );
  assert.equal(next({ ...poule, wins: 0 }), "The winner stays, and Maître Hubert plays next.");
  const waits = { ...poule, line: [3, 1, 2] };
  assert.equal(next(waits), "One more win, and Sosthène takes the pool. If not, you play next.");
  assert.equal(next({ ...waits, wins: 0 }), "The winner stays, and you play next.");
  const leads = { ...poule, line: [2, 3, 1] };
  assert.equal(
    next(leads),
    "One more win, and you take the pool. If you lose, Maître Hubert takes your place.",
  );
  const parts = (now) => lineParts(inLine({ ...own, poule: now }), now.wins, 2);
  assert.deepEqual(parts(waits), ["Sosthène needs 1 more win", "then you"]);
  assert.deepEqual(parts(leads), ["you need 1 more win", "then Maître Hubert"]);
  assert.equal(next({ ...poule, line: [3, 1] }), "Only two are left: they play on until one takes the pool.");
  assert.equal(next(null), "The next poule has not begun yet.");
  const ends = "This poule of bots ends with this game: every entry goes back.";
  const bots = { ...poule, person: null, wins: 0 };
  assert.equal(next(bots, null, ["ann"]), ends, "a person enters");
  assert.equal(next(bots, null, [], true), ends, "the table closes");
  assert.equal(
    next({ ...bots, wins: 1 }, null, ["ann"]),
    "If Sosthène wins, they take the pool. If not, every entry goes back.",
  );
  assert.equal(next({ ...poule, wins: 0 }, null, ["ben"], true), next({ ...poule, wins: 0 }));
  const won = { winner: 2, name: "ann", pool_cents: 1500 };
  assert.equal(next(null, won), "You have won the poule and take the pool: 15 chips.");
  const lost = { ...won, winner: 1, name: "regle" };
  assert.equal(next(null, lost), "Maître Hubert has won the poule and takes the pool: 15 chips.");
  assert.equal(next(null, { void: "closed" }), "The poule is void: the table closes. Every entry goes back.");
});

test("a game of a poule brings a player its pool or takes the entry, or says what follows", () => {
  const poule = {
    entrants: ["regle", "ann", "expert"],
    person: 2,
    line: [3, 1, 2],
    wins: 1,
    pool_cents: 600,
  };
  const running = { ...poule, seats: { house: 3, challenger: 1 } };
  const outcome = (more) => pouleOutcome({ ...own, poule: running, ...more }, running, 2);
  const next = "One more win, and Sosthène takes the pool. If not, you play next.";
  const stays = { cents: null, lines: [[`You are still in the poule. ${next}`]] };
  const lost = { cents: -200, lines: [["Your entry", "−2.00"]] };
  const won = { cents: 400, lines: [...lost.lines, ["The pool", "+6.00"]] };
  assert.deepEqual(outcome({}), stays);
  assert.deepEqual(outcome({ game: { ...GAME, forfeit: { player: "ann", late: true } } }), lost);
  assert.deepEqual(outcome({ pouleResult: { winner: 2 } }), won);
  const others = { game: { ...GAME, players: { house: "regle", challenger: "expert" } } };
  assert.deepEqual([outcome(others), outcome({ ...others, pouleResult: { winner: 3 } })], [null, lost]);
  assert.deepEqual(
    [outcome({ you: { name: "zoe" } }), outcome({ pouleResult: { void: "operator" } })],
    [null, null],
  );
});

test("a void game says why, of a bot's fault no more than that", () => {
  assert.equal(voidReason("bot_failed"), "the bot failed");
  assert.equal(voidReason("the lights went out"), "the lights went out", "an operator's own words");
  assert.equal(
    eventText({ type: "game_void", reason: "challenger_left" }, state),
    "The game is void: the challenger left. Every chip goes back.",
  );
});

test("whoever waits reads for what", () => {
  const own = { ...GAME, bots: { house: "regle" }, players: { house: "house", challenger: "ann" } };
  const playing = { ...state, game: own, you: { name: "ann" } };
  const turn = (seat) => waitingText({ ...playing, deal: { ...playing.deal, turn: seat, phase: "dealing" } });
  const words = ["Maître Hubert is thinking.", "You play next.", "The cards are dealt"];
  assert.deepEqual(["house", "challenger", null].map(turn), words);
  const open = { ...playing, deal: { ...playing.deal, turn: null, over: { hands: null } } };
  assert.equal(waitingText(open), "The next deal comes in a moment.");
  assert.equal(waitingText({ ...playing, deal: null }), "Your game begins when the bets are closed.");
  const book = { ...playing, game: { ...own, phase: "betting" } };
  assert.equal(waitingText(book), "Your game begins when the bets are closed.");
  assert.equal(waitingText({ ...book, you: { name: "ben" } }), "");
  assert.match(waitingText({ ...playing, you: { name: "ben" } }), /^No bets are taken/);
  assert.match(waitingText({ ...emptyTable("t1"), version: 1 }), /^No one is playing/);
  assert.match(waitingText({ ...emptyTable("t1"), bot: "novice" }), /^The next game/);
  assert.match(waitingText({ ...playing, taking: false }), /^No bets are taken now/);
  assert.equal(waitingText({ ...playing, taking: false, away: true }), "");
});

test("a spectator reads when the next bets come: a time only if bots play", () => {
  const bots = { house: "regle", challenger: "novice" };
  const score = (house, challenger) => ({ ...GAME, bots, score: { house, challenger } });
  const next = (game, tricks = { house: 0, challenger: 0 }) =>
    nextBetsText({ ...state, game, deal: { ...state.deal, tricks } }, 20);
  assert.equal(next(score(4, 4), { house: 2, challenger: 1 }), "Betting reopens in less than a minute");
  assert.equal(next({ ...score(0, 0), laws: { target: 7 } }), "Betting reopens in about 2 min");
  const between = { ...state.deal, tricks: { house: 3, challenger: 2 }, over: { hands: null } };
  assert.equal(
    nextBetsText({ ...state, game: score(4, 2), deal: between }, 20),
    "Betting reopens in about 1 min",
  );
  const person = { ...GAME, bots: { house: "regle" } };
  assert.equal(next(person), "Betting reopens after this game");
  const own = { ...state, game: person, you: { name: person.players.challenger } };
  assert.deepEqual([next({ ...GAME, phase: "betting" }), nextBetsText(own, 20)], ["", ""]);
});

test("a free seat asks for somebody", () => {
  const idle = { ...emptyTable("t1"), version: 1, house: "regle" };
  assert.equal(seatName(idle, "house"), "Maître Hubert");
  assert.equal(seatName(idle, "challenger"), "your seat?");
  assert.equal(seatName({ ...idle, holder: "ann", bot: "novice" }, "challenger"), "ann");
  assert.equal(seatName({ ...idle, bot: "novice" }, "challenger"), "Odile");
  assert.equal(seatName(emptyTable("t1"), "challenger"), "challenger");
});
