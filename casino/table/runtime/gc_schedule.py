"""Collect garbage between games instead of in the middle of a deal.

A full collection visits every object. With thousands of clients it takes a good part of a second,
during which nothing is sent. So objects that exist at the start are frozen, young objects are
collected every second, and the others now and then, when a game has just ended.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import gevent

EVERY_SECONDS: Final = 1.0
# Young collections after which a full one may run when a game ends, or must run at once.
ALL_AFTER: Final = 300
ALL_AT_LATEST: Final = 900

_YOUNG: Final = 1


@contextmanager
def scheduled_gc(finished: Callable[[], int] = lambda: 0) -> Iterator[None]:
    """Replace automatic garbage collection with a schedule run by this thread's event loop.

    `finished` returns the number of games that have ended.
    """
    gc.collect()
    gc.freeze()
    gc.disable()
    schedule = gevent.spawn(_sweep, finished)
    try:
        yield
    finally:
        schedule.kill()
        gc.enable()
        gc.unfreeze()


def _sweep(finished: Callable[[], int]) -> None:
    collections = 0
    while True:
        before = finished()
        gevent.sleep(EVERY_SECONDS)
        collections += 1
        has_ended = finished() > before
        if collections >= ALL_AT_LATEST or (collections >= ALL_AFTER and has_ended):
            gc.collect()
            collections = 0
        else:
            gc.collect(_YOUNG)
