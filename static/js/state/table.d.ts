/** The state of a table on a page: its messages folded (table_state.js). Scripts know it as State.Table and so on. */
export as namespace State;

/** A place for a card that the viewer may not see; its id stays while the card lies there. */
export type Slot = { id: string; card: string | null };

/** A card that has left a hand. */
export interface Played extends Slot {
  seat: Wire.Seat;
}

export interface Deal {
  number: number;
  dealer: Wire.Seat;
  turnUp: string | null;
  stock: number;
  turn: Wire.Seat | null;
  /** Phase, for the words under the table (card_moves.js). */
  phase: string;
  exchanged?: boolean;
  over: { hands?: Wire.BySeat<string[]> | undefined } | null;
  hands: Wire.BySeat<Slot[]>;
  /** Discarded cards. */
  away: Played[];
  tricks: Wire.Score;
  taken: Wire.BySeat<Played[]>;
  trick: Played[];
  /** The trick just taken, while it lies in the middle. */
  shown?: { taker: Wire.Seat; cards: Played[] } | null;
  /** The vulnerable seat: it refused the first exchange and pays two points if it loses. */
  bold?: Wire.Seat | null;
  /** The viewer's own exchange, until its cards are known. */
  exchanging?: { seat: Wire.Seat; tokens: string[] } | null;
}

/** What is bet on each side and matched, and how much the principals cover at most. */
export type Totals = Wire.Cover & Required<Pick<Wire.Book, "matched_cents" | "cover">>;

type Opened = Pick<Wire.NewGame, "commitment" | "players" | "bots" | "gallery" | "stake_cents">;

export interface Game extends Opened {
  id: string;
  laws: Wire.Laws & { target: number };
  limits: Partial<Wire.Limits>;
  phase: "betting" | "locked" | "closed" | "playing" | "over" | "void";
  seals: Wire.Seal[];
  cutsOpened: number;
  withheld: number[];
  bets: Wire.MatchedBet[];
  book: Totals;
  score: Wire.Score;
  result: { winner: Wire.Seat; stake: number; score: Wire.Score } | null;
  settled: { bets: Wire.Outcome[]; principals: Wire.Outcome[] } | null;
  /** Who gave the game up, whether by running out of time, and the score then. */
  forfeit?: { player: string; late: boolean; score: Wire.Score };
}

/** The viewer; `text` is the state of their contribution to the shuffle. */
export type You = Required<Omit<Wire.You, "table" | "game" | "seconds">>;

type Forfeit = "late" | "left";
export type ScoreReason = "turned" | "king" | "refused" | "bold" | "all" | "unexchanged" | "most" | Forfeit;

type Public = Pick<Wire.Snapshot, "table" | "version" | "house" | "holder" | "queue" | "road">;

export interface Table extends Public {
  /** The bot that plays if no person holds the seat. */
  bot: string;
  /** The points that win the next game. */
  target: number;
  limits: Partial<Wire.Limits>;
  /** Whether bets are taken. */
  taking: boolean;
  /** Whether the house is away, so that nothing happens. */
  away: boolean;
  game: Game | null;
  deal: Deal | null;
  you: You;
  /** The last words spoken. */
  scored: { seat: Wire.Seat; n: number; reason: ScoreReason } | null;
  said: { seat: Wire.Seat; action: string; version: number } | null;
  /** Both sides' odds, as last sent. */
  chance: Wire.Odds | null;
  /** The running poule, and how the last one ended until the next one opens. */
  poule: Wire.Poule | null;
  pouleResult: Wire.EventOf<"poule">["result"];
  /** The type of the last event. */
  last: Wire.Event["type"] | "";
  /** When the current clock ends, by the browser's time, and its full length in seconds. */
  endsAt?: number | null;
  lasts?: number;
}

/** A table at which a game is in progress, as events of a deal find it. */
export type Running = Table & { game: Game; deal: Deal };
