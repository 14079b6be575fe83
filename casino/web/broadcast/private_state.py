"""Push players their private state: hand, bets, balance.

Changes are collected, and the private views of many players are fetched in one request.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import gevent
from gevent.event import Event as Bell

from casino.errors import CasinoError
from casino.table.public.state import Message

AGAIN_SECONDS: Final = 1.0  # pause before a failed request is retried

SOON_SECONDS: Final = 0.5  # delay of pushes that other players' bets cause

log = logging.getLogger(__name__)


class PrivateStatePusher:
    """Pushes private state that has changed, in batches."""

    def __init__(
        self,
        fetch_views: Callable[[Sequence[tuple[str, str]]], list[Message]],
        is_there: Callable[[str, str], bool],
        tell_one: Callable[[Message], None],
    ) -> None:
        self._fetch_views = fetch_views
        self._is_there = is_there
        self._tell_one = tell_one
        self._touched: dict[tuple[str, str], None] = {}
        self._soon: dict[str, Callable[[], Iterable[str]]] = {}
        self._bell = Bell()

    def start(self) -> None:
        """Start the greenlet that pushes private state."""
        gevent.spawn(self._tell)

    def mark_dirty(self, table: str, player: str) -> None:
        """Push a player's private state soon, if they have the table open."""
        if self._is_there(table, player):
            self._touched[table, player] = None
            self._bell.set()

    def mark_dirty_later(self, table: str, players: Callable[[], Iterable[str]]) -> None:
        """Push several players' private state after `SOON_SECONDS`; `players` is called then."""
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
            # A table may have closed since: the views of all others would be refused with its own.
            touched = [key for key in self._touched if self._is_there(*key)]
            self._touched = {}
            try:
                for view in self._fetch_views(touched):
                    self._tell_one(view)
            except CasinoError as error:
                log.warning("people could not be told what is theirs: %s", error)
                # Changes during the pause are merged with these: a view is always complete.
                gevent.sleep(AGAIN_SECONDS)
                for table, player in touched:
                    self.mark_dirty(table, player)
