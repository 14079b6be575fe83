"""What each type of leaf holds, as types: the tables of docs/log.md, for who reads and checks.

A leaf is read into the class of its type, which refuses a value of a wrong type, a field that is
missing and one too many. Fields stand in the order of their names, so that a leaf written again
comes to the bytes that were read, unless those were not canonical.

>>> leaf = read(b'{"at":5,"game":"t1-000001","player":"ann","text":"x","type":"cut"}')
>>> leaf.game, leaf.command
('t1-000001', None)
>>> read(b'{"at":5,"game":"t1-000001","player":7,"text":"x","type":"cut"}')
Traceback (most recent call last):
    ...
casino.errors.BadFile: Expected `str`, got `int` - at `$.player`
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct, field

from casino.bank.leaves import GREATEST
from casino.errors import BadFile

Whole: TypeAlias = Annotated[int, Meta(ge=-GREATEST, le=GREATEST)]
Side: TypeAlias = Literal["house", "challenger"]
Standing: TypeAlias = tuple[Whole, str, Side, Whole, Whole]
"""Order, player, side, unit, matched."""
Outcome: TypeAlias = tuple[Whole, str, Side, Whole, Whole, Whole, Whole]
"""Order, player, side, matched, escrow, gain, commission."""


class Part(Struct, frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True):
    """An object in a leaf, or a leaf; what may be missing from it is None then."""


class Laws(Part, frozen=True, kw_only=True):
    """The laws of a game, as in its record."""

    deal: str
    enforcement: str
    first_dealer: str
    packets: tuple[Whole, Whole]
    play: str
    target: Whole
    vole_unexchanged: Whole


class GalleryLaws(Part, frozen=True, kw_only=True):
    """The laws of betting."""

    commission_base: str
    commission_bp: Whole
    gallery_stakes: str
    matching: str
    principal_commission_bp: Whole


class Units(Part, frozen=True, kw_only=True):
    """The least and greatest units."""

    bettor_cents: Whole
    greatest_cents: Whole
    least_cents: Whole
    side_cents: Whole


class Players(Part, frozen=True, kw_only=True):
    """Who sits where."""

    challenger: str
    house: str


class Bot(Part, frozen=True, kw_only=True):
    """Who plays a seat by itself."""

    name: str
    strength: str
    version: str


class Bots(Part, frozen=True, kw_only=True):
    """The seats that bots play."""

    challenger: Bot | None = None
    house: Bot | None = None


class Cover(Part, frozen=True, kw_only=True):
    """The most either principal could cover."""

    challenger_cents: Whole
    house_cents: Whole


class DealRecord(Part, frozen=True, kw_only=True):
    """A deal of a game record."""

    actions: str
    dealer: Side
    deck: str


class Fairness(Part, frozen=True, kw_only=True):
    """What proves the cards of a record; a seed that was lost is missing."""

    commitment: str
    cut: str
    server_seed: str | None = None


class Score(Part, frozen=True, kw_only=True):
    """Points by seat."""

    challenger: Whole
    house: Whole


class Result(Part, frozen=True, kw_only=True):
    """How a game came out."""

    score: Score
    stake: Whole
    winner: Side


class Record(Part, frozen=True, kw_only=True):
    """A game record; one that was not finished has no result."""

    deals: list[DealRecord]
    egr: Whole
    fairness: Fairness
    first_dealer: Side
    game: str
    laws: Laws
    players: Players
    result: Result | None = None


class OwnLimits(Part, frozen=True, kw_only=True):
    """What a player allows himself."""

    break_until_ms: Whole | None = None
    day_loss_cents: Whole | None = None
    day_stake_cents: Whole | None = None


class LogOpened(Part, frozen=True, kw_only=True):
    """The first leaf."""

    at: Whole
    command: str | None = None
    key: str
    name: str
    type: Literal["log_opened"]
    version: Whole
    game: ClassVar[None] = None
    player: ClassVar[None] = None


class Entry(Part, frozen=True, kw_only=True):
    """Money moves."""

    at: Whole
    command: str | None = None
    corrects: Whole | None = None
    entry: Whole
    game: str | None = None
    move: str
    postings: list[tuple[str, Whole]]
    reason: str | None = None
    type: Literal["entry"]
    player: ClassVar[None] = None


class GameOpened(Part, frozen=True, kw_only=True):
    """A game begins."""

    at: Whole
    bots: Bots
    command: str | None = None
    commitment: str
    gallery: GalleryLaws
    game: str
    laws: Laws
    limits: Units
    loser_deals: Side | None = None
    players: Players
    stake_cents: Whole
    table: str
    type: Literal["game_opened"]
    player: ClassVar[None] = None


class Cut(Part, frozen=True, kw_only=True):
    """Somebody cuts the pack."""

    at: Whole
    command: str | None = None
    game: str
    player: str
    text: str
    type: Literal["cut"]


class Bet(Part, frozen=True, kw_only=True):
    """A bet is accepted."""

    at: Whole
    command: str | None = None
    game: str
    order: Whole
    player: str
    side: Side
    type: Literal["bet"]
    unit_cents: Whole


class BettingClosed(Part, frozen=True, kw_only=True):
    """The book is closed."""

    at: Whole
    command: str | None = None
    cover: Cover
    cut: str
    game: str
    matched_cents: Whole
    stands: list[Standing]
    type: Literal["betting_closed"]
    player: ClassVar[None] = None


class Dealt(Part, frozen=True, kw_only=True):
    """A pack is dealt."""

    at: Whole
    command: str | None = None
    deal: Whole
    dealer: Side
    game: str
    type: Literal["dealt"]
    player: ClassVar[None] = None


class TurnedUp(Part, frozen=True, kw_only=True):
    """The turn-up is shown."""

    at: Whole
    card: str
    command: str | None = None
    deal: Whole
    game: str
    type: Literal["turned_up"]
    player: ClassVar[None] = None


class Action(Part, frozen=True, kw_only=True):
    """A player acts."""

    action: str
    at: Whole
    command: str | None = None
    deal: Whole
    game: str
    number: Whole
    seal: str | None = None
    seat: Side | None = None
    type: Literal["action"]
    player: ClassVar[None] = None


class GameOver(Part, frozen=True, kw_only=True):
    """A game is won."""

    at: Whole
    command: str | None = None
    game: str
    record: Record
    type: Literal["game_over"]
    player: ClassVar[None] = None


class Settled(Part, frozen=True, kw_only=True):
    """What a game came to."""

    at: Whole
    bets: list[Outcome]
    command: str | None = None
    game: str
    multiplier: Whole
    principals: list[Outcome]
    type: Literal["settled"]
    winner: Side
    player: ClassVar[None] = None


class GameVoid(Part, frozen=True, kw_only=True):
    """A game does not count."""

    at: Whole
    command: str | None = None
    game: str
    reason: str
    record: Record
    type: Literal["game_void"]
    player: ClassVar[None] = None


class Seat(Part, frozen=True, kw_only=True):
    """The challenger's seat, or the queue for it."""

    at: Whole
    command: str | None = None
    player: str
    table: str
    type: Literal["seat"]
    what: str
    game: ClassVar[None] = None


class Limit(Part, frozen=True, kw_only=True):
    """A player's own limits."""

    at: Whole
    command: str | None = None
    from_ms: Whole = field(name="from")
    limits: OwnLimits
    player: str
    type: Literal["limit"]
    game: ClassVar[None] = None


Leaf: TypeAlias = (
    LogOpened
    | Entry
    | GameOpened
    | Cut
    | Bet
    | BettingClosed
    | Dealt
    | TurnedUp
    | Action
    | GameOver
    | Settled
    | GameVoid
    | Seat
    | Limit
)

_READ: Final = msgspec.json.Decoder
encode: Final[Callable[[object], bytes]] = msgspec.json.Encoder().encode
READERS: Final[Mapping[str, Callable[[bytes], Leaf]]] = {
    "log_opened": _READ(LogOpened).decode,
    "entry": _READ(Entry).decode,
    "game_opened": _READ(GameOpened).decode,
    "cut": _READ(Cut).decode,
    "bet": _READ(Bet).decode,
    "betting_closed": _READ(BettingClosed).decode,
    "dealt": _READ(Dealt).decode,
    "turned_up": _READ(TurnedUp).decode,
    "action": _READ(Action).decode,
    "game_over": _READ(GameOver).decode,
    "settled": _READ(Settled).decode,
    "game_void": _READ(GameVoid).decode,
    "seat": _READ(Seat).decode,
    "limit": _READ(Limit).decode,
}
"""How each type of leaf is read; what cannot be raises one of `BROKEN`."""
BROKEN: Final = (msgspec.DecodeError, ValueError, RecursionError)


class _Kind(Struct):
    """Nothing of a leaf but its type."""

    type: str


_read_kind: Final = _READ(_Kind).decode


def read(body: bytes) -> Leaf:
    """The leaf that some bytes hold; what is wrong with them is said."""
    try:
        kind = _read_kind(body).type
        if kind in READERS:
            return READERS[kind](body)
    except BROKEN as error:
        raise BadFile(str(error)) from None
    raise BadFile(f"there is no type of leaf {kind[:40]!r}")


def read_if_sound(body: bytes) -> Leaf | None:
    """The leaf that some bytes hold; nothing if they are broken, for who need not say so."""
    try:
        return read(body)
    except BadFile:
        return None
