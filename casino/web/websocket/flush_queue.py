"""Rounds: what many are told goes out to one after the other, all that each is owed in one write.

A write to each of thousands takes longer than the next event. So frames are owed first, and each
wire has its turn once, however much it is owed by then: a burst goes round once, not once for
each message. Others have their turn meanwhile; whoever is answered is told what he is owed first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

import gevent
from gevent.event import Event

from casino.web.server.fair_queue import NEXT_TURN
from casino.web.websocket.connection import WebSocketConnection

AT_ONCE: Final = 128
"""How many are told before others have their turn."""


class FlushQueue:
    """Who is to be told, in turn."""

    def __init__(self) -> None:
        self._next: deque[Callable[[], None]] = deque()
        self._bell = Event()

    def start(self) -> None:
        """Begin to go round."""
        gevent.spawn(self._run)

    def __len__(self) -> int:
        return len(self._next)

    def owe(self, wires: Sequence[WebSocketConnection], frames: bytes) -> None:
        """Tell some wires something, each after all that was told before."""
        for wire in wires:
            wire.owe(frames)
        self.call(wires)

    def call(self, wires: Sequence[WebSocketConnection]) -> None:
        """Have a turn for those that are owed something and have none."""
        self._next.extend(wire.settle for wire in wires if wire.calls())
        self._bell.set()

    def after(self, work: Callable[[], None]) -> None:
        """Do something short when all have been told what they are owed now."""
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
