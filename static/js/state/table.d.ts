/** What a page knows of a table: its messages folded (table_state.js), and drawn by all the others. */

import type {
  BySeat,
  Chance,
  Cover,
  Event,
  GalleryLaws,
  Laws,
  Limits,
  Locked,
  Mark,
  Outcome,
  Score,
  Seal,
  Seat,
  Stand,
  WhyNot,
} from "./messages";

/** A place for a card, which the viewer may or may not see; its id stays as long as the card lies there. */
export interface Slot {
  id: string;
  card: string | null;
}

/** A card that has left a hand. */
export interface Played extends Slot {
  seat: Seat;
  /** Whether the viewer saw it before. */
  known?: boolean;
}

export interface Deal {
  number: number;
  dealer: Seat;
  /** The score with which it began. */
  began: Score;
  turnUp: string | null;
  stock: number;
  turn: Seat | null;
  /** The stage, for the words under the table (card_moves.js). */
  phase: string;
  exchanged?: boolean;
  over: { hands?: BySeat<string[]> | undefined } | null;
  hands: BySeat<Slot[]>;
  /** Cards laid away. */
  away: Played[];
  /** How many cards have been drawn from the stock. */
  drawn: number;
  tricks: Score;
  taken: BySeat<Played[]>;
  trick: Played[];
  /** The trick just taken, as long as it lies in the middle. */
  shown?: { taker: Seat; cards: Played[] } | null;
  /** The seat that would not exchange when it was asked first: if it loses, that costs two points. */
  bold?: Seat | null;
  /** An exchange of the viewer's own, whose cards are not told yet. */
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
  laws: Laws;
  gallery: GalleryLaws;
  limits: Partial<Limits>;
  stake_cents: number;
  phase: "betting" | "locked" | "closed" | "playing" | "over" | "void";
  seals: Seal[];
  locked: (Partial<Locked> & { proof: string }) | null;
  cutsOpened: number;
  opened: number[];
  withheld: number[];
  cut: string;
  bets: Stand[];
  book: Totals;
  first_dealer?: Seat;
  score: Score;
  result: { winner: Seat; stake: number; score: Score } | null;
  settled: { bets: Outcome[]; principals: Outcome[] } | null;
  reason?: string;
}

export interface You {
  name: string;
  balance_cents: number | null;
  bets: Stand[];
  hand: string[];
  legal: string[];
  why: Record<string, WhyNot>;
  /** What has become of the own text in the running game's cut. */
  text: NonNullable<import("./messages").You["text"]>;
  version: number;
}

export interface Table {
  table: string;
  version: number;
  /** The bot in the house's seat. */
  house: string;
  /** The bot that plays if no person holds the seat. */
  bot: string;
  limits: Partial<Limits>;
  holder: string;
  queue: string[];
  road: Mark[];
  /** Whether bets are taken at all. */
  taking: boolean;
  /** Whether the house is away, so that nothing happens until it is back. */
  away: boolean;
  game: Game | null;
  deal: Deal | null;
  you: You;
  /** The last words spoken. */
  said: { seat: Seat; action: string; version: number } | null;
  checkpoint: string | null;
  /** Both sides' chances to win the running game, when the house last told them. */
  chance: Chance | null;
  /** The type of the last event. */
  last: Event["type"] | "";
  /** When the clock that runs is over, by the browser's own, and how many seconds it had at first. */
  endsAt?: number | null;
  lasts?: number;
}
