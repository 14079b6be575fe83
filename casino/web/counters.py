"""Counters and histograms of the running casino, which `casino.web.metrics` serves."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Final, NamedTuple

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics

from casino.events.types import BetAccepted, GameOver, GameVoid
from casino.table.runtime.service import CommittedEvent, EventListener

# Upper bounds of a histogram's buckets, in seconds.
BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)

HOW_GAMES_END: Final = ("finished", "void")

disable_created_metrics()  # type: ignore[no-untyped-call]


class AuditResult(NamedTuple):
    """The result of a background audit; `findings` is -1 if the audit itself failed."""

    at: float
    seconds: float
    leaves: int
    findings: int


class Counters(EventListener):
    """Counts events, refusals and durations since startup."""

    def __init__(self, tables: Iterable[str] = ()) -> None:
        own = self.registry = CollectorRegistry()
        self.bets = Counter("casino_bets", "Bets taken.", ["table"], registry=own)
        self.games = Counter("casino_games", "Games that ended.", ["table", "how"], registry=own)
        self.refusals = Counter("casino_refusals", "Commands refused.", ["code"], registry=own)
        self.faults = Counter("casino_faults", "Groups the bank could not store.", registry=own)
        self.commit, self.answer, self.lag = (
            Histogram(f"casino_{name}_seconds", text, buckets=BOUNDS, registry=own)
            for name, text in (
                ("commit", "To make a group durable."),
                ("answer", "From a command to its durable answer."),
                ("event_lag", "From durable to sent to all."),
            )
        )
        self.audited: AuditResult | None = None
        self._storing = 0.0
        # Start every series at 0: Prometheus cannot see the first increment of an unknown one.
        for table in tables:
            self.bets.labels(table)
            for how in HOW_GAMES_END:
                self.games.labels(table, how)

    # In the writer's thread.

    def on_storing(self) -> None:
        """Record when a commit begins."""
        self._storing = time.perf_counter()

    def on_stored(self) -> None:
        """Record how long the commit took."""
        self.commit.observe(time.perf_counter() - self._storing)

    def on_event(self, happening: CommittedEvent) -> None:
        """Count an event that is a bet or the end of a game."""
        event, table = happening.event, happening.after.rules.name
        if isinstance(event, BetAccepted):
            self.bets.labels(table).inc()
        elif isinstance(event, (GameOver, GameVoid)):
            self.games.labels(table, HOW_GAMES_END[isinstance(event, GameVoid)]).inc()

    def on_fault(self, error: Exception) -> None:
        """Count a failed commit."""
        self.faults.inc()
