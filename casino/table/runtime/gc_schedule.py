"""Collect garbage between games instead of in the middle of a deal.

A full collection visits every object. With thousands of clients it takes a good part of a second,
during which nothing is sent. So objects that exist at the start are frozen, young objects are
collected every second, and the others now and then, when a game has just ended.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import gevent

from casino.events.types import GameOver, GameVoid
from casino.table.runtime.service import CommittedEvent, EventListener, TableService

EVERY_SECONDS: Final = 1.0
# Young collections after which a full one may run when a game ends, or must run at once.
ALL_AFTER: Final = 300
ALL_AT_LATEST: Final = 900

_YOUNG: Final = 1


class GameEndListener(EventListener):
    """Listener that notes that a game has ended; called in the writer's thread."""

    def __init__(self) -> None:
        self.has_ended = False

    def on_event(self, happening: CommittedEvent) -> None:
        """Record the end of a game."""
        if isinstance(happening.event, (GameOver, GameVoid)):
            self.has_ended = True


@contextmanager
def scheduled_gc(service: TableService | None = None) -> Iterator[None]:
    """Replace automatic garbage collection with this schedule, run by this thread's event loop."""
    ends = GameEndListener()
    if service is not None:
        service.listeners.append(ends)
    gc.collect()
    gc.freeze()
    gc.disable()
    schedule = gevent.spawn(_sweep, ends)
    try:
        yield
    finally:
        schedule.kill()
        if service is not None:
            service.listeners.remove(ends)
        gc.enable()
        gc.unfreeze()


def _sweep(ends: GameEndListener) -> None:
    collections = 0
    while True:
        ends.has_ended = False
        gevent.sleep(EVERY_SECONDS)
        collections += 1
        if collections >= ALL_AT_LATEST or (collections >= ALL_AFTER and ends.has_ended):
            gc.collect()
            collections = 0
        else:
            gc.collect(_YOUNG)
