// What happened, in one plain sentence: for the caption, the log and the screen reader. Pure.

import { cardName, playedCard, suitName } from "./cards.js";
import { chips, t, tn } from "./i18n.js";

/** @import { Event, EventOf, Seat } from "./messages" */
/** @import { Game, Table, You } from "./table" */
/**
 * @typedef {Table & {game: Game}} Playing
 * @typedef {(event: Event, state: Playing, before?: Table) => string} Tell
 */

/** @type {Record<string, [string, string]>} */
const SPOKEN = {
  P: ["I propose", "Je propose"],
  S: ["I play", "Je joue"],
  A: ["How many?", "Combien ?"],
  R: ["Play!", "Jouez !"],
  K: ["The king!", "Le roi !"],
  C: ["The rest is yours", "Le reste est à vous"],
  N: ["A new deal, please", "Redonnez"],
  O: ["Let it stand", "Laissez"],
  V: ["A revoke!", "Renonce !"],
  W: ["I take it back", "Je la reprends"],
};
const COUNTS = ["None", "One card", "Two cards", "Three cards", "Four cards", "Five cards"];
const FRENCH = ["Servi", "Une carte", "Deux cartes", "Trois cartes", "Quatre cartes", "Cinq cartes"];

/**
 * What a player says with an action, here and in French; nothing for a card played.
 * @param {string} action
 * @returns {[string, string] | null}
 */
export function spoken(action) {
  if (action.startsWith("X")) {
    const n = (action.length - 1) / 2;
    return [t(COUNTS[n]), FRENCH[n]];
  }
  return SPOKEN[action] ? [t(SPOKEN[action][0]), SPOKEN[action][1]] : null;
}

/**
 * One sentence for an event, or "" for one that says nothing by itself; `before` it, `state` after.
 * @param {Event} event
 * @param {Table} state
 * @param {Table} [before]
 * @returns {string}
 */
export function sentence(event, state, before) {
  const tell = /** @type {Tell | undefined} */ (TELL[event.type]);
  return tell && state.game ? tell(event, { ...state, game: state.game }, before) : "";
}

// Said: house; challenger; the {house|challenger}

/**
 * What a person called; the house's bot and the challenger by their names.
 * @param {Pick<Table, "game">} state
 * @param {Seat} seat
 */
export function nameOf(state, seat) {
  return state.game?.players[seat] ?? t(seat);
}

/**
 * What a bettor is called; a principal who covers by his seat.
 * @param {string} player
 * @param {Pick<You, "name">} you
 */
export function bettorName(player, you) {
  return player === you.name ? t("you") : player === "house" ? t("the house") : player;
}

/** @type {Record<string, string>} */
const VOID = {
  challenger_left: "the challenger left",
  challenger_out_of_time: "the challenger ran out of time",
  bot_failed: "the bot failed",
  secrets_lost: "the seed or the cards of this game are lost",
};

/**
 * Why a game is void; an operator's own words stay as they are.
 * @param {string | null} [reason]
 */
export function voidReason(reason) {
  const known = reason ? VOID[reason] : "";
  return known ? t(known) : (reason ?? "");
}

// Said: single; double; triple; void

/**
 * Single, double or triple.
 * @param {number} stake
 */
export function gameKind(stake) {
  return t({ 1: "single", 2: "double", 3: "triple" }[stake] ?? "void");
}

/**
 * @type {{[Type in Event["type"]]?: (event: EventOf<Type>, state: Playing, before?: Table) => string}}
 */
const TELL = {
  game_opened: (_event, state) =>
    t("A new game: {house} against {challenger}. The book is open.", {
      house: nameOf(state, "house"),
      challenger: nameOf(state, "challenger"),
    }),
  bet_accepted: ({ player, unit_cents, side }) =>
    t("{name} bets {unit} on {side}.", {
      name: player,
      unit: chips(unit_cents),
      side: t(`the ${side}`),
    }),
  betting_closed: (event) =>
    t("No more bets. {matched} are matched on each side.", {
      matched: chips(event.matched_cents ?? 0),
    }),
  dealt: (event, state) =>
    t("Deal {n}. {name} deals five cards each.", {
      n: event.deal.number,
      name: nameOf(state, event.deal.dealer),
    }),
  turned_up: (event) =>
    t("Turned up: {card}. Trumps are {suit}.", {
      card: cardName(event.card),
      suit: suitName(event.card[1]),
    }),
  action: (event, state) => acted(event, state),
  trick: (event, state) =>
    t("{name} takes the trick: {house} to {challenger}.", {
      name: nameOf(state, event.taker),
      ...event.tricks,
    }),
  points: (event, state, before) => scored(event, state, before),
  deal_over: (_event, state) =>
    state.deal?.phase === "annulled" ? t("The deal is annulled: the same dealer deals again.") : "",
  game_over: (event, state) =>
    t("{name} wins the game, a {kind}: {house} to {challenger}.", {
      name: nameOf(state, event.winner),
      kind: gameKind(event.stake),
      ...event.score,
    }),
  game_void: (event) =>
    t("The game is void: {reason}. Every chip goes back.", { reason: voidReason(event.reason) }),
  seat: (event) => (event.player ? t(SEAT[event.what ?? ""] ?? "", { name: event.player }) : ""),
};
/** @type {Record<string, string>} */
const SEAT = {
  queued: "{name} waits for the seat.",
  seated: "{name} takes the seat.",
  left: "{name} leaves the seat.",
  defaulted: "{name} gives the game up.",
};
/** @type {Record<string, string>} */
const ACTED = {
  P: "{name} proposes to exchange cards.",
  S: "{name} plays without exchanging.",
  A: "{name} accepts: both will exchange cards.",
  R: "{name} refuses: the cards are played as they are.",
  K: "{name}: The king!",
  C: "{name} lays down the hand.",
  N: "{name} asks for a new deal.",
  O: "{name} lets the exposed card stand.",
  V: "{name} claims a revoke: the hands are played again.",
  W: "{name} takes the card back.",
};

/**
 * @param {EventOf<"action">} event
 * @param {Playing} state
 */
function acted({ action, seat }, state) {
  const name = nameOf(state, seat);
  if (action.startsWith("X")) {
    return t("{name} exchanges: {number}.", { name, number: t(COUNTS[(action.length - 1) / 2]) });
  }
  if (ACTED[action]) return t(ACTED[action], { name });
  if (action.length === 3)
    return t("{name} shows {card} by accident.", { name, card: playedCard(action.slice(1)) });
  return t("{name} plays {card}.", { name, card: playedCard(action) });
}

/**
 * @param {EventOf<"points">} event
 * @param {Playing} state
 * @param {Table} [before]
 */
function scored({ score }, state, before) {
  const old = before?.game?.score ?? score;
  const seat = score.house > old.house ? "house" : "challenger";
  const values = { name: nameOf(state, seat), n: score[seat] - old[seat] };
  if (before?.last === "turned_up") return t("{name} turned a king: 1 point.", values);
  if (before?.said?.action === "K" && before.last === "action")
    return t("{name} marks the king of trumps: 1 point.", values);
  return values.n > 0
    ? tn("{name} scores {n} point for the tricks.", "{name} scores {n} points for the tricks.", values)
    : "";
}

/**
 * What is going on, for who has never seen the game: a title and one sentence.
 * @param {Table} state
 * @returns {[title: string, words: string]}
 */
export function explain(state) {
  const { game, deal } = state;
  if (!state.version) return ["", ""];
  if (!game && !state.holder && !state.bot)
    return [t("The seat is free"), t("Nobody is challenging the house: take the seat to start a game.")];
  if (!game) return [t("Between two games"), t("The next game opens in a moment.")];
  if (game.phase === "betting") {
    return [
      t("Place your bets"),
      t("Back the house or the challenger. First to {n} points wins the game.", {
        n: game.laws.target ?? 5,
      }),
    ];
  }
  if (game.phase === "locked")
    return [t("No more bets"), t("The book is locked: the sealed texts that cut the pack are opened.")];
  if (game.phase === "void") return [t("The game is void"), t("Every chip went back to its owner.")];
  if (game.result) {
    const { winner, stake } = game.result;
    return [t("{name} wins", { name: nameOf(state, winner) }), t(KIND[stake])];
  }
  if (!deal) return [t("The book is closed"), t("Both sides are matched, the pack is cut: cards come next.")];
  if (deal.trick?.length === 2)
    return [t("The trick is complete"), t("The higher card of the suit led takes it, unless a trump does.")];
  const [title, words] = PHASES[deal.exchanged ? LATER[deal.phase] : deal.phase] ??
    PHASES[deal.phase] ?? ["", ""];
  if (!deal.turn && title.includes("{name}")) return [t("The deal is over"), ""];
  const name = deal.turn ? nameOf(state, deal.turn) : "";
  return [t(title, { name }), t(words)];
}

/** @type {Record<number, string>} */
const KIND = {
  1: "A single game: the loser has 3 points or more and pays the stake once.",
  2: "A double game: the loser has only 1 or 2 points and pays the stake twice.",
  3: "A triple game: the loser has no point at all and pays the stake three times.",
};
/**
 * The first proposal has its price (R3.7), those after an exchange are free.
 * @type {Record<string, string>}
 */
const LATER = { proposing: "proposing_again", answering: "answering_again" };
/** @type {Record<string, [string, string]>} */
const PHASES = {
  dealing: ["The cards are dealt", "Five cards each; the next one is turned up and makes trumps."],
  exposed: ["{name} decides", "A card was shown by accident: a new deal, or let it stand?"],
  proposing: [
    "{name} speaks",
    "Propose to exchange cards, or play at once? If you play at once and lose, it costs 2 points.",
  ],
  answering: [
    "{name} answers",
    "Accept, and both exchange cards; or refuse, and play. If you refuse at once and lose, it costs 2 points.",
  ],
  proposing_again: [
    "{name} speaks",
    "Propose to exchange once more, or play? After an exchange, playing costs nothing extra.",
  ],
  answering_again: [
    "{name} answers",
    "Accept, and both exchange once more; or refuse, and play. After an exchange, refusing costs nothing extra.",
  ],
  elder_exchange: ["{name} exchanges", "One to five cards are discarded for as many new ones."],
  dealer_exchange: ["{name} exchanges", "One to five cards are discarded for as many new ones."],
  leading: ["{name} leads", "Any card may be led. Three of the five tricks score 1 point, all five 2."],
  following: ["{name} follows", "Follow suit and win if possible; without the suit, trump; else any card."],
  over: ["The deal is over", "The next deal follows; the other player deals."],
  annulled: ["The deal is annulled", "The same dealer deals again."],
};
