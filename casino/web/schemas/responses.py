"""Schemas of the JSON answers, used by the OpenAPI description and checked by a test."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

Seat: TypeAlias = Literal["house", "challenger"]


class Form(BaseModel):
    """Base class of all responses; a field that is not declared is refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Good(Form):
    """An answer that is no refusal."""

    ok: Literal[True]


class Refusal(Form):
    """A refusal: a stable code, and a sentence that says what to do.

    `reason` is the stable name of that sentence, `values` its parameters, `article` the rule behind
    it: pages in other languages make their sentence from them.
    """

    ok: Literal[False]
    code: str
    message: str
    reason: str
    article: str = ""
    values: dict[str, str | int] = {}


class Pair(Form):
    """A number for each seat."""

    house: int
    challenger: int


class Mark(Form):
    """A past game of a table: its winner, and 1, 2 or 3 for single, double, triple; 0: void."""

    game: str
    winner: Seat | None
    stake: int


class Limits(Form):
    """The minimum and maximum units of bets."""

    least_cents: int
    greatest_cents: int
    bettor_cents: int
    side_cents: int


class OwnLimits(Form):
    """A player's own limits; 0: no limit."""

    day_stake_cents: int
    day_loss_cents: int
    break_until_ms: int


class Entered(Good):
    """An account is open in this browser."""

    name: str
    balance_cents: int


class OpenBet(Form):
    """One's own bet on a running game, and how much of its unit is matched."""

    table: str
    game: str
    order: int
    side: Seat
    unit_cents: int
    matched_cents: int


class Me(Entered):
    """One's own account."""

    limits: OwnLimits
    bets: list[OpenBet]
    refill_below_cents: int


class Refilled(Good):
    """Chips were given to a player who had none."""

    granted_cents: int
    balance_cents: int


class Limited(Good):
    """One's own limits, and from when the new one holds, in milliseconds since 1970."""

    limits: OwnLimits
    from_ms: int = Field(alias="from")


class Opened(Good):
    """A contribution is revealed; the table's count of events."""

    version: int


class Table(Form):
    """A table in the lobby; fields from `challenger` on only while a game runs."""

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
    """The lobby."""

    tables: list[Table]


class Bet(Form):
    """A bet and, once the book is closed, how much of its unit is matched."""

    order: int
    player: str
    side: Seat
    unit_cents: int
    matched_cents: int | None = None


class Deal(Form):
    """The current deal as everyone may see it; a hand is shown once it is open."""

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
    """A table's public state; fields from `game` on only while a game runs.

    `challenger` is the bot that plays when no person has the seat, if there is one.
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
    """A summary of a finished game; `void` is the reason if it does not count.

    `cuts` is the number of contributions: with 0 the house could have foreseen the cards.
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
    """Finished games."""

    games: list[Line]


class Game(Good, Line):
    """A finished game: its EGR record with the fairness, its settings, its book, its payments.

    `paid` is the net change of each account by the entries of the game, according to the log.
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
    """A message, an exchange with its cards named, and both hands after it once they are dealt."""

    message: dict[str, Any]
    hands: dict[str, str]


class Steps(Good):
    """The replay of a finished game: the table before it, then its messages."""

    snapshot: dict[str, Any]
    steps: list[Step]


class Prospect(Form):
    """A side's probabilities: to win, and to win a single, a double, a triple game.

    `odds` are the fair odds against it, to one; `units` is the expected result of a bet of one
    unit. All from public information.
    """

    win: float
    single: float
    double: float
    triple: float
    odds: float | None
    units: float


class Prospects(Form):
    """Both sides' probabilities."""

    house: Prospect
    challenger: Prospect


class Chance(Good):
    """The win probabilities in a table's running game at a version; null between games.

    `watching` is how many looked on then.
    """

    table: str
    version: int
    game: str | None
    chance: Prospects | None
    watching: int


class Practised(Good):
    """A practice game: its messages; a snapshot to begin with.

    `yous` are private messages, each with the version of the event it follows.
    """

    version: int
    snapshot: dict[str, Any] = {}
    events: list[dict[str, Any]]
    yous: list[dict[str, Any]]
    over: bool


class Hint(Form):
    """The best of your options, and the win probability after each."""

    best: str
    options: dict[str, float]


class Hinted(Good):
    """A hint; null if there is nothing to choose."""

    hint: Hint | None


class Decision(Form):
    """A decision: its deal, its index among the actions there, what was done and was better.

    Each option has the win probability after it; `cost` is what was given away.
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
    """What each side gave away of its win probability, in all decisions of a game."""

    house: float
    challenger: float


class Review(Good):
    """A finished game reviewed."""

    game: str | None
    players: dict[str, str] | None
    decisions: list[Decision]
    given_away: GivenAway


class Leaf(Form):
    """A leaf: its number, and its bytes in base64."""

    n: int
    leaf: str


class Log(Good):
    """Leaves of the log, and how many there are in all."""

    size: int
    leaves: list[Leaf]


class Checkpoint(Good):
    """The newest checkpoint (C2SP), its size, the signing key, proofs of key rotations."""

    size: int
    checkpoint: str
    key: str
    handed_on: list[str]


class Receipt(Good):
    """The receipt of a bet (C2SP tlog-proof)."""

    bet: str
    receipt: str


class Statement(Good):
    """An account: every change of the balance, every bet and its outcome.

    In `open_games` chips are still at risk.
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
    """A player on a leaderboard."""

    player: str


class Counted(Good):
    """Statistics over all finished games; `more`: some are not counted yet, ask again."""

    games: int
    more: bool


class Leaders(Counted):
    """Who won at the table, and who backed winners; the most reliable winners first."""

    challengers: list[Leader]
    backers: list[Leader]


class Pairing(Tally):
    """The results of a house bot against another bot, or (null) against all people."""

    house: str
    challenger: str | None


class FinalScore(Pair):
    """A final score and how often it occurred."""

    games: int


class Statistics(Counted):
    """How all games ended.

    `stakes` counts single, double and triple games; `course` has points of a curve: games played,
    games won by the house.
    """

    void: int
    pairs: list[Pairing]
    scores: list[FinalScore]
    stakes: list[int]
    course: list[list[int]]


class AgainstBot(Tally):
    """A player's results against a bot of the house."""

    bot: str


class Attended(Form):
    """A game that a player played or bet on: the side, and how it ended."""

    game: str
    at: int
    did: Literal["played", "backed"]
    side: Seat
    house: str
    challenger: str
    winner: Seat | None
    stake: int


class PublicPlayer(Counted):
    """A player's public record: no amounts, only wins; the last games, newest first."""

    player: str
    played: Tally
    backed: Tally
    against: list[AgainstBot]
    stakes: list[int]
    last: list[Attended]
