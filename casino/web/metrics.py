"""Health, readiness and Prometheus metrics over HTTP."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from flask import Flask, Response
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    ProcessCollector,
    core,
    generate_latest,
)

from casino.ledger.ledger import Ledger
from casino.table.public.feed import TableFeed
from casino.web.counters import Counters
from casino.web.server.fair_queue import FairQueue
from casino.web.server.wsgi import Server
from casino.web.sockets.connections import ConnectionRegistry


class MetricSources(NamedTuple):
    """The objects that metrics are read from.

    `ledger` is None in a worker, and `registry` is None in a process without pages. Servers are
    added to `doors` when they start.
    """

    figures: Counters
    feeds: Mapping[str, TableFeed]
    ledger: Ledger | None
    registry: ConnectionRegistry | None
    fair_queue: FairQueue
    doors: list[Server]

    @property
    def is_ready(self) -> bool:
        """Whether bets are taken, as far as this process knows."""
        if self.ledger is not None:
            return self.ledger.can_take_bets
        return all(feed.taking for feed in self.feeds.values())


def register_routes(app: Flask, parts: MetricSources) -> None:
    """Register `/healthz`, `/readyz` and `/metrics`."""
    app.add_url_rule("/healthz", "healthz", lambda: _health(parts))
    app.add_url_rule("/readyz", "readyz", lambda: _readiness(parts))
    registry = parts.figures.registry
    registry.register(_Collector(parts))
    ProcessCollector(registry=registry)
    app.add_url_rule("/metrics", "metrics", lambda: _metrics(registry))


def _health(parts: MetricSources) -> Any:
    return {"ok": True, "tables": len(parts.feeds)}


def _readiness(parts: MetricSources) -> Any:
    ready = parts.is_ready
    return {"ok": ready, "tables": len(parts.feeds)}, 200 if ready else 503


def _metrics(registry: CollectorRegistry) -> Response:
    return Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


class _Collector:
    """Prometheus collector that reads the current values at each scrape."""

    def __init__(self, parts: MetricSources) -> None:
        self._parts = parts

    def collect(self) -> Iterator[Any]:
        figures, feeds, ledger, connections, fair_queue, servers = self._parts
        if ledger is not None:
            yield _gauge("takes_bets", "Whether bets are taken.", int(ledger.can_take_bets))
            yield _gauge("queue_length", "Commands that wait for the bank.", ledger.queue_length)
            yield _gauge("file_bytes", "The casino's log, as it is stored.", ledger.size_bytes())
        if connections is not None:
            yield _gauge("people", "People with a page open.", len(connections.players()))
            yield _gauge("lines", "Live lines.", len(connections))
            watching = _gauge("watching", "Live lines that watch a table.", labels=["table"])
            for table in feeds:
                watching.add_metric([table], connections.watchers(table))
            yield watching
        yield _gauge("connections", "Connections.", sum(each.connection_count for each in servers))
        yield _gauge("requests_waiting", "Requests in line.", fair_queue.waiting)
        requests = _counter("requests", "Requests answered.", labels=["status"])
        for status, number in sum((each.requests for each in servers), Counter[int]()).items():
            requests.add_metric([str(status)], number)
        yield requests
        refused = sum(each.refused for each in servers)
        yield _counter("connections_refused", "Connections refused.", refused)
        last = figures.audited
        if last is not None:
            yield _gauge("audit_findings", "Findings; -1: not audited.", last.findings)
            yield _gauge("audit_seconds", "How long the last audit took.", last.seconds)
            yield _gauge("audit_at_seconds", "When it ended, since 1970.", last.at)
            yield _gauge("audit_leaves", "How many leaves it covered.", last.leaves)


def _gauge(
    name: str, text: str, value: float | None = None, labels: Sequence[str] | None = None
) -> Any:
    return core.GaugeMetricFamily(f"casino_{name}", text, value, labels)


def _counter(
    name: str, text: str, value: float | None = None, labels: Sequence[str] | None = None
) -> Any:
    return core.CounterMetricFamily(f"casino_{name}", text, value, labels)
