"""Heartbeats: one greenlet pings each peer some time after its last sign of life.

Disconnects are also handled one by one, so that thousands who leave together delay no one who
stays.
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

MANY: Final = 64  # disconnects handled per turn are at least one in this many

log = logging.getLogger(__name__)


class PingTarget(Protocol):
    """A connection that can be pinged."""

    def ping(self) -> None:
        """Send a ping."""


class Heartbeat:
    """Pings all connections in turn."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._due_at: dict[PingTarget, float] = {}
        self._bell = Event()
        self._gone: Queue[Callable[[], None]] = Queue()

    def start(self) -> None:
        """Start."""
        gevent.spawn(self._run)
        gevent.spawn(self._run_disconnects)

    def schedule_ping(self, peer: PingTarget) -> None:
        """Schedule a ping to a peer."""
        self._due_at.pop(peer, None)
        self._due_at[peer] = time.monotonic() + self._seconds
        self._bell.set()

    def cancel_ping(self, peer: PingTarget) -> None:
        """Cancel the ping to a peer."""
        self._due_at.pop(peer, None)

    def queue_disconnect(self, work: Callable[[], None]) -> None:
        """Queue the disconnect handling of a peer."""
        self._gone.put(work)

    def _run_disconnects(self) -> None:
        """Handle disconnects one by one, yielding to other tasks in between.

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
            while self._due_at:
                gevent.sleep(max(NEXT_TURN, self._patience()))
                if self._due_at and self._patience() <= 0:
                    self._ping_first(next(iter(self._due_at)))

    def _patience(self) -> float:
        return next(iter(self._due_at.values())) - time.monotonic()

    def _ping_first(self, peer: PingTarget) -> None:
        """Ping the first peer; it is scheduled again when it answers."""
        del self._due_at[peer]
        peer.ping()


def _part(take_leave: Callable[[], None]) -> None:
    try:
        take_leave()
    except Exception:
        log.exception("a client could not be disconnected")


class ServerTask:
    """Replaces a background task of the Engine.IO server; its pings are the heartbeat's."""

    def __init__(self, target: Callable[..., Any], args: Any, kwargs: Any) -> None:
        self._work = target, args, kwargs

    def start(self) -> None:
        """Start."""
        target, args, kwargs = self._work
        if target.__name__ != "_send_ping":
            gevent.spawn(target, *args, **kwargs)
