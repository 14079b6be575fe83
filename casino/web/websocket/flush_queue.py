"""The flush queue: broadcasts reach one connection after another, each in one write.

A write to each of thousands takes longer than the time to the next event. So frames are enqueued
first, and each connection is flushed once, however much is queued by then: a burst goes round once,
not once per message. Other tasks run in between; a direct answer to a peer flushes its queue first.
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
    """Flushes connections in turn."""

    def __init__(self) -> None:
        self._next: deque[Callable[[], None]] = deque()
        self._bell = Event()

    def start(self) -> None:
        """Start."""
        gevent.spawn(self._run)

    def __len__(self) -> int:
        return len(self._next)

    def enqueue(self, connections: Sequence[WebSocketConnection], frames: bytes) -> None:
        """Queue frames for some connections, after everything sent before."""
        for connection in connections:
            connection.enqueue(frames)
        self.schedule(connections)

    def schedule(self, connections: Sequence[WebSocketConnection]) -> None:
        """Schedule a flush for connections that have frames and none scheduled."""
        self._next.extend(
            connection.flush for connection in connections if connection.needs_flush()
        )
        self._bell.set()

    def after(self, work: Callable[[], None]) -> None:
        """Run something short after everything queued now was sent."""
        self._next.append(work)
        self._bell.set()

    def _run(self) -> None:
        while True:
            self._bell.wait()
            self._bell.clear()
            while self._next:
                for _ in range(min(AT_ONCE, len(self._next))):
                    self._next.popleft()()
                if self._next:
                    gevent.sleep(NEXT_TURN)
