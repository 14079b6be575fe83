"""Event types, one class per type of leaf, and their decoding.

Leaves are public, so an event must not contain a secret. It names only cards that everyone may see,
and represents an exchange by a number of cards and a commitment. Fields that are None are omitted.
docs/log.md explains each field.

>>> leaf = decode(b'{"at":5,"game":"t1-000001","player":"ann","seal":"x","type":"cut"}')
>>> leaf.game, leaf.player
('t1-000001', 'ann')
>>> decode(b'{"at":5,"game":"t1-000001","player":7,"seal":"x","type":"cut"}')
Traceback (most recent call last):
    ...
casino.errors.FileError: Expected `str`, got `int` - at `$.player`
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Final, Literal, TypeAlias, get_args

import msgspec

from casino.ecarte.actions import FIXED_TOKENS
from casino.ecarte.cards import CARD_NAMES
from casino.errors import FileError
from casino.ledger.entries import (
    BROKEN,
    AnswersGiven,
    KeyRotated,
    Leaf,
    LogOpened,
    Part,
    RunStarted,
    RunStopped,
    Whole,
)
from casino.ledger.entries import Entry as Entry

Side: TypeAlias = Literal["house", "challenger"]
# Names of the seats, and of the sides of a bet, by number.
SIDES: Final[tuple[Side, Side]] = ("house", "challenger")

# Who may watch a hosted table: everyone, or those who have its link.
Audience: TypeAlias = Literal["public", "link"]
# Set if the challenger's own program plays: no one else can recompute its decisions.
PlayedBy: TypeAlias = Literal["remote_bot"]
ClosingReason: TypeAlias = Literal["host", "operator", "idle", "games"]
PouleVoidReason: TypeAlias = Literal["closed", "operator", "person_enters", "secrets_lost"]

# Tokens of actions as published: an exchange shows only its number of cards.
_PUBLIC_TOKENS: Final = (*FIXED_TOKENS, *("X" + "??" * number for number in range(6)))

if TYPE_CHECKING:
    Card: TypeAlias = str
    PublicToken: TypeAlias = str
else:
    Card = Literal[CARD_NAMES]
    PublicToken = Literal[_PUBLIC_TOKENS]


class TermsSet(Leaf, frozen=True, kw_only=True, tag="terms"):
    """Settings of a table, which apply from game number `from_game`.

    `hosted` is set for a table that someone opened while the casino ran. Once it gives a reason
    for closing, the table at most finishes its game or a person's poule.
    """

    abandon: str
    challenger: str
    day_cents: Whole
    from_game: Whole
    gallery: BettingLaws
    hosted: HostedTable | None = None
    house: str
    house_cover_cents: Whole
    laws: GameLaws
    limits: UnitLimits
    pace: Pacing
    refill_cents: Whole
    slip_permille: Whole
    stake_cents: Whole
    table: str


class GrantTerms(Leaf, frozen=True, kw_only=True, tag="grant_terms"):
    """Amounts granted, from this leaf on, to the house's bank, new players and simulated bettors.

    A refill raises a wallet to `refill_cents`, at most once every `refill_ms`; a simulated bettor
    gets at most `spectator_cents` at a time.
    """

    bank_cents: Whole
    opening_cents: Whole
    refill_cents: Whole
    refill_ms: Whole
    spectator_cents: Whole


class SeedChain(Leaf, frozen=True, kw_only=True, tag="seed_chain"):
    """Start of a seed chain; `reason` is set if the previous chain was left unfinished."""

    anchor: str
    chain: Whole
    length: Whole
    reason: str | None = None
    table: str


class GameOpened(Leaf, frozen=True, kw_only=True, tag="game_opened"):
    """Start of a game, with its players and the commitment to its seed.

    The seed is number `number` in the table's seed chain `chain`; `cover_cents` is the cover that
    the challenger offers, and `played_by` is set if their own program plays for them.
    """

    bots: Bots
    chain: Whole
    commitment: str
    cover_cents: Whole = 0
    game: str
    loser_deals: Side | None = None
    number: Whole
    played_by: PlayedBy | None = None
    players: Players
    table: str


class CutSealed(Leaf, frozen=True, kw_only=True, tag="cut"):
    """The challenger's commitment to a contribution; bettors send theirs with a bet."""

    game: str
    player: str
    seal: str


class BetAccepted(Leaf, frozen=True, kw_only=True, tag="bet"):
    """Accepted bet, numbered by `order` within its game; `seal` commits to a contribution."""

    game: str
    order: Whole
    player: str
    seal: str | None = None
    side: Side
    unit_cents: Whole


class BookLocked(Leaf, frozen=True, kw_only=True, tag="book_locked"):
    """End of betting, which fixes each principal's maximum cover."""

    bets: Whole
    cover: CoverLimits
    game: str
    seals: Whole


class CutOpened(Leaf, frozen=True, kw_only=True, tag="cut_opened"):
    """Revealed contribution; `number` is the number of its commitment in the game."""

    game: str
    number: Whole
    text: str


class CutLate(Leaf, frozen=True, kw_only=True, tag="cut_late"):
    """Contribution revealed too late to count, after the book was closed."""

    late: ClassVar[bool] = True

    game: str
    number: Whole
    text: str


class BettingClosed(Leaf, frozen=True, kw_only=True, tag="betting_closed"):
    """End of betting: `cut` hashes the contributions, and `withheld` numbers those not revealed."""

    cut: str
    first_dealer: Side
    game: str
    matched_cents: Whole
    withheld: tuple[Whole, ...] = ()


class PackDealt(Leaf, frozen=True, kw_only=True, tag="dealt"):
    """Start of a deal; its cards follow from the seed, which is revealed after the game."""

    deal: Whole
    dealer: Side
    game: str


class TurnedUp(Leaf, frozen=True, kw_only=True, tag="turned_up"):
    """The turn-up of a deal."""

    card: Card
    game: str


class ActionTaken(Leaf, frozen=True, kw_only=True, tag="action"):
    """A player's action; `seal` commits to the cards of an exchange.

    For an exposed card, `of` is its owner's seat; for a claim, `revoked` lists the revoking seats.
    """

    action: PublicToken
    game: str
    of: Side | None = None
    revoked: tuple[Side, ...] = ()
    seal: str | None = None


class HandsShown(Leaf, frozen=True, kw_only=True, tag="hands"):
    """Cards left unplayed at the end of a deal."""

    challenger: str
    game: str
    house: str


class GameOver(Leaf, frozen=True, kw_only=True, tag="game_over"):
    """End of a won game, with its seed and exchanged cards; the entry that settles it follows."""

    exchanges: tuple[str, ...] = ()
    game: str
    score: Score
    server_seed: str
    stake: Whole
    winner: Side


class GameVoid(Leaf, frozen=True, kw_only=True, tag="game_void"):
    """End of a void game, with its seed and the cards of all exchanges.

    `reason` is a key of `ENGLISH` or an operator's own sentence, and `fault` is the type of
    a failed bot's error. `server_seed` is None if the seed was lost.
    """

    exchanges: tuple[str, ...] = ()
    fault: str | None = None
    game: str
    reason: str
    server_seed: str | None = None


class SeatChanged(Leaf, frozen=True, kw_only=True, tag="seat"):
    """Change to the seat or its queue; `what` is queued, seated, left, or defaulted (in `game`).

    `played_by` is set on queuing if the player's own program will play.
    """

    game: str | None = None
    played_by: PlayedBy | None = None
    player: str
    table: str
    what: str


class PouleOpened(Leaf, frozen=True, kw_only=True, tag="poule_opened"):
    """Start of a poule with its entrants in the order drawn; the entry that holds the pool follows.

    `game` is the poule's id; its first game opens in the same transaction. `player` is the person
    among the entrants, or None.
    """

    entrants: tuple[str, ...]
    game: str
    player: str | None = None
    table: str


class PouleOver(Leaf, frozen=True, kw_only=True, tag="poule_over"):
    """End of a poule, won by entrant number `winner`; the entry that pays the pool follows."""

    game: str
    winner: Whole


class PouleVoid(Leaf, frozen=True, kw_only=True, tag="poule_void"):
    """End of a void poule; the entry that returns the pool follows."""

    game: str
    reason: PouleVoidReason


class LimitSet(Leaf, frozen=True, kw_only=True, tag="limit"):
    """Limits that a player has set for themselves, which apply from time `from_ms`."""

    from_ms: Whole = msgspec.field(name="from")
    limits: OwnLimits
    player: str


Event: TypeAlias = (
    LogOpened
    | Entry
    | AnswersGiven
    | KeyRotated
    | RunStarted
    | RunStopped
    | TermsSet
    | GrantTerms
    | SeedChain
    | GameOpened
    | CutSealed
    | BetAccepted
    | BookLocked
    | CutOpened
    | CutLate
    | BettingClosed
    | PackDealt
    | TurnedUp
    | ActionTaken
    | HandsShown
    | GameOver
    | GameVoid
    | SeatChanged
    | PouleOpened
    | PouleOver
    | PouleVoid
    | LimitSet
)


# Events that change no legal action in a deal and restart no countdown.
KEEP_TURN: Final = frozenset(
    {
        TermsSet, SeedChain, CutSealed, BetAccepted, CutOpened, CutLate, SeatChanged, PouleOpened,
        PouleOver, PouleVoid,
    }
)  # fmt: skip


class GameLaws(Part, frozen=True, kw_only=True):
    """The laws of a game, as in its record."""

    deal: str
    enforcement: str
    first_dealer: str
    packets: tuple[Whole, Whole]
    play: str
    target: Whole
    vole_unexchanged: Whole


class BettingLaws(Part, frozen=True, kw_only=True):
    """Betting rules of a table."""

    commission_base: str
    commission_bp: Whole
    gallery_stakes: str
    matching: str
    principal_commission_bp: Whole


class HostedTable(Part, frozen=True, kw_only=True):
    """A hosted table; `host` is None for the operator, and `games` is 0 for no limit.

    `poule` is set if every game of the table belongs to a poule.
    """

    audience: Audience
    closed: ClosingReason | None = None
    games: Whole
    host: str | None = None
    poule: PouleTerms | None = None
    spectators: Whole


class PouleTerms(Part, frozen=True, kw_only=True):
    """The entry for a table's poules, and how many wins in a row take the pool.

    The entrants are the house's bot, `others`, and the challenger's bot or a person in its place.
    """

    entry_cents: Whole
    others: tuple[str, ...]
    wins: Whole


class UnitLimits(Part, frozen=True, kw_only=True):
    """Limits on the units per bet, per bettor and per side."""

    bettor_cents: Whole
    greatest_cents: Whole
    least_cents: Whole
    side_cents: Whole


class Players(Part, frozen=True, kw_only=True):
    """Names of the two players."""

    challenger: str
    house: str


class BotName(Part, frozen=True, kw_only=True):
    """Identity of a bot, sufficient to recompute its decisions."""

    name: str
    strength: str = ""
    version: str


class Bots(Part, frozen=True, kw_only=True):
    """Bots in the two seats; None for a person."""

    challenger: BotName | None = None
    house: BotName | None = None


class CoverLimits(Part, frozen=True, kw_only=True):
    """Maximum cover of each principal."""

    challenger_cents: Whole
    house_cents: Whole


class OwnLimits(Part, frozen=True, kw_only=True):
    """A player's new limits; None leaves a limit unchanged."""

    break_until_ms: Whole | None = None
    day_loss_cents: Whole | None = None
    day_stake_cents: Whole | None = None


class Pacing(Part, frozen=True, kw_only=True):
    """Pauses and time limits of a table, in milliseconds."""

    action_ms: Whole
    betting_ms: Whole
    deal_ms: Whole
    game_ms: Whole
    grace_ms: Whole
    reveal_ms: Whole
    turn_ms: Whole


class Score(Part, frozen=True, kw_only=True):
    """Points of each seat."""

    challenger: Whole
    house: Whole


LEFT: Final = "challenger_left"
OUT_OF_TIME: Final = "challenger_out_of_time"
BOT_FAILED: Final = "bot_failed"
SECRETS_LOST: Final = "secrets_lost"

ENGLISH: Final = {
    LEFT: "the challenger left",
    OUT_OF_TIME: "the challenger ran out of time",
    BOT_FAILED: "the bot failed",
    SECRETS_LOST: "the casino could not resume this game",
}


def is_poule(subject: str) -> bool:
    """Return True if this is the id of a poule, such as `h1-p000007`, not of a game.

    >>> is_poule("h1-p000007"), is_poule("h1-000007")
    (True, False)
    """
    return subject.rpartition("-")[2].startswith("p")


def void_reason_text(reason: str) -> str:
    """Return a void game's reason in English; an operator's own sentence is returned unchanged.

    >>> void_reason_text(BOT_FAILED), void_reason_text("the lights went out")
    ('the bot failed', 'the lights went out')
    """
    return ENGLISH.get(reason, reason)


# Event classes by the type name in a leaf.
KINDS: Final[Mapping[str, type[Event]]] = {
    kind.__struct_config__.tag: kind for kind in get_args(Event)
}

_decoder: Final = msgspec.json.Decoder(Event)
_encoder: Final = msgspec.json.Encoder(order="sorted")  # canonical JSON has sorted keys (L6)

read_any: Final[Callable[[bytes], Event]] = _decoder.decode
decode_lines: Final[Callable[[bytes], list[Event]]] = _decoder.decode_lines
encode_lines: Final[Callable[[Sequence[Event]], bytes]] = _encoder.encode_lines


def decode_canonical(bodies: Sequence[bytes]) -> list[Event] | None:
    """Decode many leaves, or return None if one is invalid or not in canonical form.

    Decoding them together as lines takes half as long as decoding each. A canonical leaf contains
    no newline, so if the events encode to the same lines, every leaf was canonical.
    """
    text = b"\n".join(bodies)
    try:
        events = decode_lines(text)
    except BROKEN:
        return None
    is_same = len(events) == len(bodies) and encode_lines(events) == text + b"\n"
    return events if is_same else None


def decode(body: bytes) -> Event:
    """Decode a leaf; raise `FileError` if it is not a valid event."""
    try:
        return read_any(body)
    except BROKEN as error:
        raise FileError(str(error)) from None


def decode_or_none(body: bytes) -> Event | None:
    """Decode a leaf, or return None if it is not a valid event."""
    try:
        return read_any(body)
    except BROKEN:
        return None
