"""A fair queue: requests start one after the other, so that a flood of them cannot delay play.

The event loop does one thing at a time. Thirty requests that arrive together would all be answered
before the loop looks at a socket again, and a bet would wait for thirty pages. Here one request
starts, the loop serves everything else, then the next one starts; addresses take turns, so a
flooder only delays itself. Too many queued requests of an address are refused. No library does this
for gevent.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import Final

import gevent
from gevent.event import Event

from casino.errors import Refused
from casino.web.server.rate_limit import TOO_MANY_REQUESTS

MAX_WAITING: Final = 64
MAX_IN_PROGRESS: Final = 8  # requests of one address waiting or being answered

NEXT_TURN: Final = 1e-9  # the loop serves every socket before this; with 0 it might not


class FairQueue:
    """Starts requests in turn."""

    def __init__(self, most_waiting: int = MAX_WAITING) -> None:
        self.most_waiting = most_waiting
        self._waiting: dict[str, deque[Event]] = {}
        self._begun: Counter[str] = Counter()
        self._bell = Event()

    def start(self) -> None:
        """Start the queue."""
        gevent.spawn(self._run_turns)

    @property
    def waiting(self) -> int:
        """The number of queued requests."""
        return sum(map(len, self._waiting.values()))

    def enter(self, who: str) -> None:
        """Wait for an address's turn."""
        line = self._waiting.setdefault(who, deque())
        if len(line) >= self.most_waiting:
            raise Refused(TOO_MANY_REQUESTS, n=1)
        turn = Event()
        line.append(turn)
        self._bell.set()
        turn.wait()

    def wait(self, who: str) -> None:
        """Wait for an address's turn and hold it until the work is done."""
        self.enter(who)
        self.leave(who)

    def leave(self, who: str) -> None:
        """End an address's turn."""
        self._begun[who] -= 1
        if not self._begun[who]:
            del self._begun[who]
        self._bell.set()

    def _run_turns(self) -> None:
        """Start one request at each turn of the loop."""
        while True:
            self._bell.wait()
            self._bell.clear()
            while next_ones := [who for who in self._waiting if self._begun[who] < MAX_IN_PROGRESS]:
                for who in next_ones:
                    self._let_through(who)
                    gevent.sleep(NEXT_TURN)

    def _let_through(self, who: str) -> None:
        line = self._waiting[who]
        turn = line.popleft()
        if not line:
            del self._waiting[who]
        self._begun[who] += 1
        turn.set()
