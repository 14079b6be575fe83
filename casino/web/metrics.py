"""Health, readiness and Prometheus metrics over HTTP."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
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
        if self._parts.ledger is not None:
            yield from self._house(self._parts.ledger)
        if self._parts.registry is not None:
            yield from self._people(self._parts.registry)
        yield from self._requests()
        yield from self._audit()

    def _house(self, ledger: Ledger) -> Iterator[Any]:
        yield self._gauge("takes_bets", "Whether bets are taken.", int(ledger.can_take_bets))
        yield self._gauge("queue_length", "Commands that wait for the bank.", ledger.queue_length)
        yield self._gauge("file_bytes", "The casino's log, as it is stored.", ledger.size_bytes())

    def _people(self, registry: ConnectionRegistry) -> Iterator[Any]:
        watching = {table: registry.watchers(table) for table in self._parts.feeds}
        yield self._gauge("people", "People with a page open.", len(registry.players()))
        yield self._gauge("lines", "Live lines.", len(registry))
        yield self._gauges("watching", "Live lines that watch a table.", ["table"], watching)

    def _requests(self) -> Iterator[Any]:
        doors = self._parts.doors
        requests = sum((server.requests for server in doors), Counter[int]())
        yield self._gauge(
            "connections", "Connections.", sum(server.connection_count for server in doors)
        )
        yield self._gauge("requests_waiting", "Requests in line.", self._parts.fair_queue.waiting)
        yield self._counter("requests", "Requests answered.", ["status"], requests)
        sent_away = {(): sum(server.refused for server in doors)}
        yield self._counter("connections_refused", "Connections refused.", [], sent_away)

    def _audit(self) -> Iterator[Any]:
        last = self._parts.figures.audited
        if last is not None:
            yield self._gauge("audit_findings", "Findings; -1: not audited.", last.findings)
            yield self._gauge("audit_seconds", "How long the last audit took.", last.seconds)
            yield self._gauge("audit_at_seconds", "When it ended, since 1970.", last.at)
            yield self._gauge("audit_leaves", "How many leaves it covered.", last.leaves)

    def _counter(self, name: str, text: str, labels: list[str], counts: Any) -> Any:
        family = core.CounterMetricFamily(f"casino_{name}", text, labels=labels)
        return _with(family, counts)

    def _gauge(self, name: str, text: str, value: float) -> Any:
        return core.GaugeMetricFamily(f"casino_{name}", text, value=value)

    def _gauges(self, name: str, text: str, labels: list[str], values: Any) -> Any:
        return _with(core.GaugeMetricFamily(f"casino_{name}", text, labels=labels), values)


def _with(family: Any, values: Any) -> Any:
    for label, value in sorted(dict(values).items()):
        labels = label if isinstance(label, tuple) else (str(label),)
        family.add_metric(labels, value)
    return family
