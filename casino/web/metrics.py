"""Counters for the running casino, and HTTP routes for health, readiness and Prometheus metrics."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from flask import Flask, Response
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    core,
    disable_created_metrics,
    generate_latest,
)

from casino.events.types import BetAccepted, GameOver, GameVoid
from casino.ledger.ledger import Ledger
from casino.table.public.feed import TableFeed
from casino.table.runtime.service import CommittedEvent, EventListener
from casino.web.server.fair_queue import FairQueue
from casino.web.server.wsgi import Server
from casino.web.sockets.connections import ConnectionRegistry

# Upper bounds of a histogram's buckets, in seconds.
BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)

HOW_GAMES_END: Final = ("finished", "void")

disable_created_metrics()  # type: ignore[no-untyped-call]


class AuditResult(NamedTuple):
    """Result of a background audit that ended at Unix time `at`; `findings` is -1 if it failed."""

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
                ("commit", "Time to make a group durable."),
                ("answer", "Time from a command to its durable answer."),
                ("event_lag", "Time from durable to sent to all."),
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
        """Count a bet or the end of a game, and ignore other events."""
        event, table = happening.event, happening.after.rules.name
        if isinstance(event, BetAccepted):
            self.bets.labels(table).inc()
        elif isinstance(event, (GameOver, GameVoid)):
            self.games.labels(table, HOW_GAMES_END[isinstance(event, GameVoid)]).inc()

    def on_fault(self, error: Exception) -> None:
        """Count a failed commit."""
        self.faults.inc()


@dataclass(eq=False)  # a collector has to be hashable
class MetricSources:
    """The objects that metrics are read from.

    `ledger` is None in a worker, `registry` in a process without pages, and `server` until the HTTP
    server has been created.
    """

    figures: Counters
    feeds: Mapping[str, TableFeed]
    ledger: Ledger | None
    registry: ConnectionRegistry | None
    fair_queue: FairQueue
    server: Server | None = None

    @property
    def is_ready(self) -> bool:
        """True if bets are taken, as far as this process knows."""
        if self.ledger is not None:
            return self.ledger.can_take_bets
        return all(feed.taking for feed in self.feeds.values())

    def collect(self) -> Iterator[Any]:
        """Yield the current values; the Prometheus registry calls this at each scrape."""
        for name, text, value in self._gauges():
            yield core.GaugeMetricFamily(f"casino_{name}", text, value)
        if (registry := self.registry) is not None:
            about = "casino_watching", "Connections that watch a table."
            watching = core.GaugeMetricFamily(*about, labels=["table"])
            for table in self.feeds:
                watching.add_metric([table], registry.watchers(table))
            yield watching
        if (server := self.server) is not None:
            about = "casino_requests", "Requests answered."
            requests = core.CounterMetricFamily(*about, labels=["status"])
            for status, number in sorted(server.requests.items()):
                requests.add_metric([str(status)], number)
            yield requests
            about = "casino_connections_refused", "Connections refused."
            yield core.CounterMetricFamily(*about, server.refused)

    def _gauges(self) -> Iterator[tuple[str, str, float]]:
        if (ledger := self.ledger) is not None:
            yield "takes_bets", "Whether bets are taken.", int(ledger.can_take_bets)
            yield "queue_length", "Commands that wait for the bank.", ledger.queue_length()
            yield "file_bytes", "Size of the casino's log.", ledger.location.size_bytes()
        if (registry := self.registry) is not None:
            yield "people", "People with a page open.", len(registry.players())
            yield "lines", "Live connections.", len(registry)
        if self.server is not None:
            yield "connections", "Connections.", self.server.connection_count
        yield "requests_waiting", "Requests in the queue.", self.fair_queue.waiting
        if (last := self.figures.audited) is not None:
            yield "audit_findings", "Findings of the last audit; -1 if it failed.", last.findings
            yield "audit_seconds", "Duration of the last audit.", last.seconds
            yield "audit_at_seconds", "End of the last audit, in seconds since 1970.", last.at
            yield "audit_leaves", "Leaves that the last audit covered.", last.leaves


def register_routes(app: Flask, parts: MetricSources) -> None:
    """Register `/healthz`, `/readyz` and `/metrics`."""

    def readiness() -> tuple[dict[str, Any], int]:
        ready = parts.is_ready
        return {"ok": ready, "tables": len(parts.feeds)}, 200 if ready else 503

    def measure() -> Response:
        return Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)

    app.add_url_rule("/healthz", "healthz", lambda: {"ok": True, "tables": len(parts.feeds)})
    app.add_url_rule("/readyz", "readyz", readiness)
    registry = parts.figures.registry
    registry.register(parts)
    ProcessCollector(registry=registry)
    app.add_url_rule("/metrics", "metrics", measure)
