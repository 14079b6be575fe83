"""A live shift: every croupier at work in a thread of his own, until the casino closes.

A croupier sleeps until something may be due at his table, or until something happens there.
Nothing here runs in the thread that talks to browsers, so neither a bot that thinks nor a disk
that syncs delays a frame.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

from casino.bank.writer import Clock
from casino.errors import InvariantBroken, Refused
from casino.table.clerk import Happening, Listener
from casino.table.croupier import IDLE_MS, Croupier
from casino.table.house import House

_MS: Final = 1000


class Shift(Listener):
    """The croupiers of a house at work; `on_fault` is told of one who cannot go on."""

    def __init__(self, house: House, on_fault: Callable[[Exception], None]) -> None:
        self._clock: Clock = house.clock
        self._on_fault = on_fault
        self._over = threading.Event()
        self._bells = {croupier.table: threading.Event() for croupier in house.croupiers}
        self._threads = [
            threading.Thread(target=self._work, args=[croupier], name=croupier.table, daemon=True)
            for croupier in house.croupiers
        ]
        house.clerk.listeners.append(self)

    def start(self) -> None:
        """Open the tables."""
        for thread in self._threads:
            thread.start()

    def happened(self, happening: Happening) -> None:
        """Something has happened at a table: its croupier looks again."""
        self._bells[happening.after.rules.name].set()

    def stop(self) -> None:
        """Send the croupiers home; games that run are taken up at the next start."""
        self._over.set()
        for bell in self._bells.values():
            bell.set()
        for thread in self._threads:
            thread.join()

    def _work(self, croupier: Croupier) -> None:
        """Look, do what is due, sleep until something may be due."""
        bell = self._bells[croupier.table]
        while not self._over.is_set():
            bell.clear()
            try:
                due = croupier.step(self._clock())
            except (InvariantBroken, OSError) as error:
                self._on_fault(error)
                return
            except Refused:
                due = self._clock() + IDLE_MS
            bell.wait(max(0, due - self._clock()) / _MS)
