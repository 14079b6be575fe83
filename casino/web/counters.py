"""Counters and histograms of the running casino, for `casino.web.metrics`.

They need no lock, because each has a single writer: the ledger's thread for counters of events and
commits, the event loop for counters of requests.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from typing import Final, NamedTuple

from casino.events.types import BetAccepted, GameOver, GameVoid
from casino.table.runtime.service import CommittedEvent, EventListener

# Upper bounds of a histogram's buckets, in seconds.
BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


class Histogram:
    """A histogram of durations in seconds."""

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS) + 1)
        self.sum = 0.0

    def observe(self, seconds: float) -> None:
        """Add one duration."""
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.sum += seconds

    def buckets(self) -> list[tuple[str, int]]:
        """Return cumulative counts with their upper bounds, as Prometheus expects them.

        >>> times = Histogram()
        >>> times.observe(0.002)
        >>> times.buckets()[:2], times.buckets()[-1]
        ([('0.001', 0), ('0.0025', 1)], ('+Inf', 1))
        """
        total, rows = 0, []
        for bound, count in zip([*map(str, BOUNDS), "+Inf"], self.counts, strict=True):
            total += count
            rows.append((bound, total))
        return rows


class AuditResult(NamedTuple):
    """The result of a background audit; `findings` is -1 if the audit itself failed."""

    at: float
    seconds: float
    leaves: int
    findings: int


HOW_GAMES_END: Final = ("finished", "void")


class Counters(EventListener):
    """Counts events, refusals and durations since startup."""

    def __init__(self) -> None:
        self.bets: Counter[str] = Counter()
        self.games: Counter[tuple[str, str]] = Counter()
        self.refusals: Counter[str] = Counter()
        self.faults = 0
        self.commit = Histogram()
        self.answer = Histogram()
        self.lag = Histogram()
        self.audited: AuditResult | None = None
        self._storing = 0.0

    # In the writer's thread.

    def on_storing(self) -> None:
        """Record when a commit begins."""
        self._storing = time.perf_counter()

    def on_stored(self) -> None:
        """Record how long the commit took."""
        self.commit.observe(time.perf_counter() - self._storing)

    def on_event(self, happening: CommittedEvent) -> None:
        """Count an event that is a bet or the end of a game."""
        event = happening.event
        if isinstance(event, BetAccepted):
            self.bets[happening.after.rules.name] += 1
        elif isinstance(event, (GameOver, GameVoid)):
            how = HOW_GAMES_END[isinstance(event, GameVoid)]
            self.games[happening.after.rules.name, how] += 1

    def on_fault(self, error: Exception) -> None:
        """Count a failed commit."""
        self.faults += 1
