/**
 * What the house says and is asked: the messages of the live line and the JSON answers.
 *
 * Seats and sides are "house" and "challenger". Cards and actions are the tokens of a game record
 * ("KH", "P", "X7H8D"; an exchange of hidden cards is "X" and "??" for each); several cards are one
 * text ("KH7S"). Amounts are whole cents.
 */

export type Seat = "house" | "challenger";
export type BySeat<T> = Record<Seat, T>;
export type Score = BySeat<number>;

export interface Laws {
  target?: number;
  play?: "strict" | "ordinary";
  vole_unexchanged?: number;
  packets?: [number, number];
  deal?: "alternate" | "house";
  first_dealer?: "cut" | "house" | "challenger";
  enforcement?: "strict" | "claims";
}

export interface GalleryLaws {
  gallery_stakes?: "game" | "single";
  matching?: "pro_rata" | "last_in_first_out";
  commission_bp?: number;
  commission_base?: "winnings" | "gross";
  principal_commission_bp?: number;
}

export interface Limits {
  least_cents: number;
  greatest_cents: number;
  bettor_cents?: number;
  side_cents?: number;
}

/** The most that the principals would add to the lesser side. */
export interface Cover {
  house_cents: number;
  challenger_cents: number;
}

export interface Bet {
  order: number;
  player: string;
  side: Seat;
  unit_cents: number;
}

/** How a bet stands, or would if the book closed now. */
export interface Stand extends Bet {
  matched_cents?: number;
}

/** What a bet, or a principal's stake, came to. */
export interface Outcome {
  order: number;
  player: string;
  side: Seat;
  matched_cents: number;
  gain_cents: number;
  commission_cents: number;
}

export interface Book {
  totals_cents?: [house: number, challenger: number];
  matched_cents?: number;
  closed?: boolean;
  cover?: Cover | null;
}

/** A deal as one receiver may see it. */
export interface Deal {
  number: number;
  dealer: Seat;
  turn?: Seat | null;
  turn_up?: string | null;
  score?: Score;
  tricks?: Score;
  stock?: number;
  sizes?: Score;
  hands?: Partial<BySeat<string | string[]>>;
  exposed?: string;
  led?: string | null;
  actions?: string[];
}

/** A finished game on a table's road; stake 1, 2 or 3, and 0 if it was void. */
export interface Mark {
  game: string;
  winner: Seat | null;
  stake: number;
}

export interface NewGame {
  game: string;
  commitment: string;
  /** The table's chain of seeds, and which of its seeds is committed to. */
  chain?: number;
  number?: number;
  players: BySeat<string>;
  /** The bots of the seats that no person holds. */
  bots?: Partial<BySeat<string>>;
  laws?: Laws;
  gallery?: GalleryLaws;
  limits?: Limits;
  stake_cents?: number;
  cover?: Cover | null;
  /** The bots of the table, and who holds the seat. */
  house?: string;
  challenger?: string;
  holder?: string;
}

/** A sealed text for the cut. */
export interface Seal {
  /** Which of the game's seals it is, from 1. */
  number: number;
  player: string;
}

/** A bet, with the number of the text sealed with it. */
export interface NewlyBet extends Bet {
  seal_number?: number | null;
}

/** What a lock has fixed. */
export interface Locked {
  bets: number;
  seals: number;
  cover?: Cover | null;
}

/** What happened at a table; the versions of a table's events grow by one. */
export type Event = { table: string; version: number; game?: string | null; seconds?: number | null } & (
  | ({ type: "game_opened"; game: string } & NewGame)
  | ({ type: "cut" } & Seal)
  | ({ type: "bet_accepted" } & NewlyBet)
  /** In a crowd with new_bets and new_cuts, instead of single events for each. */
  | ({ type: "book"; new_bets?: NewlyBet[]; new_cuts?: Seal[] } & Book)
  | ({ type: "book_locked"; proof?: string } & Locked & Book)
  | { type: "cuts_opened"; opened: number; seals?: number }
  | ({
      type: "betting_closed";
      bets: Stand[];
      opened?: number[];
      withheld?: number[];
      /** Orders of bets given back. */
      returned?: number[];
      cut: string;
      first_dealer: Seat;
    } & Book)
  | { type: "dealt"; deal: Deal }
  | { type: "turned_up"; card: string; turn?: Seat | null }
  /** `deal` only after an action that takes play back. */
  | { type: "action"; seat: Seat; action: string; turn?: Seat | null; deal?: Deal; revoked?: Seat[] }
  | { type: "trick"; taker: Seat; tricks: Score }
  | { type: "points"; score: Score }
  /** The hands as they were when play began, once they may be shown. */
  | { type: "deal_over"; score: Score; tricks: Score; hands?: BySeat<string | string[]> }
  | { type: "game_over"; winner: Seat; score: Score; stake: number; server_seed: string; cuts?: number }
  | { type: "settled"; bets: Outcome[]; principals?: Outcome[] }
  | { type: "game_void"; reason: string; server_seed?: string | null }
  | { type: "seat"; player?: string; what?: SeatChange; holder?: string; queue?: string[] }
  | { type: "checkpoint"; note: string }
  /** Whether bets are taken at all; if not, whether it is because the house is away. */
  | { type: "notice"; taking: boolean; away?: boolean }
  /** After a fault of its disk the house has read the table from its log again. */
  | { type: "restored" }
);
export type SeatChange = "queued" | "seated" | "left" | "defaulted";
export type EventOf<Type extends Event["type"]> = Extract<Event, { type: Type }>;

/** Why a card may not be played. */
export interface WhyNot {
  code?: string;
  message: string;
  reason?: string;
  article?: string;
  values?: Record<string, string | number>;
}

/** What only one person may know: any part of it. */
export interface You {
  table?: string;
  name?: string;
  balance_cents?: number | null;
  /** Own bets on the running game. */
  bets?: Stand[];
  game?: string;
  /** What has become of the own text in the running game's cut. */
  text?: "" | "sealed" | "opened" | "counted" | "missed";
  version?: number;
  hand?: string[];
  legal?: string[];
  why?: Record<string, WhyNot>;
  seconds?: number | null;
}

/** All that a newcomer to a table has to know; what begins with `game` only while a game runs. */
export interface Snapshot extends Partial<NewGame>, Book {
  table: string;
  version: number;
  taking?: boolean;
  away?: boolean;
  seconds?: number | null;
  house?: string;
  /** The bot that plays if no person holds the seat. */
  challenger?: string;
  holder?: string;
  queue?: string[];
  road?: Mark[];
  seals?: Seal[];
  locked?: Locked | null;
  /** The proof of the lock. */
  proof?: string;
  cuts_opened?: number;
  opened?: number[];
  withheld?: number[];
  cut?: string;
  bets?: Stand[];
  deal?: Deal | null;
}

export interface Refusal extends WhyNot {
  ok: false;
  code: string;
}
export type Answer<T> = ({ ok: true } & T) | Refusal;

export interface Joined {
  version: number;
  snapshot?: Snapshot;
  events?: Event[];
  chance?: Chance;
  /** With events: whether bets are taken at all. */
  taking?: boolean;
  away?: boolean;
  you?: You;
}
export interface Versioned {
  version: number;
}
export interface BetPlaced extends Versioned {
  bet?: Stand & { seal_number?: number | null };
  order?: number;
}

export interface NewBet {
  table: string;
  game: string;
  bet_id: string;
  side: Seat;
  unit_cents: number;
  /** With the first bet: the seal of the bettor's text. */
  seal?: string;
}

/** What a client sends, and what it is answered. */
export interface Requests {
  join: [{ table: string; since?: number }, Joined];
  cut: [{ table: string; game: string; seal: string }, Versioned & { seal_number: number }];
  open_cut: [{ table: string; game: string; text: string }, Versioned];
  place_bet: [NewBet, BetPlaced];
  take_seat: [{ table: string }, Versioned];
  leave_seat: [{ table: string }, Versioned];
  act: [{ table: string; version: number; action: string }, Versioned];
  more_time: [{ table: string }, Versioned & { seconds: number | null }];
  say: [{ table: string; phrase: Said["phrase"] }, Versioned];
}

/** How likely a side is to win, and so high; the fair odds to one; what a bet of a unit is worth. */
export interface Prospect {
  win: number;
  single: number;
  double: number;
  triple: number;
  odds: number | null;
  units: number;
}

/** Both sides' chances at a version of a table; none while no game runs. How many look on. */
export interface Chance {
  table: string;
  version: number;
  game: string | null;
  chance: BySeat<Prospect> | null;
  watching: number;
}

/** A phrase that somebody at the table says, as everybody hears it. */
export interface Said {
  table: string;
  player: string;
  phrase: "applause" | "well_played" | "good_luck" | "what_luck" | "hard_luck" | "close_one" | "thanks";
}

/** A game of practice as its browser keeps it: its number and what the person did. */
export interface NewPractice {
  number: string;
  house: string;
  actions: string[];
  since?: number;
}

/** What was told of a game of practice, and, after which versions, what only the person may see. */
export interface Practised {
  version: number;
  snapshot?: Snapshot;
  events: Event[];
  yous: You[];
  over: boolean;
}

/** The best choice, and the chance to win the game after each. */
export interface Hint {
  best: string;
  options: Record<string, number>;
}

/** A table in a line of the lobby; what begins with `challenger` only while a game runs. */
export interface Summary {
  table: string;
  house: string;
  stake_cents: number;
  limits: Limits;
  road: Mark[];
  watching: number;
  game: string | null;
  challenger: string;
  phase: "betting" | "opening" | "playing";
  score: Score | null;
  deal: number;
  bets: number;
}

/** A finished game in one line; `void` says why it does not count, if it does not. */
export interface GameLine extends Mark {
  table: string;
  at: number;
  players: BySeat<string>;
  score: Score | null;
  /** How many texts cut it. */
  cuts: number;
  void: string | null;
}

/** The record of a game. */
export interface Rec {
  game: string;
  players: BySeat<string>;
  laws: Laws;
  first_dealer: Seat;
  deals: { dealer: Seat; deck: string; actions: string }[];
  result: { winner: Seat | null; stake: number; score: Score };
  fairness: {
    server_seed: string;
    commitment: string;
    chain: number;
    number: number;
    cut: string;
    cuts: [player: string, text: string][];
    withheld: string[];
  };
}

/** How a bet stood: order, player, side, unit, matched. */
export type StandRow = [number, string, Seat, number, number];
/** What a bet came to: order, player, side, matched, escrow, gain, commission. */
export type OutcomeRow = [number, string, Seat, number, number, number, number];

/** A finished game: its record with the fairness, its terms, its book, and what was paid. */
export interface FinishedGame extends Omit<GameLine, "cuts"> {
  record: Rec;
  opened: { commitment: string; chain: number; number: number };
  terms: { gallery: GalleryLaws; stake_cents: number; from_game: number };
  seals: (Seal & { seal: string })[];
  bets: Bet[];
  book_locked: (Locked & { cover: Cover }) | null;
  betting_closed: { stands: StandRow[]; opened: number[]; withheld: number[] } | null;
  settled: { bets: OutcomeRow[]; principals: OutcomeRow[] } | null;
  /** What the game's entries moved on each account in all, as the log has it. */
  paid: Record<string, number>;
}

/** A finished game told again: the table before it, its messages, both hands after each. */
export interface Retold {
  snapshot: Snapshot;
  steps: { message: Event; hands: Partial<BySeat<string>> }[];
}

/** A decision reviewed: the chance to win the game after it, after the best, after every option. */
export interface Decision {
  deal: number;
  /** Its place among the actions of the deal, from 1. */
  token: number;
  seat: Seat;
  action: string;
  chance: number;
  best: string;
  best_chance: number;
  cost: number;
  options: Record<string, number>;
}

/** A finished game reviewed. */
export interface Reviewed {
  decisions: Decision[];
  given_away: Score;
}

/** A hand in the chart: against how many hands it takes 0 to 5 tricks, what is said with it. */
export interface Charted {
  hand: string;
  turn_up: string;
  hands: number;
  opponents: number;
  elder: number[];
  dealer: number[];
  stands: boolean;
  refuses: boolean;
  words: { elder: number; dealer: number; proposes: number; accepts: number }[];
}

export interface Tally {
  won: number;
  lost: number;
}
export interface Leader extends Tally {
  player: string;
}
/** How many games are counted, and whether more are to be counted. */
export interface Counted {
  games: number;
  more: boolean;
}
export interface Leaders extends Counted {
  challengers: Leader[];
  backers: Leader[];
}
/** What a bot of the house did against another; against all people if that is null. */
export interface Pairing extends Tally {
  house: string;
  challenger: string | null;
}
export interface FinalScore extends Score {
  games: number;
}
export interface Statistics extends Counted {
  void: number;
  pairs: Pairing[];
  scores: FinalScore[];
  stakes: number[];
  /** After so many games the house had won so many. */
  course: [games: number, won: number][];
}
/** A game that a player played or bet on. */
export interface Attended {
  game: string;
  at: number;
  did: "played" | "backed";
  side: Seat;
  house: string;
  challenger: string;
  winner: Seat | null;
  stake: number;
}
export interface PublicPlayer extends Counted {
  player: string;
  played: Tally;
  backed: Tally;
  against: (Tally & { bot: string })[];
  stakes: number[];
  last: Attended[];
}

/** What a person allows himself; 0: no limit. */
export interface OwnLimits {
  day_stake_cents: number;
  day_loss_cents: number;
  break_until_ms: number;
}

export interface Me {
  name: string;
  balance_cents: number;
  limits: OwnLimits;
  refill_below_cents: number;
}

export interface Change {
  at_ms: number;
  move: string;
  game: string;
  cents: number;
  balance_cents: number;
}

export interface BetLine extends Bet {
  game: string;
  result: string;
  matched_cents: number | null;
  gain_cents: number;
  commission_cents: number;
}

export interface Statement {
  player: string;
  balance_cents: number;
  escrow_cents: number;
  /** Where chips are still at risk. */
  open_games: string[];
  changes: Change[];
  bets: BetLine[];
}
