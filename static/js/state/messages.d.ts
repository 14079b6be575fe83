// Messages of the live connection, and answers of the JSON API.
// Made by tools/message_types.py from casino/web/schemas: change the models there.

export type Seat = "house" | "challenger";
export type BySeat<T> = Record<Seat, T>;
export type Answer<T> = ({ ok: true } & T) | Refusal;
export type EventOf<Type extends Event["type"]> = Extract<Event, { type: Type }>;
/** A bet with the number of the commitment that was made with it, or null if none was. */
export type AcceptedBet = Bet & { seal_number: number | null; };
/** Play `action`, a game-record token chosen when the table was at `version`. */
export type Act = OfTable & { version: number; action: string; };
export type ActionEvent = TableEvent & { type: "action"; seat: Seat; action: string; turn: Seat | null;
  deal?: Deal | null; revoked?: Array<Seat>; };
/** A player's results against one of the house's bots. */
export type AgainstBot = Tally & { bot: string; };
/** A bet on a running game. */
export type Bet = { order: number; player: string; side: Seat; unit_cents: number; };
export type BetAcceptedEvent = TableEvent & AcceptedBet & { type: "bet_accepted"; };
/** A bet and its result, whose amounts are None while the game runs or if it was void. */
export type BetLine = { game: string; order: number; side: Seat; unit_cents: number;
  matched_cents: number | null; gain_cents: number | null; commission_cents: number | null; result: string; };
export type BetPlaced = Versioned & { bet: PlacedBet; balance_cents: number; };
export type BettingClosedEvent = TableEvent & Book & Revealed & { type: "betting_closed";
  bets: Array<MatchedBet>; returned: Array<number>; first_dealer: Seat; };
/** The totals bet on each side, house first, and the amount matched on each side (G9). */
export type Book = { totals_cents?: [number, number]; matched_cents?: number; closed?: boolean;
  cover?: Cover | null; };
export type BookEvent = TableEvent & Book & { type: "book"; new_bets?: Array<AcceptedBet>;
  new_cuts?: Array<Seal>; };
export type BookLockedEvent = TableEvent & Book & Locked & { type: "book_locked"; proof?: string; };
/** The win probabilities of both sides. */
export type BothOdds = { house: SideOdds; challenger: SideOdds; };
/** A ledger entry that changed a player's balance; `held_cents` are in escrow afterwards. */
export type Change = { entry: number; at_ms: number; move: string; game: string; cents: number;
  balance_cents: number; held_cents: number; };
/** A host's settings for a table; null keeps the preset's value, or the table's current one. The challenger
 * `nobody` leaves the seat to people. */
export type ChangeTable = { house?: string | null; challenger?: string | null; target?: 5 | 7 | 11 | null;
  laws?: HostLaws | null; stake_cents?: number | null; min_bet_cents?: number | null;
  max_bet_cents?: number | null; pace?: "quick" | "usual" | "slow" | null; };
/** A chat phrase sent by a player. */
export type ChatMessage = { table: string; player: string;
  phrase: "applause" | "well_played" | "good_luck" | "what_luck" | "hard_luck" | "close_one" | "thanks"; };
export type Checkpoint = { size: number; checkpoint: string; key: string; handed_on: Array<string>; };
export type CheckpointEvent = TableEvent & { type: "checkpoint"; note: string; };
/** The leaf that closed a game's book, with each standing bet's computed matched part. */
export type ClosedLeaf = { matched_cents: number; stands: Array<[number, string, Seat, number, number]>;
  opened: Array<number>; withheld: Array<number>; };
/** Base class of all statistics; `more` is true while some games are not counted yet. */
export type Counted = { games: number; more: boolean; };
/** Maximum that each principal is willing to bet on themselves to even out the sides (G7). */
export type Cover = { house_cents: number; challenger_cents: number; };
/** Commit to a contribution to a game's shuffle (for the challenger). */
export type Cut = OfTable & { game: string; seal: string; };
export type CutEvent = TableEvent & Seal & { type: "cut"; };
export type CutsOpenedEvent = TableEvent & { type: "cuts_opened"; opened: number; seals: number; };
/** The current deal as spectators see it; `hands` is empty until the hands are shown. */
export type Deal = { number: number; dealer: Seat; turn: Seat | null; turn_up: string | null; score: Score;
  tricks: Score; stock: number; sizes: Score; hands: Partial<BySeat<string>>; exposed: string;
  led: string | null; actions: Array<string>; };
export type DealOverEvent = TableEvent & { type: "deal_over"; score: Score; tricks: Score;
  hands?: Partial<BySeat<string>>; };
export type DealtEvent = TableEvent & { type: "dealt"; deal: Deal; };
/** A reviewed decision; `token` is its index among the actions of the deal. `options` has the win probability
 * after each; `cost` is the best one's lead over `action`. */
export type Decision = { deal: number; token: number; seat: Seat; action: string; chance: number;
  best: string; best_chance: number; cost: number; options: Record<string, number>; };
/** Sign in; an account with a password can also be used from other browsers. `code` becomes the recovery code
 * of a new account, and opens it while it has no password. */
export type Enter = { name: string; password?: string | null; code?: string | null; };
/** The account of this browser; `recovery` is true if the code sent is its recovery code. */
export type Entered = { name: string; balance_cents: number; recovery?: boolean; };
/** A change at a table; versions increase by one. */
export type Event = GameOpenedEvent | CutEvent | BetAcceptedEvent | BookEvent | BookLockedEvent |
  CutsOpenedEvent | BettingClosedEvent | DealtEvent | TurnedUpEvent | ActionEvent | TrickEvent | PointsEvent |
  DealOverEvent | GameOverEvent | SettledEvent | GameVoidEvent | SeatEvent | PouleEvent | CheckpointEvent |
  NoticeEvent | RestoredEvent;
/** Proof that the cards were not chosen: seed, commitment and contributions. */
export type Fairness = { server_seed?: string; commitment: string; chain: number; number: number; cut: string;
  cuts: Array<[string, string]>; withheld: Array<string>; };
/** A final score and how often it occurred. */
export type FinalScore = Score & { games: number; };
/** A finished game with its EGR record, settings, book and payments, as needed to verify it. `paid` has each
 * account's net change, in cents, through the game's ledger entries. */
export type FinishedGame = GameLine & { record: GameRecord; opened: OpenedLeaf; terms: TermsLeaf;
  seals: Array<SealText>; bets: Array<Bet>; book_locked: LockedLeaf | null; betting_closed: ClosedLeaf | null;
  settled: Settlement | null; paid: Record<string, number>; };
/** Base class of all response models; undeclared fields are an error. */
export type Form = {};
/** A table's betting rules (G3, G6, G12, G13). */
export type GalleryLaws = { gallery_stakes?: "game" | "single"; matching?: "pro_rata" | "last_in_first_out";
  commission_base?: "winnings" | "gross"; commission_bp?: number; principal_commission_bp?: number; };
/** A summary of a finished game; `void` is the reason why the game does not count, if any. `cuts` is the
 * number of contributions; if it is 0, the house could have foreseen the cards. */
export type GameLine = GameResult & { table: string; host?: string | null; at: number; players: Players;
  score: Score | null; cuts: number; void: string | null; };
/** The first and last number of a table's games that bots play without pauses. */
export type GameNumbers = { first: number; last: number; };
export type GameOpenedEvent = TableEvent & NewGame & { game: string; type: "game_opened"; };
export type GameOverEvent = TableEvent & { type: "game_over"; winner: Seat; score: Score; stake: number;
  server_seed: string; cuts: number; };
/** The record of a game in the EGR format. */
export type GameRecord = { egr: number; game: string; players: Players; laws: Laws; first_dealer: Seat;
  deals: Array<RecordedDeal>; result?: RecordedResult | null; fairness: Fairness; };
/** A table's finished game; `stake` is 1, 2 or 3 (single, double, triple), or 0 if void. */
export type GameResult = { game: string; winner: Seat | null; stake: number; };
export type GameVoidEvent = TableEvent & { type: "game_void"; reason: string; server_seed: string | null; };
export type Games = { games: Array<GameLine>; };
export type GamesOrdered = GameNumbers;
export type GivenAway = { house: number; challenger: number; };
/** Base class of all successful responses. */
export type Good = { ok: true; };
/** The chart's entry for a hand and a turn-up. `elder` and `dealer` count the opposing hands against which
 * the hand takes 0 to 5 tricks in that role, with all cards open. `hands` is the number of equivalent hands.
 * `stands` and `refuses` are the decisions by the rule of thumb. */
export type HandChart = { hand: string; turn_up: string; hands: number; opponents: number;
  elder: Array<number>; dealer: Array<number>; stands: boolean; refuses: boolean; words: Array<Word>; };
/** The player's options, each with the win probability after it, and the best one. */
export type Hint = { best: string; options: Record<string, number>; };
export type Hinted = { hint: Hint | null; };
/** The laws that a host may choose, as in the settings; null leaves a law as it is. */
export type HostLaws = { play?: "strict" | "ordinary" | null; vole_unexchanged?: 1 | 2 | null;
  deal?: "alternate" | "house" | null; first_dealer?: "cut" | "loser" | "house" | "challenger" | null;
  gallery_stakes?: "game" | "single" | null; matching?: "pro_rata" | "last_in_first_out" | null; };
/** Totals over a table's finished games and poules; amounts are in cents. */
export type HouseStatement = { bets: number; matched_cents: number; house_cents: number;
  challengers_cents: number; bettors_cents: number; commission_cents: number; poules: number;
  pools_cents: number; people_pools_cents: number; };
/** Watch a table, from a snapshot or from the version last seen. */
export type Join = OfTable & { since?: number | null; };
/** A table's snapshot, or the events that the client has missed, with the betting status. */
export type Joined = Versioned & { snapshot?: Snapshot | null; events?: Array<Event>; chance?: Odds | null;
  taking?: boolean; away?: boolean; you?: You | null; };
/** The laws of a game. */
export type Laws = { target?: number; play?: "strict" | "ordinary"; vole_unexchanged?: number;
  packets?: [number, number]; deal?: "alternate" | "house";
  first_dealer?: "cut" | "loser" | "house" | "challenger"; enforcement?: "strict" | "claims"; };
/** A leaderboard row: a player, with the games won and lost; `is_bot` if a program played. */
export type Leader = Tally & { player: string; is_bot: boolean; };
export type Leaders = Counted & { challengers: Array<Leader>; backers: Array<Leader>; };
/** A leaf of the log, which may have more fields than are listed here. */
export type Leaf = {};
/** A leaf of the log, with its bytes in base64. */
export type LeafBytes = { n: number; leaf: string; };
/** Leave the seat or its queue; if `game` is given, even as "", give up no other game. */
export type LeaveSeat = OfTable & { game?: string | null; };
/** The player's own limits; the new one applies from `from` (milliseconds since 1970). */
export type Limited = { limits: OwnLimits; from: number; };
/** The minimum and maximum units per bet, per bettor and per side (G5). */
export type Limits = { least_cents: number; greatest_cents: number; bettor_cents: number; side_cents: number;
  };
/** The numbers of bets and commitments, and the cover, fixed when the book was locked. */
export type Locked = { bets: number; seals: number; cover: Cover; };
/** The leaf that locked a game's book. */
export type LockedLeaf = Locked;
export type Log = { size: number; leaves: Array<LeafBytes>; };
/** A bet; `matched_cents` is set once betting is closed. */
export type MatchedBet = Bet & { matched_cents?: number; };
/** The signed-in player's account; funds under `refill_below_cents` allow a refill. */
export type Me = Entered & { limits: OwnLimits; bets: Array<OpenBet>; refill_below_cents: number; };
export type MoreTime = Versioned & { seconds: number | null; };
/** A game with its settings; `bots` has the seats played by programs, even by people's own. */
export type NewGame = Rules & { commitment: string; players: Players; bots: Partial<BySeat<string>>;
  cover: Cover; };
export type NoticeEvent = TableEvent & { type: "notice"; taking: boolean; away?: boolean; };
/** The win probabilities in the game running at a version of a table, null between games. `watching` is the
 * number of connections that watch the table. */
export type Odds = { table: string; version: number; game: string | null; chance: BothOdds | null;
  watching: number; };
/** A message about a table; `leave` is one without further fields. */
export type OfTable = { table: string; };
/** A player's bet on a running game; while betting is open, matched as if it closed now. */
export type OpenBet = { table: string; game: string; order: number; side: Seat; unit_cents: number;
  matched_cents: number; };
/** Reveal a contribution, once the client has verified that the book is locked. */
export type OpenCut = OfTable & { game: string; text: string; };
/** Open a table; the same `table_id` and content is a retry. `games` is 0 for a lasting table. `poule` is the
 * number of entrants, for a table at which every game belongs to a poule. */
export type OpenTable = ChangeTable & { table_id: string;
  preset?: "quick" | "salon" | "old_paris" | "tournament"; spectators?: number | null; games?: number;
  audience?: "public" | "link"; poule?: number | null; entry_cents?: number | null; wins?: number | null; };
/** The leaf that opened a game. */
export type OpenedLeaf = { commitment: string; chain: number; number: number; };
/** Have bots play games at the player's table, without pauses. */
export type OrderGames = { games: number; };
/** The result of a bet or of a principal's stake. */
export type Outcome = { order: number; player: string; side: Seat; matched_cents: number; gain_cents: number;
  commission_cents: number; };
/** A player's own limits. 0 means no limit; no bets are taken before `break_until_ms`. */
export type OwnLimits = { day_stake_cents: number; day_loss_cents: number; break_until_ms: number; };
/** A house bot's results against another bot, or against all people (`challenger` is null). */
export type Pairing = Tally & { house: string; challenger: string | null; };
/** Change the player's password; `password` is the current one, if there is one. */
export type Password = { password?: string | null; new_password: string; };
/** A game that a player played or bet on. */
export type PastGame = { game: string; at: number; did: "played" | "backed"; side: Seat; house: string;
  challenger: string; winner: Seat | null; stake: number; };
/** Base class of all messages, which refuses unknown fields and coerces no values. */
export type Payload = {};
/** Place a bet; a message with the same `bet_id` and content is a retry. A player's first bet on a game also
 * commits to a contribution, with `seal`. */
export type PlaceBet = OfTable & { game: string; bet_id: string; side: Seat; unit_cents: number;
  seal?: string | null; };
export type PlacedBet = { bet_id: string; game: string; order: number; side: Seat; unit_cents: number;
  leaf: number; seal_number?: number | null; };
/** The player in each seat. */
export type Players = { house: string; challenger: string; };
export type PointsEvent = TableEvent & { type: "points"; score: Score; };
/** A running poule, whose entrants are numbered from 1 in the order drawn. `person` is the number of the
 * person among them. The first two of `line` have the `seats` of the running or the next game, and the first
 * one has won the last `wins` games. */
export type Poule = { id: string; entrants: Array<string>; person: number | null; line: Array<number>;
  wins: number; seats: Score; pool_cents: number; };
export type PouleEvent = TableEvent & { type: "poule"; poule: Poule | null;
  result: PouleWon | PouleVoided | null; };
/** A table's rules for poules: number of entrants, entry, and wins in a row that end a poule. */
export type PouleRules = { players: number; entry_cents: number; wins: number; };
/** Why a poule is void. */
export type PouleVoided = { void: "closed" | "operator" | "person_enters" | "secrets_lost"; };
/** The entrant who has won a poule. */
export type PouleWon = { winner: number; name: string; pool_cents: number; };
/** The messages of a practice game, with a snapshot if the whole game was requested. `yous` are private
 * messages, each with the version of the event that it follows. */
export type PracticeUpdate = { version: number; snapshot?: Snapshot | null; events: Array<Event>;
  yous: Array<You>; over: boolean; };
/** A practice game: its number, chosen by the browser, and all of the player's actions. `house` is the
 * opposing bot, or "" for the table's own. If `game` is set, practice begins after `step` actions of that
 * finished game. The response contains the messages after version `since`, or the whole game if `since` is
 * null. */
export type Practise = { number: string; house?: string; actions: Array<string>; game?: string; step?: number;
  since?: number | null; };
/** A player's public record, without amounts; `last` has the newest games first. */
export type PublicPlayer = Counted & { player: string; played: Tally; backed: Tally;
  against: Array<AgainstBot>; stakes: Array<number>; last: Array<PastGame>; };
/** Why a request or a card is refused: a stable code, and an English message. `reason` is the stable name of
 * the message, `values` its parameters, and `article` the rule it rests on. Pages in other languages build
 * their own message from these. */
export type Reason = { code: string; message: string; reason?: string; article?: string;
  values?: Record<string, string | number>; };
export type Receipt = { bet: string; receipt: string; };
/** A deal in a game record: the deck in order, and the tokens of all actions. */
export type RecordedDeal = { dealer: Seat; deck: string; actions: string; };
/** The result of a recorded game. */
export type RecordedResult = { winner: Seat | null; stake: number; score: Score; };
export type Refilled = { granted_cents: number; balance_cents: number; };
/** A refused request. */
export type Refusal = Reason & { ok: false; };
export type Replay = { snapshot: Snapshot; steps: Array<Step>; };
export type RestoredEvent = TableEvent & { type: "restored"; };
/** The numbers of the opened and withheld contributions, and the hash of those that count. */
export type Revealed = { opened?: Array<number>; withheld?: Array<number>; cut?: string; };
export type ReviewedGame = { game: string | null; players: Players | null; decisions: Array<Decision>;
  given_away: GivenAway; };
/** A table's settings; `house` and `challenger` are its bots. */
export type Rules = { laws: Laws; gallery: GalleryLaws; limits: Limits; stake_cents: number; house: string;
  challenger: string; holder: string; };
/** Send a chat phrase to everyone who watches a table. */
export type Say = OfTable & {
  phrase: "applause" | "well_played" | "good_luck" | "what_luck" | "hard_luck" | "close_one" | "thanks"; };
/** One number per seat. */
export type Score = { house: number; challenger: number; };
/** A commitment to a contribution, numbered from 1 within its game. */
export type Seal = { number: number; player: string; };
/** A player's commitment to a contribution. */
export type SealText = { player: string; seal: string; };
export type Sealed = Versioned & { seal_number: number; };
export type SeatEvent = TableEvent & { type: "seat"; player: string;
  what: "queued" | "seated" | "left" | "defaulted"; holder: string; queue: Array<string>; late?: boolean; };
/** Set one of the player's own limits; see `casino.player_limits`. */
export type SetLimit = { key: "day_stake_cents" | "day_loss_cents" | "break_until_ms"; value: number; };
export type SettledEvent = TableEvent & { type: "settled"; bets: Array<Outcome>; principals: Array<Outcome>;
  };
/** Rows of order, player and side, then the cents matched, in escrow, gained and commission. */
export type Settlement = { bets: Array<[number, string, Seat, number, number, number, number]>;
  principals: Array<[number, string, Seat, number, number, number, number]>; };
/** A side's probabilities of winning, computed from public information. `win` is the sum of `single`,
 * `double` and `triple`; `odds` are the fair odds against the side, to one; `units` is the expected gain of a
 * bet, in units. */
export type SideOdds = { win: number; single: number; double: number; triple: number; odds: number | null;
  units: number; };
/** A table's public state; between games, fields from `game` on have their defaults. `challenger` is the bot
 * that plays while no person has the seat, or "" if there is none, and `proof` is the receipt for the leaf
 * that locked the book. */
export type Snapshot = Rules & Book & Revealed & { table: string; version: number; taking?: boolean;
  away?: boolean; seconds?: number | null; queue: Array<string>; road: Array<GameResult>; proof?: string;
  poule?: Poule | null; game?: string; commitment?: string; players?: Players | null;
  bots?: Partial<BySeat<string>>; seals?: Array<Seal>; locked?: Locked | null; cuts_opened?: number;
  bets?: Array<MatchedBet>; deal?: Deal | null; };
/** Close betting early, which the challenger may do while there are no bets (G1). */
export type Start = OfTable & { game: string; };
/** A player's account statement: every change to the balance, every bet and its outcome. `open_games` are the
 * games in which chips are still at risk. */
export type Statement = { player: string; balance_cents: number; escrow_cents: number;
  open_games: Array<string>; changes: Array<Change>; bets: Array<BetLine>; };
/** Statistics on all games, or on one table with its statement and the games `ordered` there. `stakes` counts
 * single, double and triple games. `course` is a curve for a chart: each point is a number of games played
 * and how many of them the house had won. */
export type Statistics = Counted & { void: number; pairs: Array<Pairing>; scores: Array<FinalScore>;
  stakes: Array<number>; course: Array<[number, number]>; statement?: HouseStatement | null;
  ordered?: GameNumbers | null; };
/** A replay's message, which shows exchanged cards, and both hands after it, once dealt. */
export type Step = { message: Event; hands: Partial<BySeat<string>>; };
/** A table in the lobby; `challenger` and later fields are present only during a game. `host` is the person
 * who opened the table. */
export type Summary = { table: string; version: number; house: string; holder: string; queue: number;
  stake_cents: number; limits: Limits; taking: boolean; away?: boolean; road: Array<GameResult>;
  watching: number; host?: string; poule?: PouleRules | null; game: string | null; challenger?: string;
  bots?: Partial<BySeat<string>>; phase?: "betting" | "opening" | "playing"; score?: Score | null;
  deal?: number; bets?: number; };
export type TableChanged = { table: string; from_game: number; };
/** A table that is closing, and the game that will still be finished, or "". */
export type TableClosing = { table: string; running: string; };
/** The fields of all events; `seconds` is the time left until the current countdown ends. */
export type TableEvent = { table: string; version: number; game?: string | null; seconds?: number | null; };
/** A new table; `link` is the token that lets people in if it is private, else "". */
export type TableOpened = { table: string; link: string; };
export type TableSnapshot = Snapshot;
export type Tables = { tables: Array<Summary>; };
/** Take the challenger's seat or queue for it, offering `cover_cents` to match bettors. A program sets
 * `remote_bot`. */
export type TakeSeat = OfTable & { cover_cents?: number; remote_bot?: boolean; };
/** Games won and lost. */
export type Tally = { won: number; lost: number; };
/** The leaf with the settings that a game was played under. */
export type TermsLeaf = { gallery: GalleryLaws; stake_cents: number; from_game: number; };
export type TrickEvent = TableEvent & { type: "trick"; taker: Seat; tricks: Score; };
export type TurnedUpEvent = TableEvent & { type: "turned_up"; card: string; turn: Seat | null; };
/** The table's version after a request. */
export type Versioned = { version: number; };
/** The expert's frequencies of proposing and accepting at a score, from 0 to 1. */
export type Word = { elder: number; dealer: number; proposes: number; accepts: number; };
/** A player's private state; `text` is the state of their contribution to the shuffle. */
export type You = { table?: string; name?: string; balance_cents?: number | null; game?: string;
  text?: "" | "sealed" | "opened" | "counted" | "missed"; version?: number; hand?: Array<string>;
  legal?: Array<string>; why?: Record<string, Reason>; seconds?: number | null; };
export type Requests = {
  join: [Join, Joined];
  leave: [OfTable, Versioned];
  cut: [Cut, Sealed];
  open_cut: [OpenCut, Versioned];
  place_bet: [PlaceBet, BetPlaced];
  start: [Start, Versioned];
  take_seat: [TakeSeat, Versioned];
  leave_seat: [LeaveSeat, Versioned];
  act: [Act, Versioned];
  say: [Say, Versioned];
  more_time: [OfTable, MoreTime];
};
export type GetAnswers = {
  "/api/me": Me;
  "/api/statement": Statement;
  "/api/tables": Tables;
  "/api/tables/ID": TableSnapshot;
  "/api/chart": HandChart;
  "/api/leaders": Leaders;
  "/api/statistics": Statistics;
  "/api/players/ID": PublicPlayer;
  "/api/games": Games;
  "/api/games/ID": FinishedGame;
  "/api/games/ID/steps": Replay;
  "/api/games/ID/review": ReviewedGame;
  "/api/log": Log;
  "/api/checkpoint": Checkpoint;
  "/api/receipts/ID": Receipt;
};
export type PostAnswers = {
  "/api/enter": [Enter, Entered];
  "/api/leave": [Payload, Good];
  "/api/password": [Password, Entered];
  "/api/refill": [Payload, Refilled];
  "/api/limits": [SetLimit, Limited];
  "/api/hosted": [OpenTable, TableOpened];
  "/api/hosted/ID/change": [ChangeTable, TableChanged];
  "/api/hosted/ID/close": [Payload, TableClosing];
  "/api/hosted/ID/games": [OrderGames, GamesOrdered];
  "/api/tables/ID/practice": [Practise, PracticeUpdate];
  "/api/tables/ID/practice/hint": [Practise, Hinted];
};
