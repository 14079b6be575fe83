"""Counts of a headless night, for its progress bar and its summary."""

from __future__ import annotations

from collections.abc import Callable

from casino.events.types import BetAccepted, GameOver, GameVoid
from casino.table.runtime.service import CommittedEvent, EventListener


class NightCounts(EventListener):
    """Counts games by result, and bets; calls `game_ended` with the number of games so far."""

    def __init__(self, game_ended: Callable[[int], None]) -> None:
        self._game_ended = game_ended
        self.results = {"house": 0, "challenger": 0, "void": 0}
        self.bets = 0
        self.units_cents = 0

    @property
    def games(self) -> int:
        """The games that have ended."""
        return sum(self.results.values())

    def on_event(self, happening: CommittedEvent) -> None:
        """Count the end of a game, or a bet."""
        event = happening.event
        if isinstance(event, BetAccepted):
            self.bets += 1
            self.units_cents += event.unit_cents
        elif isinstance(event, (GameOver, GameVoid)):
            self.results[event.winner if isinstance(event, GameOver) else "void"] += 1
            self._game_ended(self.games)
