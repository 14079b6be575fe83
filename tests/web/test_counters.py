"""Monitoring: health and readiness, metrics, access and command logs."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from casino.cli.host.top import Samples
from casino.cli.host.top import fetch as fetch_metrics
from casino.web.server.request_log import access, commands
from tests.web.server import FAST, LONG_BETTING, Server, Visit, Visitor, fetch, open_server

ROOT = Path(__file__).parent.parent.parent
TABLES: dict[str, dict[str, Any]] = {"open": LONG_BETTING, "fast": {**FAST, "number": 3}}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A casino behind a proxy, with an open book and a quick table."""
    path = tmp_path_factory.mktemp("figures") / "casino.db"
    with open_server(path, TABLES, web={"trusted_proxies": ["127.0.0.1"]}) as server:
        yield server


@pytest.fixture
def ann(visit: Visit) -> Visitor:
    """A person with a page open."""
    return visit("ann")


def figure(seen: Samples, name: str, **labels: str) -> float:
    found = {frozenset(of): value for of, value in seen.get(f"casino_{name}", {}).items()}
    return found.get(frozenset(labels.items()), 0)


def test_metrics_count_activity(server: Server, ann: Visitor) -> None:
    ann.join("open")
    before = fetch_metrics(server.url)
    for number in range(3):
        ann.bet("open", f"b{number}")
    assert ann.refused("place_bet", table="open", game="x", bet_id="c", side="house", unit_cents=1)
    assert ann.refused("join", table="nowhere") == "unknown_table"
    version = ann.join("fast")["version"]
    ann.wait_for("game_over", since=version)
    after = fetch_metrics(server.url)

    def grown(name: str, **labels: str) -> float:
        return figure(after, name, **labels) - figure(before, name, **labels)

    assert grown("bets_total", table="open") == 3
    assert grown("refusals_total", code="unknown_table") == 1
    assert grown("games_total", table="fast", how="finished") >= 1
    assert grown("answer_seconds_count") >= 3
    assert grown("commit_seconds_count") >= 3
    assert grown("event_lag_seconds_count") >= 3
    assert figure(after, "people") == 1
    assert figure(after, "lines") == 1
    assert figure(after, "watching", table="fast") == 1
    assert figure(after, "takes_bets") == 1
    assert figure(after, "connections") >= 1
    assert figure(after, "requests_total", status="200") >= 2
    assert after["process_open_fds"][()] > 0


def test_every_metric_in_alerts_and_dashboard_is_exported(server: Server) -> None:
    board = json.loads((ROOT / "deploy" / "grafana.json").read_text("utf-8"))
    rules = (ROOT / "deploy" / "alerts.yml").read_text("utf-8")
    asked = re.findall(r"^ +expr: (.*)$", rules, re.MULTILINE)
    asked += [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    names = set(re.findall(r"(?:casino|process)_[a-z_]+", " ".join(asked)))
    assert len(names) > 12
    fetch(server.url, "/rules")  # request metrics appear after the first request
    # Others appear only after an audit or a refusal.
    server.site.shared.figures.record_audit(0)
    server.site.shared.figures.refusals.labels("a code").inc()
    assert names - set(fetch_metrics(server.url)) == set()


def test_a_casino_that_cannot_take_bets_is_alive_but_not_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_server(tmp_path / "casino.db", {"open": LONG_BETTING}) as server:
        assert fetch(server.url, "/readyz").status == 200
        monkeypatch.setattr(type(server.house.service.ledger), "can_take_bets", False)
        server.visitor().until(lambda: fetch(server.url, "/readyz").status == 503)
        assert fetch(server.url, "/healthz").status == 200


def lines(caplog: pytest.LogCaptureFixture, name: str) -> list[dict[str, Any]]:
    return [cast("Any", r).fields for r in caplog.records if r.name == name]


def test_access_and_command_logs_carry_request_ids(
    server: Server, ann: Visitor, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, access.name), caplog.at_level(logging.INFO, commands.name):
        own = {"X_Forwarded_For": "192.0.2.7", "X_Request_ID": "from-the-proxy.1"}
        headers = fetch(server.url, "/api/tables?secret=1", **own).headers
        assert headers["X-Request-ID"] == "from-the-proxy.1"
        bet = ann.bet("open", "traced")["bet"]
        assert ann.refused("place_bet", **{**_BET, "game": "open-000009"}) == "unknown_game"
        (seen,) = ann.until(lambda: lines(caplog, access.name))
        placed, refused = ann.until(lambda: lines(caplog, commands.name))
    assert (seen["request"], seen["address"]) == ("from-the-proxy.1", "192.0.2.7")
    assert (seen["path"], seen["status"]) == ("/api/tables", 200)
    assert placed["id"] == f"bet/{ann.name}/traced"
    assert (placed["leaf"], placed["code"]) == (bet["leaf"], "ok")
    assert (refused["code"], refused["leaf"]) == ("unknown_game", "")
    assert placed["request"]


_BET = {"table": "open", "bet_id": "later", "side": "house", "unit_cents": 500}


def test_requests_are_not_logged_by_default(
    server: Server, caplog: pytest.LogCaptureFixture, ann: Visitor
) -> None:
    assert fetch(server.url, "/api/tables").status == 200
    ann.bet("open", "quiet")
    assert caplog.records == []
