/**
 * Messages of the live connection and answers of the JSON API.
 *
 * Seats and sides are "house" and "challenger". Cards and actions are the tokens of a game record ("KH", "P",
 * "X7H8D"; "??" for each card of a hidden exchange); several cards are one text ("KH7S"). Amounts are whole
 * cents.
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

/** The most that the principals would add to the smaller side. */
export type Cover = { house_cents: number; challenger_cents: number };

export type Bet = { order: number; player: string; side: Seat; unit_cents: number };

/** A bet with its matched part, or what that would be if betting closed now. */
export type MatchedBet = Bet & { matched_cents?: number };

/** The result of a bet or of a principal's stake. */
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

/** A finished game in a table's history; stake 1, 2 or 3, or 0 if void. */
export type GameResult = { game: string; winner: Seat | null; stake: number };

export interface NewGame {
  game: string;
  commitment: string;
  /** The table's seed chain, and the number of the committed seed in it. */
  chain?: number;
  number?: number;
  players: BySeat<string>;
  /** Bots of the seats that no person holds. */
  bots?: Partial<BySeat<string>>;
  laws?: Laws;
  gallery?: GalleryLaws;
  limits?: Limits;
  stake_cents?: number;
  cover?: Cover | null;
  /** The table's bots, and who holds the seat. */
  house?: string;
  challenger?: string;
  holder?: string;
}

/** A commitment to a contribution to the shuffle. */
export interface Seal {
  /** Its number among the game's commitments, from 1. */
  number: number;
  player: string;
}

/** A bet with the number of the commitment made with it. */
export type AcceptedBet = Bet & { seal_number?: number | null };

/** What the lock of the book has fixed. */
export type Locked = { bets: number; seals: number; cover?: Cover | null };

/** What happened at a table; versions increase by one. */
export type Event = { table: string; version: number; game?: string | null; seconds?: number | null } & (
  | ({ type: "game_opened"; game: string } & NewGame)
  | ({ type: "cut" } & Seal)
  | ({ type: "bet_accepted" } & AcceptedBet)
  /** Replaces single events when many bets arrive at once. */
  | ({ type: "book"; new_bets?: AcceptedBet[]; new_cuts?: Seal[] } & Book)
  | ({ type: "book_locked"; proof?: string } & Locked & Book)
  | { type: "cuts_opened"; opened: number; seals?: number }
  | ({
      type: "betting_closed";
      bets: MatchedBet[];
      opened?: number[];
      withheld?: number[];
      /** Orders of returned bets. */
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
  /** The hands at the beginning of play, once they may be shown. */
  | { type: "deal_over"; score: Score; tricks: Score; hands?: BySeat<string | string[]> }
  | { type: "game_over"; winner: Seat; score: Score; stake: number; server_seed: string; cuts?: number }
  | { type: "settled"; bets: Outcome[]; principals?: Outcome[] }
  | { type: "game_void"; reason: string; server_seed?: string | null }
  | { type: "seat"; player?: string; what?: SeatChange; holder?: string; queue?: string[] }
  | { type: "checkpoint"; note: string }
  /** Whether bets are taken; if not, whether the house is away. */
  | { type: "notice"; taking: boolean; away?: boolean }
  /** The server has reread the table from its log after a disk fault. */
  | { type: "restored" }
);
export type SeatChange = "queued" | "seated" | "left" | "defaulted";
export type EventOf<Type extends Event["type"]> = Extract<Event, { type: Type }>;

/** Why a card may not be played. */
export interface Reason {
  code?: string;
  message: string;
  reason?: string;
  article?: string;
  values?: Record<string, string | number>;
}

/** Private state of one person; any subset of it. */
export interface You {
  table?: string;
  name?: string;
  balance_cents?: number | null;
  /** Own bets on the current game. */
  bets?: MatchedBet[];
  game?: string;
  /** State of the own contribution to the shuffle. */
  text?: "" | "sealed" | "opened" | "counted" | "missed";
  version?: number;
  hand?: string[];
  legal?: string[];
  why?: Record<string, Reason>;
  seconds?: number | null;
}

/** Everything a new viewer needs; the part from `game` on only while a game runs. */
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
  road?: GameResult[];
  seals?: Seal[];
  locked?: Locked | null;
  /** Proof of the lock. */
  proof?: string;
  cuts_opened?: number;
  opened?: number[];
  withheld?: number[];
  cut?: string;
  bets?: MatchedBet[];
  deal?: Deal | null;
}

export type Refusal = Reason & { ok: false; code: string };
export type Answer<T> = ({ ok: true } & T) | Refusal;

export interface Joined {
  version: number;
  snapshot?: Snapshot;
  events?: Event[];
  chance?: Odds;
  /** With events: whether bets are taken. */
  taking?: boolean;
  away?: boolean;
  you?: You;
}
export type Versioned = { version: number };
export type BetPlaced = Versioned & { bet?: MatchedBet & { seal_number?: number | null }; order?: number };

export interface BetRequest {
  table: string;
  game: string;
  bet_id: string;
  side: Seat;
  unit_cents: number;
  /** With the first bet: the bettor's commitment. */
  seal?: string;
}

/** Messages a client sends, with their answers. */
export interface Requests {
  join: [{ table: string; since?: number }, Joined];
  cut: [{ table: string; game: string; seal: string }, Versioned & { seal_number: number }];
  open_cut: [{ table: string; game: string; text: string }, Versioned];
  place_bet: [BetRequest, BetPlaced];
  take_seat: [{ table: string }, Versioned];
  start: [{ table: string; game: string }, Versioned];
  leave_seat: [{ table: string }, Versioned];
  act: [{ table: string; version: number; action: string }, Versioned];
  more_time: [{ table: string }, Versioned & { seconds: number | null }];
  say: [{ table: string; phrase: ChatMessage["phrase"] }, Versioned];
}

/** Probabilities of winning and of each stake; fair odds to one; expected value of one unit. */
export interface SideOdds {
  win: number;
  single: number;
  double: number;
  triple: number;
  odds: number | null;
  units: number;
}

/** Both sides' odds at a version of a table, null while no game runs; and the number of watchers. */
export interface Odds {
  table: string;
  version: number;
  game: string | null;
  chance: BySeat<SideOdds> | null;
  watching: number;
}

/** A chat phrase. */
export interface ChatMessage {
  table: string;
  player: string;
  phrase: "applause" | "well_played" | "good_luck" | "what_luck" | "hard_luck" | "close_one" | "thanks";
}

/** A practice game as its browser keeps it: its number and the person's actions. */
export type PracticeRequest = { number: string; house: string; actions: string[]; since?: number };

/** Messages of a practice game, and the private states by version. */
export type PracticeUpdate = {
  version: number;
  snapshot?: Snapshot;
  events: Event[];
  yous: You[];
  over: boolean;
};

/** The best choice, and the win probability of each. */
export type Hint = { best: string; options: Record<string, number> };

/** A table in the lobby; the fields from `challenger` on only while a game runs. */
export interface Summary {
  table: string;
  house: string;
  stake_cents: number;
  limits: Limits;
  road: GameResult[];
  watching: number;
  game: string | null;
  challenger: string;
  phase: "betting" | "opening" | "playing";
  score: Score | null;
  deal: number;
  bets: number;
}

/** A finished game in a list; `void` is the reason if it is void. */
export interface GameLine extends GameResult {
  table: string;
  at: number;
  players: BySeat<string>;
  score: Score | null;
  /** How many contributions shuffled it. */
  cuts: number;
  void: string | null;
}

/** The record of a game. */
export interface GameRecord {
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

/** A matched bet: order, player, side, unit, matched. */
export type MatchedRow = [number, string, Seat, number, number];
/** The result of a bet: order, player, side, matched, escrow, gain, commission. */
export type OutcomeRow = [number, string, Seat, number, number, number, number];

/** A finished game: record, fairness data, terms, book, and payments. */
export interface FinishedGame extends Omit<GameLine, "cuts"> {
  record: GameRecord;
  opened: { commitment: string; chain: number; number: number };
  terms: { gallery: GalleryLaws; stake_cents: number; from_game: number };
  seals: (Seal & { seal: string })[];
  bets: Bet[];
  book_locked: (Locked & { cover: Cover }) | null;
  /** A log states the sum that was matched; the rows are computed. */
  betting_closed: {
    matched_cents: number;
    stands?: MatchedRow[];
    opened: number[];
    withheld: number[];
  } | null;
  settled: { bets: OutcomeRow[]; principals: OutcomeRow[] } | null;
  /** The sum that the game's entries moved on each account, from the log. */
  paid: Record<string, number>;
}

/** A replay: the table before the game, its messages, both hands after each. */
export type Replay = { snapshot: Snapshot; steps: { message: Event; hands: Partial<BySeat<string>> }[] };

/** A reviewed decision: the win probability after it, after the best, and after every option. */
export interface Decision {
  deal: number;
  /** Its index among the actions of the deal, from 1. */
  token: number;
  seat: Seat;
  action: string;
  chance: number;
  best: string;
  best_chance: number;
  cost: number;
  options: Record<string, number>;
}

export type ReviewedGame = { decisions: Decision[]; given_away: Score };

/** A hand in the chart: number of opposing hands against which it takes 0 to 5 tricks. */
export interface HandChart {
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

export type Tally = { won: number; lost: number };
export type Leader = Tally & { player: string };
/** How many games are counted, and whether more remain. */
export type Counted = { games: number; more: boolean };
export type Leaders = Counted & { challengers: Leader[]; backers: Leader[] };
/** A house bot's results against another bot, or against all people if null. */
export type Pairing = Tally & { house: string; challenger: string | null };
export type FinalScore = Score & { games: number };
export interface Statistics extends Counted {
  void: number;
  pairs: Pairing[];
  scores: FinalScore[];
  stakes: number[];
  /** The house's wins after a number of games. */
  course: [games: number, won: number][];
}
/** A game that a player played or bet on. */
export interface PastGame {
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
  last: PastGame[];
}

/** A person's own limits; 0 means none. */
export type OwnLimits = { day_stake_cents: number; day_loss_cents: number; break_until_ms: number };

export type Me = { name: string; balance_cents: number; limits: OwnLimits; refill_below_cents: number };

export type Change = { at_ms: number; move: string; game: string; cents: number; balance_cents: number };

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
  /** Games with chips still at risk. */
  open_games: string[];
  changes: Change[];
  bets: BetLine[];
}
