"""Signs of life: each peer is asked for one so long after its last, by one greenlet for all.

Those who have gone are taken leave of one by one too, so that thousands who go together hold up
nobody who stays.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any, Final, Protocol

import gevent
from gevent.event import Event
from gevent.queue import Queue

from casino.web.server.fair_queue import NEXT_TURN

MANY: Final = 64
"""Of so many who have gone one more is taken leave of in a turn."""

log = logging.getLogger(__name__)


class PingTarget(Protocol):
    """Who can be asked."""

    def ping(self) -> None:
        """Ask for a sign of life."""


class Heartbeat:
    """Asks everybody in turn."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._due: dict[PingTarget, float] = {}
        self._bell = Event()
        self._gone: Queue[Callable[[], None]] = Queue()

    def start(self) -> None:
        """Begin to ask."""
        gevent.spawn(self._run)
        gevent.spawn(self._take_leave)

    def expect(self, peer: PingTarget) -> None:
        """Ask a peer when its time has come."""
        self._due.pop(peer, None)
        self._due[peer] = time.monotonic() + self._seconds
        self._bell.set()

    def forget(self, peer: PingTarget) -> None:
        """Ask a peer no more."""
        self._due.pop(peer, None)

    def leave(self, work: Callable[[], None]) -> None:
        """Do what is to be done for a peer that has gone, when its turn comes."""
        self._gone.put(work)

    def _take_leave(self) -> None:
        """Let one after the other go, others having their turn between, for ever.

        Of many some go together, or those who come and go in a flood would wait without end.
        """
        while True:
            for _ in range(1 + len(self._gone) // MANY):
                _part(self._gone.get())
            gevent.sleep(NEXT_TURN)

    def _run(self) -> None:
        while True:
            self._bell.wait()
            self._bell.clear()
            while self._due:
                gevent.sleep(max(NEXT_TURN, self._patience()))
                if self._due and self._patience() <= 0:
                    self._ask(next(iter(self._due)))

    def _patience(self) -> float:
        return next(iter(self._due.values())) - time.monotonic()

    def _ask(self, peer: PingTarget) -> None:
        """Ping the first peer; it is scheduled again when it answers."""
        del self._due[peer]
        peer.ping()


def _part(take_leave: Callable[[], None]) -> None:
    try:
        take_leave()
    except Exception:
        log.exception("somebody could not leave")


class ServerTask:
    """What the Engine.IO server would have done beside the rest; its pings are the pulse's."""

    def __init__(self, target: Callable[..., Any], args: Any, kwargs: Any) -> None:
        self._work = target, args, kwargs

    def start(self) -> None:
        """Begin."""
        target, args, kwargs = self._work
        if target.__name__ != "_send_ping":
            gevent.spawn(target, *args, **kwargs)
