"""Win probabilities of running games and reviews of finished ones, computed by the expert.

Both are derived from public information, so each is computed once for everyone, in a thread.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import OrderedDict
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
from casino.web.sockets.connections import ConnectionRegistry

REVIEWS_KEPT: Final = 200
EFFORT: Final = 64  # hands weighed for each option; a game takes about a second of plain Python


class OddsCache:
    """Caches the newest win probabilities of each table, and recently used reviews."""

    def __init__(self) -> None:
        self._chances: dict[str, Message] = {}
        self._reviews: OrderedDict[str, Message] = OrderedDict()
        self._one_at_a_time = threading.Lock()  # no review is computed twice at the same time

    def win_probability(self, feed: TableFeed) -> Message:
        """Return both sides' probabilities in the running game, with the table's version."""
        version, running = feed.version, feed.table.running
        cached = self._chances.get(feed.name)
        if cached is None or cached["version"] != version:
            chance = None
            if running is not None:
                chance = public_probabilities(running.game, running.deal, running.laws).json()
            game = None if running is None else running.id
            cached = {"table": feed.name, "version": version, "game": game, "chance": chance}
            self._chances[feed.name] = cached
        return cached

    def review(self, game: str, record: Message) -> Message:
        """Return a finished game's review, given its record; a new one takes about a second."""
        with self._one_at_a_time:
            if game not in self._reviews:
                self._reviews[game] = review_line(json.dumps(record), EFFORT)
            self._reviews.move_to_end(game)
            while len(self._reviews) > REVIEWS_KEPT:
                self._reviews.popitem(last=False)
            return self._reviews[game]


REST: Final = 9  # pause after each computation, as a multiple of its duration: at most 10 % load

log = logging.getLogger(__name__)


class OddsBroadcaster:
    """Pushes each table's win probabilities to its watchers when they change."""

    def __init__(
        self,
        shared: AppContext,
        registry: ConnectionRegistry,
        broadcaster: Broadcaster,
        forecast: OddsCache,
    ) -> None:
        self._shared = shared
        self._registry = registry
        self._broadcaster = broadcaster
        self._forecast = forecast
        self.latest: dict[str, Message] = {}  # as last pushed at each table
        self._stirred: dict[str, None] = {}
        self._bell = Bell()
        broadcaster.subscribe(self.mark_changed)

    def start(self) -> None:
        """Start the greenlet that computes and pushes win probabilities."""
        gevent.spawn(self._run)

    def mark_changed(self, table: str) -> None:
        """Schedule a push for a table that has changed or has a new watcher."""
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
        """Return the win probabilities at a table, and the number of its watchers."""
        chance = self._shared.loop.run_in_thread(
            self._forecast.win_probability, self._shared.feed(table)
        )
        return {**chance, "watching": self._registry.watchers(table)}

    def _push(self, table: str) -> float:
        """Push a table's win probabilities to its watchers; return the computing time."""
        if table not in self._shared.feeds or not self._registry.own_watchers(table):
            self.latest.pop(table, None)  # it would be out of date for the next watcher
            return 0
        began = time.perf_counter()
        message = self.win_probability(table)
        took = time.perf_counter() - began
        before = self.latest.get(table, {})
        self.latest[table] = message
        if any(message[part] != before.get(part) for part in ("game", "chance")):
            self._broadcaster.send_later(table, "chance", message)
        return took
