"""Commands to a table: immutable records, each may be refused.

Seats, sides and actions are the numbers of `casino.ecarte`; amounts are whole cents.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from casino.ecarte import Action, Seat
from casino.table.domain.settings import TableSettings


class BeginChain(NamedTuple):
    """The table runner fixes the seeds of the next games; a reason explains a replaced chain."""

    table: str
    anchor: str
    length: int
    reason: str = ""


class OpenGame(NamedTuple):
    """The table runner opens the next game with the next seed of its chain."""

    table: str
    server_seed: bytes


def bet_command_id(player: str, bet_id: str) -> str:
    """Return the command id of a bet; it contains the player, so two people may use the same
    `bet_id`.

    No name and no `bet_id` has a slash, so no two bets and no other command share an id.
    """
    return f"bet/{player}/{bet_id}"


class PlaceBet(NamedTuple):
    """A spectator bets; repeating a `bet_id` with the same content is the same bet.

    The first bet of a game carries the commitment to its bettor's contribution.
    """

    table: str
    game: str
    bet_id: str
    player: str
    side: Seat
    unit_cents: int
    seal: str | None = None


class SealCut(NamedTuple):
    """The challenger commits to a contribution."""

    table: str
    game: str
    player: str
    seal: str


class OpenCut(NamedTuple):
    """A player reveals a contribution after the lock of the book was proved."""

    table: str
    game: str
    player: str
    text: str


class CloseBetting(NamedTuple):
    """Betting ends: by the table's clock, or by the challenger if no one has bet (G1)."""

    table: str
    game: str
    player: str = ""


class CloseReveals(NamedTuple):
    """The time to reveal contributions is over, by the table's clock."""

    table: str
    game: str


class DealCards(NamedTuple):
    """The table runner deals: a game's first deal, or the next one."""

    table: str
    turn: int


class PlayBotActions(NamedTuple):
    """The bots' answers, one action after the other, for seats that no person plays."""

    table: str
    turn: int
    actions: tuple[Action, ...]


class PlayAction(NamedTuple):
    """The person in the challenger's seat acts in turn number `turn`."""

    table: str
    turn: int
    player: str
    action: Action


class TakeSeat(NamedTuple):
    """A person asks for the challenger's seat and offers `cover_cents` as cover (G7)."""

    table: str
    player: str
    cover_cents: int = 0


class LeaveSeat(NamedTuple):
    """A person gives up the seat, or their place in its queue."""

    table: str
    player: str


class TimeOutPlayer(NamedTuple):
    """The time of the person who is to act in turn `turn` has run out."""

    table: str
    turn: int


class SetTableSettings(NamedTuple):
    """The house sets the settings of a table."""

    table: str
    rules: TableSettings


class VoidGame(NamedTuple):
    """The running game cannot go on: everyone gets everything back (G14).

    `reason` is a key of `VOID_REASONS` or an operator's own sentence.
    """

    table: str
    game: str
    reason: str
    fault: str | None = None


class SetLimit(NamedTuple):
    """A player sets a limit: `key` is one of those of `casino.player_limits`."""

    player: str
    key: str
    value: int


TableCommand: TypeAlias = (
    BeginChain | OpenGame | PlaceBet | SealCut | OpenCut | CloseBetting | CloseReveals | DealCards
    | PlayBotActions | PlayAction | TakeSeat | LeaveSeat | TimeOutPlayer | SetTableSettings
    | VoidGame
)  # fmt: skip
Command: TypeAlias = TableCommand | SetLimit

# An operator's setting: whether games begin and people may queue.
Stands: TypeAlias = Literal["open", "paused", "closed"]
