"""Push private state: hand, bets, chips.

The backend is asked for many people at a time, whenever something has changed for them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any, Final

import gevent
from gevent.event import Event as Bell

from casino.errors import CasinoError
from casino.table.public.state import Message

AGAIN_SECONDS: Final = 1.0  # between retries of an unanswered request

SOON_SECONDS: Final = 0.5  # delay of updates caused by others' bets

log = logging.getLogger(__name__)


class PrivateStatePusher:
    """Batches the pushes of private state."""

    def __init__(
        self,
        ask: Callable[..., Any],
        is_there: Callable[[str, str], bool],
        tell_one: Callable[[Message], None],
    ) -> None:
        self._ask = ask
        self._is_there = is_there
        self._tell_one = tell_one
        self._touched: dict[tuple[str, str], None] = {}
        self._soon: dict[str, Callable[[], Iterable[str]]] = {}
        self._bell = Bell()

    def start(self) -> None:
        """Start."""
        gevent.spawn(self._tell)

    def mark_dirty(self, table: str, player: str) -> None:
        """Push a person's private state soon, if they are there."""
        if self._is_there(table, player):
            self._touched[table, player] = None
            self._bell.set()

    def mark_dirty_later(self, table: str, players: Callable[[], Iterable[str]]) -> None:
        """Push the private state of some people after a short delay that batches changes."""
        if not self._soon:
            gevent.spawn_later(SOON_SECONDS, self._owe_what_waited)
        self._soon[table] = players

    def _owe_what_waited(self) -> None:
        soon, self._soon = self._soon, {}
        for table, players in soon.items():
            for player in players():
                self.mark_dirty(table, player)

    def _tell(self) -> None:
        while True:
            self._bell.wait()
            self._bell.clear()
            touched, self._touched = self._touched, {}
            try:
                for view in self._ask("views", list(touched)):
                    self._tell_one(view)
            except CasinoError as error:
                log.warning("people could not be told what is theirs: %s", error)
                gevent.sleep(AGAIN_SECONDS)
                for table, player in touched:
                    self.mark_dirty(table, player)
