"""Counters for the running casino, and HTTP routes for health, readiness and Prometheus metrics."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from flask import Flask, Response
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)

from casino.events.types import BetAccepted, GameOver, GameVoid
from casino.table.domain.state import Transition
from casino.table.runtime.service import EventListener
from casino.web.backend.interface import TableFeeds

# Upper bounds of a histogram's buckets, in seconds.
BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)

disable_created_metrics()  # type: ignore[no-untyped-call]


class Counters(EventListener):
    """Counts events, requests, refusals and durations since startup, and reads gauges."""

    def __init__(self) -> None:
        own = self.registry = CollectorRegistry()
        ProcessCollector(registry=own)
        self.bets = Counter("casino_bets", "Bets taken.", ["table"], registry=own)
        self.games = Counter("casino_games", "Games that ended.", ["table", "how"], registry=own)
        self.refusals = Counter("casino_refusals", "Commands refused.", ["code"], registry=own)
        self.faults = Counter("casino_faults", "Groups the bank could not store.", registry=own)
        self.requests = Counter("casino_requests", "Requests answered.", ["status"], registry=own)
        self.refused = Counter("casino_connections_refused", "Connections refused.", registry=own)
        self.commit, self.answer, self.lag = (
            Histogram(f"casino_{name}_seconds", text, buckets=BOUNDS, registry=own)
            for name, text in (
                ("commit", "Time to make a group durable."),
                ("answer", "Time from a command to its durable answer."),
                ("event_lag", "Time from durable to sent to all."),
            )
        )
        self._audit: tuple[float, ...] = ()  # findings and end of the last one
        self._storing = 0.0

    def add_gauge(self, name: str, text: str, read: Callable[[], float]) -> None:
        """Export a value that `read` returns at each scrape."""
        Gauge(f"casino_{name}", text, registry=self.registry).set_function(read)

    def record_audit(self, findings: int) -> None:
        """Record the findings of an audit that has just ended; -1 if it failed."""
        is_first = not self._audit
        self._audit = findings, time.time()
        # Absent before the first audit: that is how an alert notices that none has finished.
        if is_first:
            text = "Findings of the last audit; -1 if it failed."
            self.add_gauge("audit_findings", text, lambda: self._audit[0])
            text = "End of the last audit, in seconds since 1970."
            self.add_gauge("audit_at_seconds", text, lambda: self._audit[1])

    # In the writer's thread.

    def on_storing(self) -> None:
        """Record when a commit begins."""
        self._storing = time.perf_counter()

    def on_committed(self) -> None:
        """Record how long the commit took."""
        self.commit.observe(time.perf_counter() - self._storing)

    def on_event(self, happening: Transition) -> None:
        """Count a bet or the end of a game, and ignore other events."""
        event, table = happening.event, happening.after.rules.name
        if isinstance(event, BetAccepted):
            self.bets.labels(table).inc()
        elif isinstance(event, (GameOver, GameVoid)):
            how = "void" if isinstance(event, GameVoid) else "finished"
            self.games.labels(table, how).inc()

    def on_fault(self, error: Exception) -> None:
        """Count a failed commit."""
        self.faults.inc()


def register_routes(
    app: Flask, figures: Counters, feeds: TableFeeds, watchers: Callable[[str], int]
) -> None:
    """Register `/healthz`, `/readyz` (whether bets are taken) and `/metrics`."""
    about = "Connections that watch a table."
    watching = Gauge("casino_watching", about, ["table"], registry=figures.registry)

    def readiness() -> tuple[dict[str, Any], int]:
        return {"ok": feeds.taking, "tables": len(feeds)}, 200 if feeds.taking else 503

    def measure() -> Response:
        watching.clear()  # some tables may have closed
        for table in feeds:
            watching.labels(table).set(watchers(table))
        return Response(generate_latest(figures.registry), content_type=CONTENT_TYPE_LATEST)

    app.add_url_rule("/healthz", "healthz", lambda: {"ok": True, "tables": len(feeds)})
    app.add_url_rule("/readyz", "readyz", readiness)
    app.add_url_rule("/metrics", "metrics", measure)
