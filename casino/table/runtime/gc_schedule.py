"""Collect garbage between games, not in the middle of a deal.

A full collection visits every object: with thousands of people connected that takes a good part of
a second, during which nothing is sent. So objects that exist at the start are frozen, young objects
are collected every second, and all of them now and then, when a game has just ended.
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
ALL_AFTER: Final = 300
# Rounds until all objects are collected at a game's end, and until they are in any case.
ALL_AT_LATEST: Final = 900

_YOUNG: Final = 1


class GameEndListener(EventListener):
    """Notes, in the writer's thread, that a game has ended."""

    def __init__(self) -> None:
        self.has_ended = False

    def on_event(self, happening: CommittedEvent) -> None:
        """Record the end of a game."""
        if isinstance(happening.event, (GameOver, GameVoid)):
            self.has_ended = True


@contextmanager
def scheduled_gc(service: TableService | None = None) -> Iterator[None]:
    """Collect on this schedule, in this thread's loop, instead of whenever Python chooses."""
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
