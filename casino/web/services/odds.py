"""Win probabilities of running games and reviews of finished ones, computed by the expert.

Both are derived from public information, so each is computed once for everyone, in a thread.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from functools import lru_cache
from typing import Final

import gevent
from gevent.event import Event as Bell

from casino.errors import CasinoError
from casino.solver.evaluation.review import review_line
from casino.solver.evaluation.win_probability import public_probabilities
from casino.table.public.feed import TableFeed
from casino.table.public.state import Message
from casino.web.broadcast.broadcaster import Broadcaster
from casino.web.context import AppContext

REVIEWS_KEPT: Final = 200
EFFORT: Final = 64  # hands weighed per option; a game's review takes about a second in Python
_ONE_AT_A_TIME: Final = threading.Lock()  # no review is computed twice at the same time

REST: Final = 9  # pause after each computation, as a multiple of its duration: at most 10 % load

log = logging.getLogger(__name__)


def review(record: Message, actions: int) -> Message:
    """Return the review of a game's first `actions`; computing a new one takes about a second."""
    with _ONE_AT_A_TIME:
        return _review(json.dumps(record), actions)


@lru_cache(REVIEWS_KEPT)
def _review(record: str, actions: int) -> Message:
    return review_line(record, EFFORT, actions)


class OddsBroadcaster:
    """Computes each table's win probabilities, and pushes them to its watchers when they change."""

    def __init__(self, shared: AppContext, broadcaster: Broadcaster) -> None:
        self._shared = shared
        self._broadcaster = broadcaster
        self.latest: dict[str, Message] = {}  # last pushed message of each table
        self._stirred: dict[str, None] = {}
        self._bell = Bell()
        broadcaster.subscribe(self.mark_changed)

    def mark_changed(self, table: str) -> None:
        """Schedule a push for a table that has changed or has a new watcher."""
        self._stirred[table] = None
        self._bell.set()

    def run(self) -> None:
        """Compute and push the win probabilities of changed tables; never returns."""
        while True:
            self._bell.wait()
            self._bell.clear()
            while self._stirred:
                table = next(iter(self._stirred))
                del self._stirred[table]
                try:
                    gevent.sleep(REST * self._push(table))
                except CasinoError:
                    log.exception("the win probabilities could not be published")

    def _push(self, table: str) -> float:
        """Push a table's win probabilities to its watchers; return the computing time."""
        if table not in self._shared.feeds or not self._shared.registry.sockets_at(table):
            self.latest.pop(table, None)  # it would be out of date for the next watcher
            return 0
        began = time.perf_counter()
        feed, before = self._shared.feeds[table], self.latest.get(table, {})
        chance = before
        if before.get("version") != feed.version:
            chance = self._shared.loop.run_in_thread(_chance, feed)
        took = time.perf_counter() - began
        message = {**chance, "watching": self._shared.registry.watchers(table)}
        self.latest[table] = message
        if any(message[part] != before.get(part) for part in ("game", "chance")):
            self._broadcaster.send_later(table, "chance", message)
        return took


def _chance(feed: TableFeed) -> Message:
    version, running = feed.version, feed.table.running
    chance: Message = {"table": feed.name, "version": version, "game": None, "chance": None}
    if running is None:
        return chance
    probabilities = public_probabilities(running.game, running.deal, running.laws)
    return {**chance, "game": running.id, "chance": probabilities.json()}
