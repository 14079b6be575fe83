"""What is asked of a table: frozen records, no behaviour; each may be refused.

Seats, sides and actions are the numbers of `casino.ecarte`; amounts are whole cents.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from casino.ecarte import Action, Seat
from casino.table.domain.settings import TableSettings


class BeginChain(NamedTuple):
    """The croupier fixes the seeds of a table's next games; a reason says why not as before."""

    table: str
    anchor: str
    length: int
    reason: str = ""


class OpenGame(NamedTuple):
    """The croupier opens the next game with the next seed of its chain."""

    table: str
    server_seed: bytes


def bet_command(player: str, bet_id: str) -> str:
    """The command id of a bet; with its player in it, two people may use the same `bet_id`.

    No name and no `bet_id` has a slash, so no two bets and no other command share an id.
    """
    return f"bet/{player}/{bet_id}"


class PlaceBet(NamedTuple):
    """A spectator bets; the same `bet_id` of his with the same content is the same bet.

    With the first bet of a game comes the seal on its bettor's text for the cut.
    """

    table: str
    game: str
    bet_id: str
    player: str
    side: Seat
    unit_cents: int
    seal: str | None = None


class SealCut(NamedTuple):
    """The challenger seals a text into the cut."""

    table: str
    game: str
    player: str
    seal: str


class OpenCut(NamedTuple):
    """Somebody opens the text behind a seal, the lock of the book having been proved."""

    table: str
    game: str
    player: str
    text: str


class CloseBetting(NamedTuple):
    """Betting ends: the croupier's clock says so, or the challenger, nobody having bet (G1)."""

    table: str
    game: str
    player: str = ""


class CloseReveals(NamedTuple):
    """The time for opening sealed texts is up: the croupier's clock says so."""

    table: str
    game: str


class DealCards(NamedTuple):
    """The croupier deals: a game's first deal, or the next one."""

    table: str
    turn: int


class PlayBotActions(NamedTuple):
    """What bots have answered, one action after the other; for the seats no person plays."""

    table: str
    turn: int
    actions: tuple[Action, ...]


class PlayAction(NamedTuple):
    """The person in the challenger's seat acts, having seen what `turn` it was."""

    table: str
    turn: int
    player: str
    action: Action


class TakeSeat(NamedTuple):
    """A person asks for the challenger's seat; `cover_cents` is what he offers as cover (G7)."""

    table: str
    player: str
    cover_cents: int = 0


class LeaveSeat(NamedTuple):
    """A person gives up the seat, or his place in the queue for it."""

    table: str
    player: str


class TimeOutPlayer(NamedTuple):
    """The croupier's clock has run out on the person who is to act at `turn`."""

    table: str
    turn: int


class SetTableSettings(NamedTuple):
    """The house sets the rules of a table."""

    table: str
    rules: TableSettings


class VoidGame(NamedTuple):
    """The running game cannot go on: everybody gets everything back (G14).

    `reason` is one of `casino.events.void_reasons` or an operator's own sentence.
    """

    table: str
    game: str
    reason: str
    fault: str | None = None


class SetLimit(NamedTuple):
    """A player limits himself: `key` is one of those of `casino.player_limits`."""

    player: str
    key: str
    value: int


TableCommand: TypeAlias = (
    BeginChain | OpenGame | PlaceBet | SealCut | OpenCut | CloseBetting | CloseReveals | DealCards
    | PlayBotActions | PlayAction | TakeSeat | LeaveSeat | TimeOutPlayer | SetTableSettings
    | VoidGame
)  # fmt: skip
Command: TypeAlias = TableCommand | SetLimit

Stands: TypeAlias = Literal["open", "paused", "closed"]
"""How an operator has a table stand: whether games begin, whether people may wait for its seat."""
