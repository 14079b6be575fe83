"""Push both sides' live win probabilities and the number of watchers to each table.

They follow from public information, so one message serves all who watch. A table without watchers
is skipped, and the computation uses at most a small share of a processor, whatever the number of
tables and their pace: then some cards are passed over. Each process serves its own watchers from
its own public tables.
"""

from __future__ import annotations

import logging
import time
from typing import Final

import gevent
from gevent.event import Event as Bell

from casino.errors import CasinoError
from casino.table.public.state import Message
from casino.web.context import AppContext
from casino.web.services.odds import OddsCache
from casino.web.sockets.handlers import SocketHandlers

REST: Final = 9  # pause after each computation, as a multiple of its duration

log = logging.getLogger(__name__)


class OddsBroadcaster:
    """Sends the watchers of each table its win probabilities when something has happened."""

    def __init__(self, shared: AppContext, live: SocketHandlers, forecast: OddsCache) -> None:
        self._shared = shared
        self._live = live
        self._forecast = forecast
        self._stirred: dict[str, None] = {}
        self._bell = Bell()
        live.on_news = self.mark_changed

    def start(self) -> None:
        """Start."""
        gevent.spawn(self._run)

    def mark_changed(self, table: str) -> None:
        """Record that a table has changed, or that a watcher has come."""
        self._stirred[table] = None
        self._bell.set()

    def _run(self) -> None:
        while True:
            self._bell.wait()
            self._bell.clear()
            while self._stirred:
                table = next(iter(self._stirred))
                del self._stirred[table]
                try:
                    gevent.sleep(REST * self._push(table))
                except CasinoError:
                    log.exception("the chances could not be told")

    def win_probability(self, table: str) -> Message:
        """Return the win probabilities at a table, and how many look on."""
        chance = self._shared.loop.run_in_thread(
            self._forecast.win_probability, self._shared.feed(table)
        )
        return {**chance, "watching": self._live.watchers(table)}

    def _push(self, table: str) -> float:
        """Push the win probabilities of a table to its watchers; return the seconds it took."""
        if not self._live.own_watchers(table):
            self._live.chances.pop(table, None)  # whoever comes next is told of another game
            return 0
        began = time.perf_counter()
        message = self.win_probability(table)
        took = time.perf_counter() - began
        before = self._live.chances.get(table, {})
        self._live.chances[table] = message
        if any(message[part] != before.get(part) for part in ("game", "chance")):
            self._live.broadcast_later(table, "chance", message)
        return took
