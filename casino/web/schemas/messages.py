"""Pydantic models for the live connection: the server's messages, and its answers to requests.

`tools/message_types.py` generates the scripts' types from these and the JSON API's models.
Seats and sides are "house" and "challenger". Cards and actions are the tokens of a game record
("KH", "P", "X7H8D", with "??" for each card of a hidden exchange), and several cards are one text
("KH7S"). Amounts are whole cents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Annotated, Any, Final, Literal, TypeAlias, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, RootModel, create_model

from casino import betting, ecarte
from casino.events import types
from casino.web.schemas import requests

Seat: TypeAlias = Literal["house", "challenger"]
Turn: TypeAlias = Seat | None
SeatChange: TypeAlias = Literal["queued", "seated", "left", "defaulted"]


class Form(BaseModel):
    """Base class of all response models; undeclared fields are an error."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Good(Form):
    """Base class of all successful responses."""

    ok: Literal[True]


def answer(name: str, *bases: type[Form], **fields: Any) -> Any:
    """Return the model of an answer; a field with a default is given as (type, default)."""
    return create_model(name, __base__=bases or (Good,), __module__=__name__, **fields)


class Score(Form):
    """One number per seat."""

    house: int
    challenger: int


def model_of(name: str, kind: Any, allowed: Mapping[str, Sequence[Any]] | None = None) -> Any:
    """Return the model of a named tuple or dataclass that is sent as an object.

    If the texts `allowed` for some fields are given, fields with a default may be missing.
    """
    fields: dict[str, Any] = {}
    for field, hint in get_type_hints(kind).items():
        default = ... if allowed is None else kind._field_defaults[field]
        texts = (allowed or {}).get(field) if hint is str else None
        fields[field] = (Literal[tuple(texts)] if texts else hint), default
    about = kind.__doc__.partition("\n")[0]
    return create_model(name, __base__=Form, __module__=__name__, __doc__=about, **fields)


Players: Any = model_of("Players", types.Players)
Laws: Any = model_of("Laws", ecarte.Laws, ecarte.laws.ALLOWED)
GalleryLaws: Any = model_of("GalleryLaws", betting.BettingRules, betting.rules.ALLOWED)
Limits: Any = model_of("Limits", betting.BetSizeLimits)
Cover: Any = model_of("Cover", betting.Cover)


class Bet(Form):
    """A bet on a running game."""

    order: int
    player: str
    side: Seat
    unit_cents: int


class MatchedBet(Bet):
    """A bet; `matched_cents` is set once betting is closed."""

    matched_cents: int = 0


class AcceptedBet(Bet):
    """A bet with the number of the commitment that was made with it, or null if none was."""

    seal_number: int | None


class Outcome(Form):
    """The result of a bet or of a principal's stake."""

    order: int
    player: str
    side: Seat
    matched_cents: int
    gain_cents: int
    commission_cents: int


class Book(Form):
    """The totals bet on each side, house first, and the amount matched on each side (G9)."""

    totals_cents: tuple[int, int] = (0, 0)
    matched_cents: int = 0
    closed: bool = False
    cover: Cover | None = None


class Seal(Form):
    """A commitment to a contribution, numbered from 1 within its game."""

    number: int
    player: str


class Locked(Form):
    """The numbers of bets and commitments, and the cover, fixed when the book was locked."""

    bets: int
    seals: int
    cover: Cover


class Revealed(Form):
    """The numbers of the opened and withheld contributions, and the hash of those that count."""

    opened: list[int] = []
    withheld: list[int] = []
    cut: str = ""


class GameResult(Form):
    """A table's finished game; `stake` is 1, 2 or 3 (single, double, triple), or 0 if void."""

    game: str
    winner: Seat | None
    stake: int


class Deal(Form):
    """The current deal as spectators see it; `hands` is empty until the hands are shown."""

    number: int
    dealer: Seat
    turn: Seat | None
    turn_up: str | None
    score: Score
    tricks: Score
    stock: int
    sizes: Score
    hands: dict[Seat, str]
    exposed: str
    led: str | None
    actions: list[str]


class Rules(Form):
    """A table's settings; `house` and `challenger` are its bots."""

    laws: Laws
    gallery: GalleryLaws
    limits: Limits
    stake_cents: int
    house: str
    challenger: str
    holder: str


class NewGame(Rules):
    """A game with its settings; `bots` has the seats played by programs, even by people's own."""

    commitment: str
    players: Players
    bots: dict[Seat, str]
    cover: Cover


class PouleRules(Form):
    """A table's rules for poules: number of entrants, entry, and wins in a row that end a poule."""

    players: int
    entry_cents: int
    wins: int


class Poule(Form):
    """A running poule, whose entrants are numbered from 1 in the order drawn.

    `person` is the number of the person among them. The first two of `line` have the `seats` of the
    running or the next game, and the first one has won the last `wins` games.
    """

    id: str
    entrants: list[str]
    person: int | None
    line: list[int]
    wins: int
    seats: Score
    pool_cents: int


class PouleWon(Form):
    """The entrant who has won a poule."""

    winner: int
    name: str
    pool_cents: int


class PouleVoided(Form):
    """Why a poule is void."""

    void: types.PouleVoidReason


class Snapshot(Rules, Book, Revealed):
    """A table's public state; between games, fields from `game` on have their defaults.

    `challenger` is the bot that plays while no person has the seat, or "" if there is none, and
    `proof` is the receipt for the leaf that locked the book.
    """

    table: str
    version: int
    taking: bool = True
    away: bool = False
    seconds: float | None = None
    queue: list[str]
    road: list[GameResult]
    proof: str = ""
    poule: Poule | None = None
    game: str = ""
    commitment: str = ""
    players: Players | None = None
    bots: dict[Seat, str] = {}
    seals: list[Seal] = []
    locked: Locked | None = None
    cuts_opened: int = 0
    bets: list[MatchedBet] = []
    deal: Deal | None = None


class TableEvent(Form):
    """The fields of all events; `seconds` is the time left until the current countdown ends."""

    table: str
    version: int
    game: str | None = None
    seconds: float | None = None


def _event(kind: str, *bases: type[Form], **fields: Any) -> Any:
    name = kind.title().replace("_", "") + "Event"
    return create_model(name, __base__=(TableEvent, *bases), **{"type": Literal[kind], **fields})


EVENTS: Final = (
    _event("game_opened", NewGame, game=str),
    _event("cut", Seal),
    _event("bet_accepted", AcceptedBet),
    # Replaces single events when many bets arrive at once.
    _event("book", Book, new_bets=(list[AcceptedBet], []), new_cuts=(list[Seal], [])),
    _event("book_locked", Book, Locked, proof=(str, "")),
    _event("cuts_opened", opened=int, seals=int),
    # `returned` lists the orders of the bets that were given back.
    _event(
        "betting_closed",
        Book,
        Revealed,
        bets=list[MatchedBet],
        returned=list[int],
        first_dealer=Seat,
    ),
    _event("dealt", deal=Deal),
    _event("turned_up", card=str, turn=Turn),
    # `deal` is set after an action that takes play back.
    _event(
        "action",
        seat=Seat,
        action=str,
        turn=Turn,
        deal=(Deal | None, None),
        revoked=(list[Seat], []),
    ),
    _event("trick", taker=Seat, tricks=Score),
    _event("points", score=Score),
    # `hands` has both hands at the beginning of play, once they may be shown.
    _event("deal_over", score=Score, tricks=Score, hands=(dict[Seat, str], {})),
    _event("game_over", winner=Seat, score=Score, stake=int, server_seed=str, cuts=int),
    _event("settled", bets=list[Outcome], principals=list[Outcome]),
    _event("game_void", reason=str, server_seed=str | None),
    # `late` says whether someone who defaulted had run out of time.
    _event("seat", player=str, what=SeatChange, holder=str, queue=list[str], late=(bool, False)),
    # A poule has opened, an entrant has won a game or was struck, or the poule is over (null).
    _event("poule", poule=Poule | None, result=PouleWon | PouleVoided | None),
    _event("checkpoint", note=str),
    # Whether bets are taken; if not, whether the house is away.
    _event("notice", taking=bool, away=(bool, False)),
    # The server has read the table from its log again, after a fault.
    _event("restored"),
)
_ANY_EVENT: Any = Annotated[reduce(or_, EVENTS), Field(discriminator="type")]


class Event(RootModel[_ANY_EVENT]):
    """A change at a table; versions increase by one."""


class Reason(Form):
    """Why a request or a card is refused: a stable code, and an English message.

    `reason` is the stable name of the message, `values` its parameters, and `article` the rule it
    rests on. Pages in other languages build their own message from these.
    """

    code: str
    message: str
    reason: str = ""
    article: str = ""
    values: dict[str, str | int] = {}


class Refusal(Reason):
    """A refused request."""

    ok: Literal[False]


class You(Form):
    """A player's private state; `text` is the state of their contribution to the shuffle."""

    table: str = ""
    name: str = ""
    balance_cents: int | None = None
    game: str = ""
    text: Literal["", "sealed", "opened", "counted", "missed"] = ""
    version: int = 0
    hand: list[str] = []
    legal: list[str] = []
    why: dict[str, Reason] = {}
    seconds: float | None = None


class SideOdds(Form):
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


class BothOdds(Form):
    """The win probabilities of both sides."""

    house: SideOdds
    challenger: SideOdds


class Odds(Form):
    """The win probabilities in the game running at a version of a table, null between games.

    `watching` is the number of connections that watch the table.
    """

    table: str
    version: int
    game: str | None
    chance: BothOdds | None
    watching: int


class ChatMessage(Form):
    """A chat phrase sent by a player."""

    table: str
    player: str
    phrase: requests.Phrase


class Versioned(Good):
    """The table's version after a request."""

    version: int


class Joined(Versioned):
    """A table's snapshot, or the events that the client has missed, with the betting status."""

    snapshot: Snapshot | None = None
    events: list[Event] = []
    chance: Odds | None = None
    taking: bool = True
    away: bool = False
    you: You | None = None


# `seal_number` is the number of the commitment in its game.
Sealed: Final = answer("Sealed", Versioned, seal_number=int)
# `leaf` is the number of the bet's leaf in the log.
PlacedBet: Final = answer(
    "PlacedBet", Form, bet_id=str, game=str, order=int, side=Seat, unit_cents=int, leaf=int,
    seal_number=(int | None, None),
)  # fmt: skip
BetPlaced: Final = answer("BetPlaced", Versioned, bet=PlacedBet, balance_cents=int)
Refilled: Final = answer("Refilled", Good, granted_cents=int, balance_cents=int)
# `seconds` are what the player has left.
MoreTime: Final = answer("MoreTime", Versioned, seconds=float | None)

# The clients' messages by name, each with the models of its payload and of the answer.
MESSAGES: Final[dict[str, tuple[type[requests.OfTable], type[Form]]]] = {
    "join": (requests.Join, Joined),
    "leave": (requests.OfTable, Versioned),
    "cut": (requests.Cut, Sealed),
    "open_cut": (requests.OpenCut, Versioned),
    "place_bet": (requests.PlaceBet, BetPlaced),
    "start": (requests.Start, Versioned),
    "take_seat": (requests.TakeSeat, Versioned),
    "leave_seat": (requests.LeaveSeat, Versioned),
    "act": (requests.Act, Versioned),
    "say": (requests.Say, Versioned),
    "more_time": (requests.OfTable, MoreTime),
}
