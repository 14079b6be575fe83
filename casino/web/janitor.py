"""The janitor: garbage is collected when nobody waits for it, not in the middle of a deal.

A full collection looks at every object there is: with thousands of people that takes a good part
of a second, in which nobody is told anything. So what is there when the doors open is set aside,
young objects are looked at every second, and all of them now and then when a game has just ended.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import gevent

from casino.events.kinds import GameSettled, GameVoid
from casino.table.clerk import Clerk, Happening, Listener

EVERY_SECONDS: Final = 1.0
ALL_AFTER: Final = 300
ALL_AT_LATEST: Final = 900
"""After so many rounds all objects are looked at when a game ends, or at the latest anyway."""

_YOUNG: Final = 1


class Ends(Listener):
    """Notes, in the writer's thread, that a game has ended."""

    def __init__(self) -> None:
        self.lately = False

    def happened(self, happening: Happening) -> None:
        """Note the end of a game."""
        if isinstance(happening.event, (GameSettled, GameVoid)):
            self.lately = True


@contextmanager
def quiet_collections(clerk: Clerk) -> Iterator[None]:
    """Collect in the quiet moments of this thread's loop, instead of whenever Python thinks fit."""
    ends = Ends()
    clerk.listeners.append(ends)
    gc.collect()
    gc.freeze()
    gc.disable()
    janitor = gevent.spawn(_sweep, ends)
    try:
        yield
    finally:
        janitor.kill()
        clerk.listeners.remove(ends)
        gc.enable()
        gc.unfreeze()


def _sweep(ends: Ends) -> None:
    """Collect, for ever."""
    rounds = 0
    while True:
        ends.lately = False
        gevent.sleep(EVERY_SECONDS)
        rounds += 1
        if rounds >= ALL_AT_LATEST or (rounds >= ALL_AFTER and ends.lately):
            gc.collect()
            rounds = 0
        else:
            gc.collect(_YOUNG)
