"""The forms of the JSON answers, as the OpenAPI description shows them and a test holds them."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

Seat: TypeAlias = Literal["house", "challenger"]


class Form(BaseModel):
    """What all answers have in common: nothing is left unsaid here."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Good(Form):
    """An answer that is no refusal."""

    ok: Literal[True]


class Refusal(Form):
    """Why something was refused: a stable code, and a sentence that says what to do.

    `reason` is the stable name of that sentence, `values` what was put into it, `article` the
    rule it rests on: whoever speaks another language makes a sentence from them.
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
    """A game on a table's road: its winner, and 1, 2 or 3 for single, double, triple; 0: void."""

    game: str
    winner: Seat | None
    stake: int


class Limits(Form):
    """The least and the greatest units of bets."""

    least_cents: int
    greatest_cents: int
    bettor_cents: int
    side_cents: int


class OwnLimits(Form):
    """What a player allows himself; 0: no limit."""

    day_stake_cents: int
    day_loss_cents: int
    break_until_ms: int


class Entered(Good):
    """An account is open in this browser."""

    name: str
    balance_cents: int


class OpenBet(Form):
    """An own bet on a running game, and how much of its unit is matched."""

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
    """One's own limits, and from when the one just set holds, in milliseconds since 1970."""

    limits: OwnLimits
    from_ms: int = Field(alias="from")


class Opened(Good):
    """A text is opened; the table's own count of what has happened there."""

    version: int


class Table(Form):
    """A table in a line of the lobby; what begins at `challenger` only while a game runs."""

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
    """A bet, and once the book is closed how much of its unit is matched."""

    order: int
    player: str
    side: Seat
    unit_cents: int
    matched_cents: int | None = None


class Deal(Form):
    """The deal that is played, as everybody may see it; a hand is shown once it is open."""

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
    """A table's public state; what begins at `game` only while a game runs.

    `challenger` is the bot that plays when no person holds the seat, if there is one.
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
    """A finished game in one line; `void` says why it does not count, if it does not.

    `cuts` is how many texts were opened: of 0 the house could have foreseen the cards.
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
    """A finished game: its EGR record with the fairness, its terms, its book, and what was paid.

    `paid` is what the entries of the game moved on each account in all, as the log has it.
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
    """A finished game told again: the table before it, then what was told of it."""

    snapshot: dict[str, Any]
    steps: list[Step]


class Prospect(Form):
    """A side's chances: to win, and to win a single, a double, a triple game.

    `odds` are the fair odds against it, to one; `units` is what a bet of one unit on it is worth
    now. All from what everybody may see.
    """

    win: float
    single: float
    double: float
    triple: float
    odds: float | None
    units: float


class Prospects(Form):
    """Both sides' chances."""

    house: Prospect
    challenger: Prospect


class Chance(Good):
    """The chances in a table's running game as it was told up to a version; null between games.

    `watching` is how many looked on then.
    """

    table: str
    version: int
    game: str | None
    chance: Prospects | None
    watching: int


class Practised(Good):
    """A game of practice: what was told of it; a snapshot to begin with.

    `yous` are what only you may see, each with the version of the event after which it is told.
    """

    version: int
    snapshot: dict[str, Any] = {}
    events: list[dict[str, Any]]
    yous: list[dict[str, Any]]
    over: bool


class Hint(Form):
    """The best of your choices, and your chance to win the game after each."""

    best: str
    options: dict[str, float]


class Hinted(Good):
    """A hint; null where there is nothing to choose."""

    hint: Hint | None


class Decision(Form):
    """A decision: in which deal, its place among the actions there, what was done and was better.

    Each option stands with the chance to win the game after it; `cost` is what was given away.
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
    """What each side gave away of its chance to win, in all decisions of a game."""

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
    """The newest checkpoint (C2SP), its size, who signs, proofs of leaves that changed the key."""

    size: int
    checkpoint: str
    key: str
    handed_on: list[str]


class Receipt(Good):
    """The receipt of a bet (C2SP tlog-proof)."""

    bet: str
    receipt: str


class Statement(Good):
    """An account: every change of the balance, every bet and what it came to.

    In `open_games` chips are still at risk.
    """

    player: str
    balance_cents: int
    escrow_cents: int
    open_games: list[str]
    changes: list[dict[str, Any]]
    bets: list[dict[str, Any]]
