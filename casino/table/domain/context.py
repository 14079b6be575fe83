"""What decisions need to know beyond the table, and refusals shared by many of them."""

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


class DecisionContext(Protocol):
    """What the ledger knows when a command is decided."""

    def funds_cents(self, player: str) -> int:
        """Return what a player or the house can spend."""

    def check_bet(self, table: str, player: str, risk_cents: int) -> None:
        """Refuse a bet that the player's own limits do not allow."""

    def may_be_late(self, game: str) -> bool:
        """Return True if a contribution to a game that has closed may still be recorded."""


def require_game(state: TableState, game: str) -> GameState:
    """Return the running game, which must be the one named."""
    if state.running is None or state.running.id != game:
        raise Refused(GAME_NOT_RUNNING, game=game[:40])
    return state.running
