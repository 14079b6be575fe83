"""Pydantic models of the JSON responses; the OpenAPI document is generated from them."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

Seat: TypeAlias = Literal["house", "challenger"]


class Form(BaseModel):
    """Base class of all response models; undeclared fields are an error."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Good(Form):
    """Base class of all successful responses."""

    ok: Literal[True]


class Refusal(Form):
    """A refused request: a stable error code, and an English message.

    `reason` is the stable name of the message, `values` its parameters, and `article` the rule it
    rests on. Pages in other languages build their own message from these.
    """

    ok: Literal[False]
    code: str
    message: str
    reason: str
    article: str = ""
    values: dict[str, str | int] = {}


class Pair(Form):
    """One number per seat."""

    house: int
    challenger: int


class Mark(Form):
    """A finished game of a table; `stake` is 1, 2 or 3 (single, double, triple), or 0 if void."""

    game: str
    winner: Seat | None
    stake: int


class Limits(Form):
    """Limits of a bet's unit, and of the units of a bettor and on a side (G5)."""

    least_cents: int
    greatest_cents: int
    bettor_cents: int
    side_cents: int


class OwnLimits(Form):
    """The limits that a player has set for themselves; 0 means no limit."""

    day_stake_cents: int
    day_loss_cents: int
    break_until_ms: int


class Entered(Good):
    """The account that this browser is signed in to."""

    name: str
    balance_cents: int


class OpenBet(Form):
    """A player's bet on a running game; `matched_cents` is the matched part of its unit."""

    table: str
    game: str
    order: int
    side: Seat
    unit_cents: int
    matched_cents: int


class Me(Entered):
    """The signed-in player's account; funds under `refill_below_cents` allow a refill."""

    limits: OwnLimits
    bets: list[OpenBet]
    refill_below_cents: int


class Refilled(Good):
    """The chips granted by a refill, and the new balance."""

    granted_cents: int
    balance_cents: int


class Limited(Good):
    """The player's own limits; the new one applies from `from` (milliseconds since 1970)."""

    limits: OwnLimits
    from_ms: int = Field(alias="from")


class Opened(Good):
    """The table's version after a contribution was revealed."""

    version: int


class Table(Form):
    """A table in the lobby; `challenger` and later fields are present only during a game."""

    table: str
    version: int
    house: str
    holder: str
    queue: int
    stake_cents: int
    limits: Limits
    taking: bool
    away: bool = False
    road: list[Mark]
    watching: int
    game: str | None
    challenger: str = ""
    phase: Literal["betting", "opening", "playing"] = "betting"
    score: Pair | None = None
    deal: int = 0
    bets: int = 0


class Tables(Good):
    """All tables, for the lobby."""

    tables: list[Table]


class Bet(Form):
    """A bet; `matched_cents` is set once betting is closed."""

    order: int
    player: str
    side: Seat
    unit_cents: int
    matched_cents: int | None = None


class Deal(Form):
    """The current deal as spectators see it; `hands` is empty until the hands are shown."""

    number: int
    dealer: Seat
    turn: Seat | None
    turn_up: str | None
    score: Pair
    tricks: Pair
    stock: int
    sizes: Pair
    hands: dict[Seat, str]
    exposed: str
    led: str | None
    actions: list[str]


class Snapshot(Good):
    """A table's public state; between games, `game` and the fields below it are absent or empty.

    `challenger` is the bot that plays while no person has the seat, or "" if there is none.
    """

    table: str
    version: int
    taking: bool
    away: bool = False
    seconds: float | None
    laws: dict[str, Any]
    gallery: dict[str, Any]
    limits: Limits
    stake_cents: int
    house: str
    challenger: str
    holder: str
    queue: list[str]
    road: list[Mark]
    game: str = ""
    commitment: str = ""
    players: dict[Seat, str] = {}
    bots: dict[Seat, str] = {}
    seals: list[dict[str, Any]] = []
    locked: dict[str, Any] | None = None
    proof: str = ""
    cuts_opened: int = 0
    opened: list[int] = []
    withheld: list[int] = []
    cut: str = ""
    bets: list[Bet] = []
    totals_cents: list[int] = []
    matched_cents: int = 0
    closed: bool = False
    cover: dict[str, int] = {}
    deal: Deal | None = None


class Line(Form):
    """A summary of a finished game; `void` is the reason why the game does not count, if any.

    `cuts` is the number of contributions; if it is 0, the house could have foreseen the cards.
    """

    game: str
    table: str
    at: int
    players: dict[Seat, str]
    winner: Seat | None
    stake: int
    score: Pair | None
    cuts: int
    void: str | None


class Games(Good):
    """Summaries of finished games."""

    games: list[Line]


class Game(Good, Line):
    """A finished game with its EGR record, settings, book and payments, as needed to verify it.

    `paid` has each account's net change from the game's ledger entries.
    """

    record: dict[str, Any]
    opened: dict[str, Any]
    terms: dict[str, Any]
    seals: list[dict[str, str]]
    bets: list[dict[str, Any]]
    book_locked: dict[str, Any] | None
    betting_closed: dict[str, Any] | None
    settled: dict[str, Any] | None
    paid: dict[str, int]


class Step(Form):
    """A message of a replay (exchanges name their cards), and both hands after it, if dealt."""

    message: dict[str, Any]
    hands: dict[str, str]


class Steps(Good):
    """The replay of a finished game: a snapshot of the table before it, then its messages."""

    snapshot: dict[str, Any]
    steps: list[Step]


class Prospect(Form):
    """A side's probabilities of winning, computed from public information.

    `win` is the sum of `single`, `double` and `triple`; `odds` are the fair odds against the side,
    to one; `units` is the expected gain of a bet, in units.
    """

    win: float
    single: float
    double: float
    triple: float
    odds: float | None
    units: float


class Prospects(Form):
    """The win probabilities of both sides."""

    house: Prospect
    challenger: Prospect


class Chance(Good):
    """The win probabilities in the game running at a version of a table, null between games.

    `watching` is the number of connections that watch the table.
    """

    table: str
    version: int
    game: str | None
    chance: Prospects | None
    watching: int


class Practised(Good):
    """The messages of a practice game, with a snapshot if the whole game was requested.

    `yous` are private messages, each with the version of the event that it follows.
    """

    version: int
    snapshot: dict[str, Any] = {}
    events: list[dict[str, Any]]
    yous: list[dict[str, Any]]
    over: bool


class Hint(Form):
    """The player's options, each with the win probability after it, and the best one."""

    best: str
    options: dict[str, float]


class Hinted(Good):
    """The hint for a practice game, or null if there is no choice."""

    hint: Hint | None


class Decision(Form):
    """A reviewed decision; `token` is its index among the actions of the deal.

    Each option has the win probability that follows it; `cost` is what `action` gave up of it.
    """

    deal: int
    token: int
    seat: Seat
    action: str
    chance: float
    best: str
    best_chance: float
    cost: float
    options: dict[str, float]


class GivenAway(Form):
    """The sum of `cost` over all decisions of a game, for each side."""

    house: float
    challenger: float


class Review(Good):
    """The review of a finished game: every decision in which there was a choice."""

    game: str | None
    players: dict[str, str] | None
    decisions: list[Decision]
    given_away: GivenAway


class Leaf(Form):
    """A leaf of the log, with its bytes in base64."""

    n: int
    leaf: str


class Log(Good):
    """Leaves of the log, and the log's size."""

    size: int
    leaves: list[Leaf]


class Checkpoint(Good):
    """The newest checkpoint (C2SP) with the signing key and the proofs of key rotations."""

    size: int
    checkpoint: str
    key: str
    handed_on: list[str]


class Receipt(Good):
    """The receipt of a bet (C2SP tlog-proof)."""

    bet: str
    receipt: str


class Statement(Good):
    """A player's account statement: every change of the balance, every bet and its outcome.

    `open_games` are the games in which chips are still at risk.
    """

    player: str
    balance_cents: int
    escrow_cents: int
    open_games: list[str]
    changes: list[dict[str, Any]]
    bets: list[dict[str, Any]]


class Tally(Form):
    """Games won and lost."""

    won: int
    lost: int


class Leader(Tally):
    """A leaderboard row: a player, with the games won and lost."""

    player: str


class Counted(Good):
    """Base class of all statistics; `more` is true while some games are not counted yet."""

    games: int
    more: bool


class Leaders(Counted):
    """The leaderboards of challengers and of bettors, the most reliable winners first."""

    challengers: list[Leader]
    backers: list[Leader]


class Pairing(Tally):
    """A house bot's results against another bot, or against all people (`challenger` is null)."""

    house: str
    challenger: str | None


class FinalScore(Pair):
    """A final score and how often it occurred."""

    games: int


class Statistics(Counted):
    """Statistics of all games.

    `stakes` counts single, double and triple games. `course` is a curve for a chart: each point is
    the number of games played and of games that the house had won by then.
    """

    void: int
    pairs: list[Pairing]
    scores: list[FinalScore]
    stakes: list[int]
    course: list[list[int]]


class AgainstBot(Tally):
    """A player's results against one of the house's bots."""

    bot: str


class Attended(Form):
    """A finished game that a player played or bet on, with the player's side and the result."""

    game: str
    at: int
    did: Literal["played", "backed"]
    side: Seat
    house: str
    challenger: str
    winner: Seat | None
    stake: int


class PublicPlayer(Counted):
    """A player's public record, without amounts; `last` has the newest games first."""

    player: str
    played: Tally
    backed: Tally
    against: list[AgainstBot]
    stakes: list[int]
    last: list[Attended]


class Word(Form):
    """The expert's frequencies of proposing and accepting at a score, from 0 to 1."""

    elder: int
    dealer: int
    proposes: float
    accepts: float


class ChartAnswer(Good):
    """The chart's entry for a hand and a turn-up.

    `elder` and `dealer` count the opposing hands against which the hand takes 0 to 5 tricks in that
    role, with all cards open. `hands` is the number of equivalent hands. `stands` and `refuses` are
    the decisions of the rule of thumb.
    """

    hand: str
    turn_up: str
    hands: int
    opponents: int
    elder: list[int]
    dealer: list[int]
    stands: bool
    refuses: bool
    words: list[Word]
