"""A backend and two web processes, joined by a real Redis, behave as one casino."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from casino.cli.host.admin import command as admin
from casino.cli.verify.audit import command as audit
from casino.errors import Refused
from casino.web.ipc.redis_streams import HOUSE, create_client, redis_errors
from tests.web.processes import CasinoProcesses, PendingBet, needs_redis, open_casino, until
from tests.web.server import FAST, LONG_BETTING, fetch, same_session

pytestmark = needs_redis

TABLES: dict[str, dict[str, Any]] = {
    "open": LONG_BETTING,
    "fast": {**FAST, "pace_ms": 5, "number": 3},
    "seat": {**FAST, "betting_ms": 300, "challenger": "nobody", "number": 0},
}
DEPLOYED = Path(__file__).parent.parent.parent / "deploy" / "redis.conf"


@pytest.fixture(scope="module")
def casino(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CasinoProcesses]:
    """A house and two web processes, with the Redis of the deploy folder; its log is clean."""
    folder = tmp_path_factory.mktemp("processes")
    with open_casino(folder, TABLES, webs=2, settings=DEPLOYED) as casino:
        yield casino
    found = CliRunner().invoke(audit, ["--db", str(casino.db), "--json"])
    told = json.loads(found.output)["findings"]
    assert [one for one in told if one["severity"] != "note"] == []


# --- one casino


def test_a_session_is_shared_by_all_web_processes(casino: CasinoProcesses) -> None:
    ann = casino.visitor(0, "leaver")
    there = same_session(ann, casino.url(1))
    there.join("open")
    assert there.get("/api/me")["name"] == ann.name
    for one in (ann, there):
        one.line.reconnection = False
    ann.post("/api/leave", {})
    until(lambda: not there.line.connected)
    with pytest.raises(Refused, match="enter"):
        ann.get("/api/me")
    with pytest.raises(Refused, match="enter"):
        there.get("/api/me")
    there.close()


def test_a_web_process_forwards_requests_to_the_backend(casino: CasinoProcesses) -> None:
    ann = casino.visitor(1, "asker")
    ann.join("fast")
    ann.wait_for("game_over")
    game = until(lambda: ann.get("/api/games")["games"])[0]["game"]
    assert ann.get(f"/api/games/{game}")["game"] == game
    assert ann.get(f"/api/games/{game}/steps")["steps"]
    assert ann.get("/api/statement")["balance_cents"] == 100_000
    assert ann.get("/api/checkpoint")["size"] > 0
    assert ann.read("/log/checkpoint") and ann.read("/log/tile/entries/000.p/1")
    assert ann.get("/api/log?after=-1&limit=2")["leaves"][0]["n"] == 0
    assert {one["table"] for one in ann.get("/api/tables")["tables"]} == set(TABLES)
    assert b"<html" in ann.read("/") and b"<html" in ann.read("/table/fast")
    bet = {"bet_id": "b", "side": "house", "unit_cents": 500}
    assert ann.refused("place_bet", table="fast", game="x", **bet) == "unknown_game"
    with pytest.raises(Refused, match="is not a finished game"):
        ann.get("/api/games/none-000001")
    with pytest.raises(Refused, match="chips"):
        ann.post("/api/refill", {})


def test_presence_and_announcements_span_all_web_processes(casino: CasinoProcesses) -> None:
    here, there = casino.visitor(0), casino.visitor(1)
    heard: list[str] = []
    for one in (here, there):
        one.line.on("announcement", lambda said: heard.append(said["text"]))
        one.join("open")
    until(lambda: here.get("/api/tables")["tables"][0]["watching"] >= 2)
    said = CliRunner().invoke(admin, ["announce", "tea is served", "--db", str(casino.db)])
    assert said.exit_code == 0, said.output
    until(lambda: heard == ["tea is served"] * 2)


def test_the_backend_serves_health_checks_but_no_pages(casino: CasinoProcesses) -> None:
    url = casino.house.wait()
    assert fetch(url, "/healthz").json["ok"]
    assert fetch(url, "/readyz").json["ok"]
    assert fetch(url, "/").status == 404


def test_the_redis_of_the_deploy_folder_allows_nothing_else(casino: CasinoProcesses) -> None:
    port = casino.redis_url.rpartition(":")[2]
    with pytest.raises(redis_errors(), match="(?i)authentication required|authenticated"):
        create_client(f"redis://127.0.0.1:{port}").get(HOUSE)
    with pytest.raises(redis_errors(), match="NOPERM|permission"):
        create_client(casino.redis_url).keys("*")


# --- failures


def test_no_bet_is_lost_or_duplicated_when_redis_is_killed(casino: CasinoProcesses) -> None:
    ann, gallery = casino.visitor(0, "ann"), casino.visitor(1)
    gallery.join("fast")
    ann.join("open")
    ann.bet("open", "before")
    bet = PendingBet(ann, "during")
    casino.redis.kill()
    casino.redis.start()
    casino.redis.wait()
    made = bet.done()
    assert ann.bet("open", "during")["bet"] == made["bet"]
    assert ann.get("/api/me")["balance_cents"] == 100_000 - 2 * 3 * 500
    # Wait for their publication: bets within a quarter of a second are published together.
    until(lambda: len([b for b in ann.get("/api/me")["bets"] if b["table"] == "open"]) == 2)
    version = gallery.join("fast")["version"]
    gallery.wait_for("game_over", since=version)


def test_clients_are_notified_of_a_backend_outage(casino: CasinoProcesses) -> None:
    watcher = casino.visitor(1)
    watcher.join("open")
    casino.house.kill()
    watcher.wait_for("notice", away=True)
    assert watcher.join("open")["snapshot"]["away"] is True
    assert fetch(casino.url(1), "/readyz").status == 503
    casino.webs[0].kill()
    said = len(casino.webs[0].stderr())
    casino.webs[0].start()
    until(lambda: "waiting for one" in casino.webs[0].stderr()[said:])
    assert casino.webs[0].stop() == 0
    casino.webs[0].start()
    casino.house.start()
    casino.house.wait()
    back = watcher.wait_for("notice", taking=True)
    assert "away" not in back
    assert any(event["type"] == "restored" for event in watcher.events)
    seen = watcher.join("open")
    assert "away" not in seen["snapshot"]
    assert seen["version"] >= back["version"]
    assert casino.visitor(0).join("open")["snapshot"]["game"]
