"""Ledger data that handlers need beyond the table's state, and refusals that they share."""

from __future__ import annotations

from typing import Final, Protocol

from casino.errors import RefusalReason, Refused
from casino.table.domain.state import GameState, TableState

GAME_NOT_RUNNING: Final = RefusalReason(
    "game_not_running", "unknown_game", "{game} is not running here: look at the table again"
)
BOTS_NAME: Final = RefusalReason(
    "bots_name", "bad_request", "{name} is the table's bot: use your own name"
)
NOT_HOSTED: Final = RefusalReason(
    "not_hosted", "bad_request", "table {table} belongs to the casino: only its settings change it"
)


class DecisionContext(Protocol):
    """Ledger data available when deciding whether to accept a command."""

    def funds_cents(self, player: str) -> int:
        """Return the spendable balance of a player or the house."""

    def check_bet(self, table: str, player: str, risk_cents: int) -> None:
        """Raise `Refused` if the player's own limits or the table's do not allow a bet."""

    def may_be_late(self, game: str) -> bool:
        """Return True if a contribution may still be recorded after its book has closed."""


def require_game(state: TableState, game: str) -> GameState:
    """Return the running game; raise `Refused` if its id is not `game`."""
    if state.running is None or state.running.id != game:
        raise Refused(GAME_NOT_RUNNING, game=game[:40])
    return state.running
