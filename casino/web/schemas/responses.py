"""Pydantic models of the JSON responses; the OpenAPI document is generated from them."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import ConfigDict, Field

from casino import player_limits
from casino.reports import house_statement, leaderboard, statement
from casino.web.schemas import messages
from casino.web.schemas.messages import Form, Good, Score, Seat, answer, model_of

OwnLimits: Any = model_of("OwnLimits", player_limits.PlayerLimits)
LimitChange: Any = model_of("LimitChange", player_limits.LimitChange)
Change: Any = model_of("Change", statement.BalanceChange)
BetLine: Any = model_of("BetLine", statement.BetLine)
PastGame: Any = model_of("PastGame", leaderboard.GamesPlayed)
HouseStatement: Any = model_of("HouseStatement", house_statement.HouseStatement)


class Entered(Good):
    """The account of this browser; `recovery` is true if the code sent is its recovery code."""

    name: str
    balance_cents: int
    recovery: bool = False


class OpenBet(Form):
    """A player's bet on a running game; while betting is open, matched as if it closed now."""

    table: str
    game: str
    order: int
    side: Seat
    unit_cents: int
    matched_cents: int


class Me(Entered):
    """The signed-in player's account; funds under `refill_below_cents` allow a refill."""

    limits: OwnLimits
    pending: list[LimitChange]
    bets: list[OpenBet]
    refill_below_cents: int


class Limited(Good):
    """The player's own limits; the new one applies from `from` (milliseconds since 1970)."""

    limits: OwnLimits
    from_ms: int = Field(alias="from")


class Summary(Form):
    """A table in the lobby; `challenger` and later fields are present only during a game.

    `host` is the person who opened the table.
    """

    table: str
    version: int
    house: str
    holder: str
    queue: int
    stake_cents: int
    limits: messages.Limits
    taking: bool
    away: bool = False
    road: list[messages.GameResult]
    watching: int
    title: str
    host: str = ""
    poule: messages.PouleRules | None = None
    game: str | None
    challenger: str = ""
    bots: dict[Seat, str] = Field(default={})
    phase: Literal["betting", "opening", "playing"] = "betting"
    score: Score | None = None
    deal: int = 0
    bets: int = 0


class GameNumbers(Form):
    """The first and last number of a table's games that bots play without pauses."""

    first: int
    last: int


class GameLine(messages.GameResult):
    """A summary of a finished game; `void` is the reason why the game does not count, if any.

    `host` is the person who opened the table, if everyone may watch it, else null.
    `cuts` is the number of contributions; if it is 0, the house could have foreseen the cards.
    """

    table: str
    host: str | None
    at: int
    players: messages.Players
    score: Score | None
    cuts: int
    void: str | None


class RecordedDeal(Form):
    """A deal in a game record: the deck in order, and the tokens of all actions."""

    dealer: Seat
    deck: str
    actions: str


class RecordedResult(Form):
    """The result of a recorded game."""

    winner: Seat | None
    stake: int
    score: Score


class Fairness(Form):
    """Proof that the cards were not chosen: seed, commitment and contributions."""

    server_seed: str = ""
    commitment: str
    chain: int
    number: int
    cut: str
    cuts: list[tuple[str, str]]
    withheld: list[str]


class GameRecord(Form):
    """The record of a game in the EGR format."""

    egr: int
    game: str
    players: messages.Players
    laws: messages.Laws
    first_dealer: Seat
    deals: list[RecordedDeal]
    result: RecordedResult | None = None
    fairness: Fairness


class Leaf(Form):
    """A leaf of the log, which may have more fields than are listed here."""

    model_config = ConfigDict(extra="allow", strict=True)


class OpenedLeaf(Leaf):
    """The leaf that opened a game."""

    commitment: str
    chain: int
    number: int


class TermsLeaf(Leaf):
    """The leaf with the settings that a game was played under."""

    gallery: messages.GalleryLaws
    stake_cents: int
    from_game: int


class LockedLeaf(messages.Locked, Leaf):
    """The leaf that locked a game's book."""


class ClosedLeaf(Leaf):
    """The leaf that closed a game's book, with each standing bet's computed matched part."""

    matched_cents: int
    stands: list[tuple[int, str, Seat, int, int]]
    opened: list[int]
    withheld: list[int]


class Settlement(Form):
    """Rows of order, player and side, then the cents matched, in escrow, gained and commission."""

    bets: list[tuple[int, str, Seat, int, int, int, int]]
    principals: list[tuple[int, str, Seat, int, int, int, int]]


class SealText(Form):
    """A player's commitment to a contribution."""

    player: str
    seal: str


class FinishedGame(Good, GameLine):
    """A finished game with its EGR record, settings, book and payments, as needed to verify it.

    `paid` has each account's net change, in cents, through the game's ledger entries.
    """

    record: GameRecord
    opened: OpenedLeaf
    terms: TermsLeaf
    seals: list[SealText]
    bets: list[messages.Bet]
    book_locked: LockedLeaf | None
    betting_closed: ClosedLeaf | None
    settled: Settlement | None
    paid: dict[str, int]


class Step(Form):
    """A replay's message, which shows exchanged cards, and both hands after it, once dealt."""

    message: messages.Event
    hands: dict[Seat, str]


class PracticeUpdate(Good):
    """The messages of a practice game, with a snapshot if the whole game was requested.

    `yous` are private messages, each with the version of the event that it follows.
    """

    version: int
    snapshot: messages.Snapshot | None = None
    events: list[messages.Event]
    yous: list[messages.You]
    over: bool


class Hint(Form):
    """The player's options, each with the win probability after it, and the best one."""

    best: str
    options: dict[str, float]


class Decision(Form):
    """A reviewed decision; `token` is its index among the actions of the deal.

    `options` has the win probability after each; `cost` is the best one's lead over `action`.
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


class LeafBytes(Form):
    """A leaf of the log, with its bytes in base64."""

    n: int
    leaf: str


class Statement(Good):
    """A player's account statement: every change to the balance, every bet and its outcome.

    `open_games` are the games in which chips are still at risk.
    """

    player: str
    balance_cents: int
    escrow_cents: int
    open_games: list[str]
    changes: list[Change]
    bets: list[BetLine]


class Tally(Form):
    """Games won and lost."""

    won: int
    lost: int


class Leader(Tally):
    """A leaderboard row: a player with the games won and lost; `is_bot` marks a program."""

    player: str
    is_bot: bool


class Counted(Good):
    """Base class of all statistics; `more` is true while some games are not counted yet."""

    games: int
    more: bool


class Pairing(Tally):
    """A house bot's results against another bot, or against all people (`challenger` is null)."""

    house: str
    challenger: str | None


class FinalScore(Score):
    """A final score and how often it occurred."""

    games: int


class Statistics(Counted):
    """Statistics on all games, or on one table with its statement and the games `ordered` there.

    `stakes` counts single, double and triple games. `course` is a curve for a chart: each point is
    a number of games played and how many of them the house had won.
    """

    void: int
    pairs: list[Pairing]
    scores: list[FinalScore]
    stakes: list[int]
    course: list[tuple[int, int]]
    statement: HouseStatement | None = None
    ordered: GameNumbers | None = None


class AgainstBot(Tally):
    """A player's results against one of the house's bots."""

    bot: str


class PublicPlayer(Counted):
    """A player's public record, without amounts; `last` has the newest games first."""

    player: str
    played: Tally
    backed: Tally
    against: list[AgainstBot]
    stakes: list[int]
    last: list[PastGame]


class Word(Form):
    """The expert's frequencies of proposing and accepting at a score, from 0 to 1."""

    elder: int
    dealer: int
    proposes: float
    accepts: float


class HandChart(Good):
    """The chart's entry for a hand and a turn-up.

    `elder` and `dealer` count the opposing hands against which the hand takes 0 to 5 tricks in that
    role, with all cards open. `hands` is the number of equivalent hands. `stands` and `refuses` are
    the decisions by the rule of thumb.
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


Tables: Final = answer("Tables", tables=list[Summary], play_at=str, can_play=bool)
# `link` is the token that lets people in if the table is private, else "".
TableOpened: Final = answer("TableOpened", table=str, link=str)
# `running` is the game that will still be finished, or "".
TableClosing: Final = answer("TableClosing", table=str, running=str)
TableChanged: Final = answer("TableChanged", table=str, from_game=int)
GamesOrdered: Final = answer("GamesOrdered", Good, GameNumbers)
TableSnapshot: Final = answer("TableSnapshot", Good, messages.Snapshot)
Games: Final = answer("Games", games=list[GameLine])
# `snapshot` is the table before the game, and `steps` are the messages about the game.
Replay: Final = answer("Replay", snapshot=messages.Snapshot, steps=list[Step])
# `hint` is null if the player has nothing to decide.
Hinted: Final = answer("Hinted", hint=Hint | None)
# The sum of `cost` over all decisions of a game, for each side.
GivenAway: Final = answer("GivenAway", Form, house=float, challenger=float)
# Every decision in which there was a choice.
ReviewedGame: Final = answer(
    "ReviewedGame",
    game=str | None,
    players=messages.Players | None,
    decisions=list[Decision],
    given_away=GivenAway,
)
Log: Final = answer("Log", size=int, leaves=list[LeafBytes])
# The newest checkpoint (C2SP) with the signing key, and proofs of key rotations.
Checkpoint: Final = answer("Checkpoint", size=int, checkpoint=str, key=str, handed_on=list[str])
# `receipt` is a C2SP tlog-proof.
Receipt: Final = answer("Receipt", bet=str, receipt=str)
# The most reliable winners first.
Leaders: Final = answer("Leaders", Counted, challengers=list[Leader], backers=list[Leader])
