"""Queues that let the event loop serve everything else between two pieces of work.

The loop does one thing at a time. If thirty requests arrived together, all of them would be handled
before the loop polls its sockets again, and a bet would wait for thirty pages. `FairQueue` starts
them one at a time. Addresses take turns, so a flood delays only its sender; further requests from
an address with a full queue are refused. `WorkQueue` does the same for short functions that no one
waits for. No library does this for gevent.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Callable
from typing import Final

import gevent
from gevent.event import Event

from casino.errors import Refused
from casino.web.server.rate_limit import TOO_MANY_REQUESTS

MAX_WAITING: Final = 64
MAX_IN_PROGRESS: Final = 8  # started and unfinished requests from one address

MANY: Final = 64  # a turn runs one function more for this many queued

# `gevent.sleep(0)` lets up to 50 callbacks run before sockets are polled; any delay polls first.
NEXT_TURN: Final = 1e-9

log = logging.getLogger(__name__)


class FairQueue:
    """Starts queued requests one at a time, taking addresses in turn."""

    def __init__(self, max_waiting: int = MAX_WAITING) -> None:
        self.max_waiting = max_waiting
        self._waiting: dict[str, deque[Event]] = {}
        self._begun: Counter[str] = Counter()
        self._bell = Event()

    @property
    def waiting(self) -> int:
        """The number of queued requests."""
        return sum(map(len, self._waiting.values()))

    def enter(self, who: str) -> None:
        """Wait until a request from an address may start; refuse it if too many are queued."""
        line = self._waiting.setdefault(who, deque())
        if len(line) >= self.max_waiting:
            raise Refused(TOO_MANY_REQUESTS, n=1)
        turn = Event()
        line.append(turn)
        self._bell.set()
        turn.wait()

    def wait(self, who: str) -> None:
        """Wait for an address's turn, but do not count the work that follows as in progress."""
        self.enter(who)
        self.leave(who)

    def leave(self, who: str) -> None:
        """Count a started request from an address as finished."""
        self._begun[who] -= 1
        if not self._begun[who]:
            del self._begun[who]
        self._bell.set()

    def run(self) -> None:
        """Let requests through; never returns."""
        while True:
            self._bell.wait()
            self._bell.clear()
            while next_ones := [who for who in self._waiting if self._begun[who] < MAX_IN_PROGRESS]:
                for who in next_ones:
                    self._waiting[who].popleft().set()
                    if not self._waiting[who]:
                        del self._waiting[who]
                    self._begun[who] += 1
                    gevent.sleep(NEXT_TURN)


class WorkQueue:
    """Runs short functions in order, `at_once` in a turn of the event loop."""

    def __init__(self, at_once: int = 1) -> None:
        self.at_once = at_once
        self.waiting: deque[Callable[[], None]] = deque()
        self._bell = Event()

    def put(self, *work: Callable[[], None]) -> None:
        """Queue functions to be run once."""
        self.waiting.extend(work)
        self._bell.set()

    def run(self) -> None:
        """Run the queued functions; never returns."""
        while True:
            self._bell.wait()
            self._bell.clear()
            while number := len(self.waiting):
                # A flood that adds more than `at_once` in a turn is caught up with.
                for _ in range(min(number, self.at_once + number // MANY)):
                    try:
                        self.waiting.popleft()()  # a variable would keep the last one in memory
                    except Exception:  # must not end the greenlet that runs all others
                        log.exception("queued work has failed")
                if self.waiting:
                    gevent.sleep(NEXT_TURN)
