"""Flush queue, which sends broadcasts to each connection in turn, in a single write.

Writing to thousands of connections takes longer than the time between two events. So frames are
queued at each connection, and one flush sends all that have accumulated: a burst of messages costs
one pass over the connections. Other tasks run during the pass.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

import gevent
from gevent.event import Event

from casino.web.server.fair_queue import NEXT_TURN
from casino.web.websocket.connection import WebSocketConnection

AT_ONCE: Final = 128  # connections flushed before other tasks run


class FlushQueue:
    """Flushes connections in the order in which they were scheduled."""

    def __init__(self) -> None:
        self._next: deque[Callable[[], None]] = deque()
        self._bell = Event()

    def start(self) -> None:
        """Start the greenlet that flushes the connections."""
        gevent.spawn(self._run)

    def __len__(self) -> int:
        return len(self._next)

    def enqueue(self, connections: Sequence[WebSocketConnection], frames: bytes) -> None:
        """Queue frames at each connection and schedule a flush."""
        for connection in connections:
            connection.enqueue(frames)
        self.schedule(connections)

    def schedule(self, connections: Sequence[WebSocketConnection]) -> None:
        """Schedule a flush of the connections that have queued frames and no flush scheduled."""
        self._next.extend(
            connection.flush for connection in connections if connection.needs_flush()
        )
        self._bell.set()

    def after(self, work: Callable[[], None]) -> None:
        """Run a short function once all flushes that are scheduled now have been done."""
        self._next.append(work)
        self._bell.set()

    def _run(self) -> None:
        while True:
            self._bell.wait()
            self._bell.clear()
            while self._next:
                for _ in range(min(AT_ONCE, len(self._next))):
                    self._next.popleft()()
                # Without a pause, a bet would wait until all connections are flushed.
                if self._next:
                    gevent.sleep(NEXT_TURN)
