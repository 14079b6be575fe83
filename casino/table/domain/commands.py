"""Commands to a table, as immutable records. Each can be refused.

Seats, sides and actions are the numbers of `casino.ecarte`; amounts are in cents.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, NamedTuple, TypeAlias

from msgspec import Meta, Struct

from casino.ecarte import Action, Seat
from casino.errors import RefusalReason
from casino.events.types import ClosingReason, PouleVoidReason
from casino.table.domain.settings import TableSettings

UNKNOWN_TABLE: Final = RefusalReason(
    "unknown_table", "unknown_table", "there is no table {table}: look at the lobby"
)


class _PlayerCommand(Struct, frozen=True, tag=True, array_like=True):
    """Base class of the commands that players may send, which workers pass on as JSON."""


class BeginChain(NamedTuple):
    """Start a new seed chain; `reason` explains why an unfinished one is replaced."""

    table: str
    anchor: str
    length: int
    reason: str = ""


class OpenGame(NamedTuple):
    """Open the next game with the next seed of the table's chain.

    With `bots_only`, it is refused if a person has the challenger's seat or waits for it.
    """

    table: str
    server_seed: bytes
    bots_only: bool = False


def bet_command_id(player: str, bet_id: str) -> str:
    """Return the id of a bet's command.

    It includes the player, so two people may use the same `bet_id`. Neither part can contain a
    slash, so no other command has the same id.
    """
    return f"bet/{player}/{bet_id}"


class PlaceBet(_PlayerCommand, frozen=True):
    """Place a spectator's bet; repeating a `bet_id` with the same content has no effect.

    A bettor's first bet of a game may include the commitment to a contribution.
    """

    table: str
    game: str
    bet_id: str
    player: str
    side: Seat
    unit_cents: int
    seal: str | None = None


class SealCut(_PlayerCommand, frozen=True):
    """Record the challenger's commitment to a contribution."""

    table: str
    game: str
    player: str
    seal: str


class OpenCut(_PlayerCommand, frozen=True):
    """Reveal a player's contribution; allowed only once the book is locked."""

    table: str
    game: str
    player: str
    text: str


class CloseBetting(_PlayerCommand, frozen=True):
    """End betting because time is up, or at `player`'s request while there are no bets (G1)."""

    table: str
    game: str
    player: str = ""


class CloseReveals(NamedTuple):
    """Close the book because the time for revealing contributions is over."""

    table: str
    game: str


class DealCards(NamedTuple):
    """Begin the first or the next deal of a game."""

    table: str
    turn: int


class PlayBotActions(NamedTuple):
    """Play successive actions of bots, beginning in turn `turn`."""

    table: str
    turn: int
    actions: tuple[Action, ...]


class PlayAction(_PlayerCommand, frozen=True):
    """Play an action of the person in the challenger's seat, in turn `turn`."""

    table: str
    turn: int
    player: str
    action: Action


class TakeSeat(_PlayerCommand, frozen=True):
    """Request the challenger's seat for a person, who offers `cover_cents` as cover (G7).

    `remote_bot` states that a program of theirs will play.
    """

    table: str
    player: str
    cover_cents: int = 0
    remote_bot: bool = False


class LeaveSeat(_PlayerCommand, frozen=True):
    """Give up a person's seat, or remove them from its queue.

    If `game` is given, only that game may be given up.
    """

    table: str
    player: str
    game: str | None = None


class TimeOutPlayer(NamedTuple):
    """Record the default of a person who has run out of time in turn `turn`."""

    table: str
    turn: int


class SetTableSettings(NamedTuple):
    """Replace a table's settings with those from the configuration or from its host."""

    table: str
    rules: TableSettings


class OpenTable(NamedTuple):
    """Open a hosted table with these settings, under a name that the casino chooses.

    Repeating an `id` has no effect. `max_open` limits the open tables of the host, and `max_total`
    those of all hosts; the operator has no limit.
    """

    id: str
    rules: TableSettings
    max_open: int
    max_total: int


class CloseTable(NamedTuple):
    """Close a hosted table; its running game is still played to the end."""

    table: str
    reason: ClosingReason


class VoidGame(NamedTuple):
    """Void the running game (G14); `reason` is a key of `events.types.ENGLISH` or free text."""

    table: str
    game: str
    reason: str
    fault: str | None = None


class VoidPoule(NamedTuple):
    """Void a table's poule between two games, and refund all entries."""

    table: str
    reason: PouleVoidReason


# A field of `casino.player_limits.PlayerLimits`.
LimitKey: TypeAlias = Literal["day_stake_cents", "day_loss_cents", "break_until_ms"]


class SetLimit(_PlayerCommand, frozen=True):
    """Set a player's own limit."""

    player: str
    key: LimitKey
    value: Annotated[int, Meta(ge=0, le=2**53 - 1)]


TableCommand: TypeAlias = (
    BeginChain | OpenGame | PlaceBet | SealCut | OpenCut | CloseBetting | CloseReveals | DealCards
    | PlayBotActions | PlayAction | TakeSeat | LeaveSeat | TimeOutPlayer | SetTableSettings
    | VoidGame | CloseTable | VoidPoule
)  # fmt: skip
Command: TypeAlias = TableCommand | SetLimit | OpenTable
PlayerCommand: TypeAlias = (
    PlaceBet | SealCut | OpenCut | CloseBetting | TakeSeat | LeaveSeat | PlayAction | SetLimit
)

# Operator's switch: a paused table opens no games; a closed one also clears the seat and queue.
Stands: TypeAlias = Literal["open", "paused", "closed"]
