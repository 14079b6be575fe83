/** The state of a table on a page: its messages folded (table_state.js). */

import type {
  BySeat,
  Cover,
  Event,
  EventOf,
  GalleryLaws,
  GameResult,
  Laws,
  Limits,
  MatchedBet,
  Odds,
  Outcome,
  Poule,
  Reason,
  Score,
  Seal,
  Seat,
} from "./messages";

/** A place for a card that the viewer may not see; its id stays while the card lies there. */
export type Slot = { id: string; card: string | null };

/** A card that has left a hand. */
export interface Played extends Slot {
  seat: Seat;
}

export interface Deal {
  number: number;
  dealer: Seat;
  turnUp: string | null;
  stock: number;
  turn: Seat | null;
  /** Phase, for the words under the table (card_moves.js). */
  phase: string;
  exchanged?: boolean;
  over: { hands?: BySeat<string[]> | undefined } | null;
  hands: BySeat<Slot[]>;
  /** Discarded cards. */
  away: Played[];
  tricks: Score;
  taken: BySeat<Played[]>;
  trick: Played[];
  /** The trick just taken, while it lies in the middle. */
  shown?: { taker: Seat; cards: Played[] } | null;
  /** The vulnerable seat: it refused the first exchange and pays two points if it loses. */
  bold?: Seat | null;
  /** The viewer's own exchange, until its cards are known. */
  exchanging?: { seat: Seat; tokens: string[] } | null;
}

export interface Totals {
  house_cents: number;
  challenger_cents: number;
  matched_cents: number;
  cover: Cover | null;
}

export interface Game {
  id: string;
  commitment: string;
  players: BySeat<string>;
  bots: Partial<BySeat<string>>;
  laws: Laws & { target: number };
  gallery: GalleryLaws;
  limits: Partial<Limits>;
  stake_cents: number;
  phase: "betting" | "locked" | "closed" | "playing" | "over" | "void";
  seals: Seal[];
  cutsOpened: number;
  withheld: number[];
  bets: MatchedBet[];
  book: Totals;
  score: Score;
  result: { winner: Seat; stake: number; score: Score } | null;
  settled: { bets: Outcome[]; principals: Outcome[] } | null;
  /** Who gave the game up, whether by running out of time, and the score then. */
  forfeit?: { player: string; late: boolean; score: Score };
}

export interface You {
  name: string;
  balance_cents: number | null;
  hand: string[];
  legal: string[];
  why: Record<string, Reason>;
  /** State of the own contribution to the shuffle. */
  text: NonNullable<import("./messages").You["text"]>;
  version: number;
}

type Forfeit = "late" | "left";
export type ScoreReason = "turned" | "king" | "refused" | "bold" | "all" | "unexchanged" | "most" | Forfeit;

export interface Table {
  table: string;
  version: number;
  /** The house bot. */
  house: string;
  /** The bot that plays if no person holds the seat. */
  bot: string;
  /** The points that win the next game. */
  target: number;
  limits: Partial<Limits>;
  holder: string;
  queue: string[];
  road: GameResult[];
  /** Whether bets are taken. */
  taking: boolean;
  /** Whether the house is away, so that nothing happens. */
  away: boolean;
  game: Game | null;
  deal: Deal | null;
  you: You;
  /** The last words spoken. */
  scored: { seat: Seat; n: number; reason: ScoreReason } | null;
  said: { seat: Seat; action: string; version: number } | null;
  /** Both sides' odds, as last sent. */
  chance: Odds | null;
  /** The running poule, and how the last one ended until the next one opens. */
  poule: Poule | null;
  pouleResult: EventOf<"poule">["result"];
  /** The type of the last event. */
  last: Event["type"] | "";
  /** When the current clock ends, by the browser's time, and its full length in seconds. */
  endsAt?: number | null;
  lasts?: number;
}
