// Events as sentences, for caption, log and screen reader. Pure.

import { botName, isSimulated, plainName, seatsOf } from "../felt/avatars.js";
import { cardName, cardSign, ofSuit, playedCard } from "../felt/cards.js";
import { trickReason } from "../state/card_moves.js";
import { isCard, isYou, opponent, SEATS } from "../state/tokens.js";
import { chips, t, tn } from "./i18n.js";

/** @import { Seats } from "../felt/avatars.js" */
/** @import { Piece } from "../felt/layout.js" */
/**
 * @typedef {State.Table & {game: State.Game}} Playing
 * @typedef {(event: Wire.Event, state: Playing) => string} EventText
 * @typedef {"cut" | "book" | "book_locked" | "cuts_opened" | "settled" | "checkpoint" | "notice"
 *   | "restored"} SilentEvent what says nothing by itself
 */

/** Return the number of a game at its table, which ends its id. */
export const gameNumber = (/** @type {string} */ game) => Number(/\d*$/.exec(game)?.[0]);

/** @type {Record<string, [string, string]>} */
const SPOKEN = {
  P: ["I propose", "Je propose"],
  S: ["I play", "Je joue"],
  A: ["How many?", "Combien ?"],
  R: ["Play!", "Jouez !"],
  K: ["The king!", "Le roi !"],
  C: ["The rest is yours", "Le reste est à vous"],
  N: ["A new deal, please", "Redonnez"],
  O: ["Let it stand", "Laissez"],
  V: ["Against the rules!", "Renonce !"],
  W: ["I take it back", "Je la reprends"],
};
const COUNTS = ["None", "One card", "Two cards", "Three cards", "Four cards", "Five cards"];
const FRENCH = ["Servi", "Une carte", "Deux cartes", "Trois cartes", "Quatre cartes", "Cinq cartes"];

/**
 * Return what a player says with an action, translated and in French; null for a card.
 * @param {string} action
 * @returns {[string, string] | null}
 */
export function spokenWords(action) {
  if (action.startsWith("X")) {
    const n = (action.length - 1) / 2;
    return [t(COUNTS[n]), FRENCH[n]];
  }
  return SPOKEN[action] ? [t(SPOKEN[action][0]), SPOKEN[action][1]] : null;
}

/**
 * Return the sentence of an event, or "" if it has none; `state` is the state after it.
 * @param {Wire.Event} event
 * @param {State.Table} state
 */
export function eventText(event, state) {
  const textOf = /** @type {Record<string, EventText | undefined>} */ (EVENT_TEXTS)[event.type];
  // No one plays the deals that end a game after it was given up.
  const isEmpty = state.game?.forfeit && !["seat", "game_over", "game_void", "poule"].includes(event.type);
  return textOf && state.game && !isEmpty ? textOf(event, /** @type {Playing} */ (state)) : "";
}

/** Return what is announced of an event: points with the score. @param {Wire.Event} event @param {State.Table} state */
export function announcedText(event, state) {
  const words = eventText(event, state);
  if (event.type !== "points" || !words) return words;
  const scores = SEATS.map((seat) => `${nameOrYou(state, seat)} ${state.game?.score[seat]}`).join(", ");
  return `${words} ${scores}.`;
}

/** Bets are in the log, and one's own is confirmed below the chips; who won is heard with one's own result. */
const SILENT_EVENTS = ["bet_accepted", "game_over"];

/** Says the events of a table to a screen reader. */
export class Announcer {
  /** What is heard with the next event. @type {string[]} */
  cards = [];

  /**
   * Return what to say of an event, or ""; `state` is the state after it.
   * @param {Wire.Event} event
   * @param {State.Table} state
   */
  say(event, state) {
    const words = announcedText(event, state);
    if (!words || SILENT_EVENTS.includes(event.type)) return "";
    const isOwn = "player" in event && event.player === state.you.name;
    // The page itself leaves the seat after the viewer's game.
    if (isOwn && event.type === "seat" && event.what === "left" && state.game?.result) return "";
    this.cards.push(words);
    // Spectators hear two cards with the trick, not each by itself.
    if (event.type === "action" && isCard(event.action) && !isYou(state, "challenger")) return "";
    return this.cards.splice(0).join(" ");
  }
}

/** Return a card's label: in the middle, with how it came there. @param {Piece} piece @param {State.Table} state */
export function cardLabel({ card, kind, seat }, state) {
  if (!card) return null;
  if (kind === "turnUp") return t("Turned up: {card}.", { card: cardName(card) });
  const played = /** @type {Wire.Event} */ ({ type: "action", seat, action: card });
  return (kind === "trick" && eventText(played, state)) || cardName(card);
}

// Said: house; challenger

/** @param {{game: Seats | null}} state @param {Wire.Seat} seat */
export function nameOf({ game }, seat) {
  if (!game) return t(seat);
  return botName(game.bots, seat) || game.players[seat];
}

/** @param {State.Table} state @param {Wire.Seat} seat */
const nameOrYou = (state, seat) => (isYou(state, seat) ? t("you") : nameOf(state, seat));

/**
 * Return the name in a seat, or an invitation if it is free.
 * @param {Parameters<typeof seatsOf>[0]} state
 * @param {Wire.Seat} seat
 */
export function seatName(state, seat) {
  const seats = seatsOf(state);
  return !seats || seats.players[seat] ? nameOf({ game: seats }, seat) : t("your seat?");
}

/**
 * Return a bettor's name; a principal who covers goes by their seat.
 * @param {string} player
 * @param {Pick<State.You, "name">} you
 */
export const bettorName = (player, you) =>
  player === you.name
    ? t("you")
    : player === "house"
      ? t("the casino")
      : // A person may have the same name.
        isSimulated(player)
        ? t("{name} (bot)", { name: plainName(player) })
        : player;

/** @type {Record<string, string>} */
const VOID_REASONS = {
  challenger_left: "the challenger left",
  challenger_out_of_time: "the challenger ran out of time",
  bot_failed: "the bot failed",
  secrets_lost: "the casino could not resume this game",
  closed: "the table closes",
  operator: "the operator ended it",
  person_enters: "a person enters",
};

/** Return why a game or poule is void; an operator's own words are not translated. @param {string | null} [reason] */
export const voidReason = (reason) => t(VOID_REASONS[reason ?? ""] ?? reason ?? "");

// Said: single; double; triple; void

/** @param {number} stake */
export const gameKind = (stake) => t({ 1: "single", 2: "double", 3: "triple" }[stake] ?? "void");

/**
 * @param {string} name
 * @param {{winner: Wire.Seat, stake: number, score: Wire.BySeat<number>}} over
 * @param {boolean} [own] whether the viewer has won
 */
export function gameWonText(name, { winner, stake, score }, own = false) {
  const values = { name, kind: gameKind(stake), won: score[winner], lost: score[opponent(winner)] };
  return own
    ? t("You win the game, a {kind}: {won} to {lost}.", values)
    : t("{name} wins the game, a {kind}: {won} to {lost}.", values);
}

/**
 * @type {{[Type in Exclude<Wire.Event["type"], SilentEvent>]:
 *   (event: Wire.EventOf<Type>, state: Playing) => string}}
 */
const EVENT_TEXTS = {
  game_opened: (_event, state) =>
    t("A new game: {house} against {challenger}. Betting is open.", {
      house: nameOrYou(state, "house"),
      challenger: nameOrYou(state, "challenger"),
    }),
  bet_accepted({ player, unit_cents, side }, state) {
    const name = bettorName(player, state.you);
    const values = { name, unit: chips(unit_cents), side: nameOf(state, side) };
    if (player === state.you.name) return t("You bet {unit} on {side}.", values);
    return t(isYou(state, side) ? "{name} bets {unit} on you." : "{name} bets {unit} on {side}.", values);
  },
  betting_closed: (event) =>
    t("No more bets. {matched} are matched on each side.", {
      matched: chips(event.matched_cents ?? 0),
    }),
  dealt: ({ deal }, state) => forSeat(state, deal.dealer, SEAT_TEXTS.dealt, { n: deal.number }),
  turned_up: (event) => t("Turned up: {card}.", { card: cardName(event.card) }),
  action: (event, state) => actionText(event, state),
  trick({ taker, tricks }, state) {
    const reason = state.deal ? trickReason(state.deal) : "led";
    // The player who lays down the hand has said so.
    if (reason === "rest") return "";
    const words = forSeat(state, taker, TRICK_TEXTS[reason], { n: tricks[taker] });
    const ranks = state.deal?.shown?.cards.map(({ card }) => card?.[0]).join("") ?? "";
    const isAceBeaten = reason === "higher" && /A[JQK]|[JQK]A/.test(ranks);
    return isAceBeaten ? `${words} ${t("King, queen and jack beat the ace.")}` : words;
  },
  points: (_event, state) => pointsText(state),
  deal_over: (_event, state) =>
    state.deal?.phase === "annulled" ? t("The deal does not count: the same dealer deals again.") : "",
  game_over(event, state) {
    const won = gameWonText(nameOf(state, event.winner), event, isYou(state, event.winner));
    return [forfeitText(state), won].filter(Boolean).join(" ");
  },
  game_void: (event) =>
    t("The game is void: {reason}. Every chip goes back.", { reason: voidReason(event.reason) }),
  poule: (_, state) => pouleResultText(state),
  seat({ what, player: name }, state) {
    if (what === "defaulted") return forfeitText(state);
    const [of, own] = SEAT_TEXTS[what];
    return t(name === state.you.name ? own : of, { name });
  },
};

/** Return how the last poule ended, or "". @param {Pick<State.Table, "you" | "pouleResult">} state */
export function pouleResultText({ pouleResult: result, you }) {
  if (!result) return "";
  if ("void" in result)
    return t("The poule is void: {reason}. Every entry goes back.", { reason: voidReason(result.void) });
  const values = { name: botName({ house: result.name }), n: chips(result.pool_cents) };
  return result.name === you.name
    ? t("You have won the poule and take the pool: {n} chips.", values)
    : t("{name} has won the poule and takes the pool: {n} chips.", values);
}

/** @type {Record<string, [of: string, own: string]>} */
const TRICK_TEXTS = {
  higher: [
    "{name} takes the trick with the higher card: {n} of 5.",
    "You take the trick with the higher card: {n} of 5.",
  ],
  trump: ["{name} takes the trick with a trump: {n} of 5.", "You take the trick with a trump: {n} of 5."],
  led: [
    "{name} takes the trick with a card of the suit led: {n} of 5.",
    "You take the trick with a card of the suit led: {n} of 5.",
  ],
};
/** @type {Record<string, [of: string, own: string]>} */
const SEAT_TEXTS = {
  dealt: ["Deal {n}. {name} deals five cards each.", "Deal {n}. You deal five cards each."],
  queued: ["{name} waits for the seat.", "You wait for the seat."],
  seated: ["{name} takes the seat.", "You take the seat."],
  left: ["{name} leaves the seat.", "You leave the seat."],
  forfeit_late: ["{name} ran out of time and is out.", "Your time ran out twice: you are out."],
  forfeit_left: ["{name} left the game.", "You left the game."],
  exchange: ["{name} exchanges {number}.", "You exchange {number}."],
  shows: ["{name} shows {card} by accident.", "You show {card} by accident."],
  plays: ["{name} plays {card}.", "You play {card}."],
};

/** Return who gave the game up and why, and what else decided it, or "". @param {State.Table} state */
export function forfeitText({ game, ...rest }) {
  if (!game?.forfeit || game.phase === "void") return "";
  const state = { ...rest, game };
  const words = forSeat(state, "challenger", SEAT_TEXTS[game.forfeit.late ? "forfeit_late" : "forfeit_left"]);
  const isWon = game.result && state.scored && state.scored.reason in SCORE_REASONS;
  return isWon ? `${words} ${pointsText(state)}` : words;
}
// Sentences for actions of others and of the viewer.
/** @type {Record<string, [of: string, own: string]>} */
const ACTIONS = {
  P: ["{name} proposes to exchange cards.", "You propose to exchange cards."],
  S: [
    "{name} plays at once: if the hand is lost, the opponent scores 2.",
    "You play at once: if you lose, they score 2.",
  ],
  A: ["{name} accepts: both will exchange cards.", "You accept: both will exchange cards."],
  R: [
    "{name} refuses cards: if the hand is lost, the opponent scores 2.",
    "You refuse cards: if you lose, they score 2.",
  ],
  C: ["{name} lays down the hand.", "You lay down the hand."],
  K: ["{name} announces the king {suit}.", "You announce the king {suit}."],
  N: ["{name} asks for a new deal.", "You ask for a new deal."],
  O: ["{name} lets the exposed card stand.", "You let the exposed card stand."],
  V: [
    "{name} says that a card broke the rules: the hands are played again.",
    "You say that a card broke the rules: the hands are played again.",
  ],
  W: ["{name} takes the card back.", "You take the card back."],
};
// After an exchange, refusing costs nothing.
/** @type {Record<string, [of: string, own: string]>} */
const ACTIONS_AFTER_EXCHANGE = {
  S: ["{name} keeps these cards.", "You keep these cards."],
  R: ["{name} wants no more cards.", "You want no more cards."],
};

/**
 * Return a sentence about a seat, or about "you" if the viewer sits there.
 * @param {Pick<State.Table, "you" | "game">} state
 * @param {Wire.Seat} seat
 * @param {[of: string, own: string]} texts
 * @param {Record<string, string | number>} [values]
 */
function forSeat(state, seat, [of, own], values = {}) {
  return t(isYou(state, seat) ? own : of, { name: nameOf(state, seat), ...values });
}

/** @param {Wire.EventOf<"action">} event @param {Playing} state */
function actionText({ action, seat }, state) {
  if (action === "X") return forSeat(state, seat, ACTIONS_AFTER_EXCHANGE.S);
  if (action.startsWith("X")) {
    const [first, ...rest] = t(COUNTS[(action.length - 1) / 2]);
    return forSeat(state, seat, SEAT_TEXTS.exchange, { number: first.toLowerCase() + rest.join("") });
  }
  const texts = (state.deal?.exchanged && ACTIONS_AFTER_EXCHANGE[action]) || ACTIONS[action];
  if (texts) return forSeat(state, seat, texts, { suit: ofTrumps(state) });
  if (action.length === 3)
    return forSeat(state, seat, SEAT_TEXTS.shows, { card: playedCard(action.slice(1)) });
  return forSeat(state, seat, SEAT_TEXTS.plays, { card: playedCard(action) });
}

// Sentences for points: scored by another, by the viewer, and by another against the viewer.
/** @type {Record<string, [of: string, own: string, lost?: string]>} */
const SCORE_REASONS = {
  turned: ["{name} turned up a king: 1 point.", "You turned up a king: 1 point."],
  king: ["{name} announced the king {suit}: 1 point.", "You announced the king {suit}: 1 point."],
  refused: [
    "{loser} refused cards and lost: 2 points to {name}.",
    "{loser} refused cards and lost: 2 points to you.",
    "You refused cards and lost: 2 points to {name}.",
  ],
  bold: [
    "{loser} played at once and lost: 2 points to {name}.",
    "{loser} played at once and lost: 2 points to you.",
    "You played at once and lost: 2 points to {name}.",
  ],
  all: ["{name} takes all five tricks: {points}.", "You take all five tricks: {points}."],
  // A game ends at its last point, though all five tricks count two.
  last: [
    "{name} takes all five tricks: the point that was missing.",
    "You take all five tricks: the point that was missing.",
  ],
  unexchanged: [
    "{name} takes all five tricks without an exchange: {points} instead of 2.",
    "You take all five tricks without an exchange: {points} instead of 2.",
  ],
  most: ["{name} has {tricks} tricks: {points}.", "You have {tricks} tricks: {points}."],
};

/** @param {Playing} state */
function pointsText(state) {
  if (!state.scored) return "";
  const { seat, n, reason } = state.scored;
  const loser = opponent(seat);
  const [of, own, lost = of] = SCORE_REASONS[reason === "all" && n === 1 ? "last" : reason];
  return forSeat(state, seat, [isYou(state, loser) ? lost : of, own], {
    loser: nameOf(state, loser),
    suit: ofTrumps(state),
    points: tn("{n} point", "{n} points", { n }),
    tricks: state.deal?.tricks[seat] ?? 0,
  });
}

/** @type {Record<State.ScoreReason, string>} */
const SHORT_REASONS = {
  turned: "king turned up",
  king: "king announced",
  refused: "opponent refused cards",
  bold: "opponent did not exchange",
  all: "all five tricks",
  unexchanged: "five tricks, no exchange",
  most: "most tricks",
  late: "opponent ran out of time",
  left: "opponent left",
};

/** Return the last points of a seat and their reason, or "". @param {State.Table} state @param {Wire.Seat} seat */
export function scoredText({ scored, deal }, seat) {
  if (scored?.seat !== seat) return "";
  const [rank, suit] = deal?.turnUp ?? "";
  // The king of a deal that was not played is not known.
  const isKnown = scored.reason === "king" || (scored.reason === "turned" && rank === "K");
  const reason = t(SHORT_REASONS[scored.reason]) + (isKnown ? ` (${cardSign(`K${suit}`)})` : "");
  return t("+{n}: {reason}", { n: scored.n, reason });
}

/** @param {Playing} state */
const ofTrumps = ({ deal }) => ofSuit(deal?.turnUp?.[1] ?? "S");

/**
 * Describe the phase of a game for newcomers: a title and a sentence.
 * @param {State.Table} state
 * @returns {[title: string, words: string]}
 */
export function describePhase(state) {
  const { game, deal } = state;
  if (!state.version) return ["", ""];
  if (!game && !state.holder && !state.bot)
    return [t("The seat is free"), t("First to {n} points.", { n: state.target })];
  if (!game) return [t("Between two games"), t("The next game opens in a moment.")];
  if (game.phase === "betting") {
    if (isYou(state, "challenger"))
      return [t("You play against {name}.", { name: nameOf(state, "house") }), ""];
    return [
      t("Place your bets"),
      t("First to {n} points. {fee}% commission on winnings; unmatched chips come back.", {
        n: game.laws.target,
        fee: (game.gallery.commission_bp ?? 500) / 100,
      }),
    ];
  }
  if (game.phase === "locked") return [t("No more bets"), t("The bettors cut the pack.")];
  if (game.phase === "void") return [t("The game is void"), t("Every chip went back to its owner.")];
  if (game.result) return [forSeat(state, game.result.winner, ["{name} wins", "You win"]), ""];
  if (!deal) return [t("No more bets"), t("The sides are equal and the pack is cut: cards come next.")];
  if (deal.trick?.length === 2) return [t("The trick is complete"), ""];
  if (deal.turn && isYou(state, deal.turn)) return [t("Your turn."), ""];
  const title = PHASE_TITLES[deal.phase] ?? "";
  if (!deal.turn && title.includes("{name}")) return [t("The deal is over"), ""];
  return [t(title, { name: deal.turn ? nameOf(state, deal.turn) : "" }), ""];
}

/** @type {Record<string, string>} */
const PHASE_TITLES = {
  dealing: "The cards are dealt",
  exposed: "{name} decides",
  proposing: "{name} speaks",
  answering: "{name} answers",
  elder_exchange: "{name} exchanges",
  dealer_exchange: "{name} exchanges",
  leading: "{name} leads",
  following: "{name} follows",
  over: "The deal is over",
  annulled: "The deal does not count",
};
