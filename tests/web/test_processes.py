"""A house and two web processes, joined by a real Redis: one casino, whichever door one takes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from click.testing import CliRunner

from casino.cli.host.admin import command as admin
from casino.cli.verify.audit import command as audit
from casino.config import Config
from casino.config_tables import grant_policy, table_plans
from casino.errors import ConfigError, Refused
from casino.fairness import fresh_seed
from casino.table.runtime.casino import Casino
from casino.web.app import create_app
from casino.web.ipc.redis_streams import HOUSE, Lease, create_client, redis_errors
from tests.web.doors import BETTING_FOR_EVER, FAST, Visitor, now_ms
from tests.web.processes import (
    CasinoProcesses,
    InFlight,
    needs_redis,
    open_casino,
    patiently,
    until,
)

pytestmark = needs_redis

TABLES: dict[str, dict[str, Any]] = {
    "open": BETTING_FOR_EVER,
    "fast": {**FAST, "pace_ms": 5, "number": 3},
    "seat": {**FAST, "betting_ms": 300, "challenger": "nobody", "number": 0},
}
DEPLOYED = Path(__file__).parent.parent.parent / "deploy" / "redis.conf"
_NUMBERS = count(1)
Come = Callable[..., Visitor]


@pytest.fixture(scope="module")
def casino(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CasinoProcesses]:
    """A house and two web processes, with the Redis of the deploy folder; its log is clean."""
    folder = tmp_path_factory.mktemp("processes")
    with open_casino(folder, TABLES, webs=2, settings=DEPLOYED) as casino:
        yield casino
    found = CliRunner().invoke(audit, ["--db", str(casino.db), "--json"])
    told = json.loads(found.output)["findings"]
    assert [one for one in told if one["severity"] != "note"] == []


@pytest.fixture
def come(casino: CasinoProcesses) -> Iterator[Come]:
    """Makes visitors at a web process, each under a name of his own."""
    there: list[Visitor] = []

    def visitor(web: int = 0, name: str | None = None) -> Visitor:
        given = None if name is None else f"{name}{next(_NUMBERS)}"
        there.append(patiently(casino.url(web), given))
        return there[-1]

    yield visitor
    for one in there:
        one.close()


def at_other_door(visitor: Visitor, casino: CasinoProcesses, web: int) -> Visitor:
    other = Visitor(casino.url(web), None)
    other.close()
    other._jar, other._opener = visitor._jar, visitor._opener
    other.connect(event=other._heard, you=other._you)
    return other


# --- one casino


def test_a_bet_at_one_door_is_heard_at_the_other(casino: CasinoProcesses, come: Come) -> None:
    ann, gallery = come(0, "ann"), come(1)
    gallery.join("open")
    ann.join("open")
    bet = ann.bet("open", "b1")
    assert bet["balance_cents"] == 100_000 - 3 * 500
    heard = gallery.until(lambda: [e for e in gallery.events if e.get("player") == ann.name])
    assert heard[0]["unit_cents"] == 500
    own = ann.until(lambda: [you for you in ann.yous if you.get("bets")])
    assert own[-1]["balance_cents"] == bet["balance_cents"]
    assert ann.bet("open", "b1") == {**bet, "version": ann.join("open")["version"]}
    assert gallery.yous == []


def test_a_session_is_the_same_at_every_door(casino: CasinoProcesses, come: Come) -> None:
    ann = come(0, "leaver")
    there = at_other_door(ann, casino, 1)
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


def test_a_thing_asked_of_the_house_is_answered_at_every_door(
    casino: CasinoProcesses, come: Come
) -> None:
    ann = come(1, "asker")
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
    assert ann.refused("place_bet", table="fast", game="x", bet_id="b", side="house", unit_cents=1)
    with pytest.raises(Refused, match="is not a finished game"):
        ann.get("/api/games/none-000001")
    with pytest.raises(Refused, match="chips"):
        ann.post("/api/refill", {})


def test_everybody_is_counted_and_told(casino: CasinoProcesses, come: Come) -> None:
    here, there = come(0), come(1)
    heard: list[str] = []
    for one in (here, there):
        one.line.on("announcement", lambda said: heard.append(said["text"]))
        one.join("open")
    until(lambda: here.get("/api/tables")["tables"][0]["watching"] >= 2)
    said = CliRunner().invoke(admin, ["announce", "tea is served", "--db", str(casino.db)])
    assert said.exit_code == 0, said.output
    until(lambda: heard == ["tea is served"] * 2)


def test_the_house_alone_tells_how_it_does_and_shows_no_page(casino: CasinoProcesses) -> None:
    url = casino.house.wait()
    assert json.load(urlopen(f"{url}/healthz"))["ok"]
    assert json.load(urlopen(f"{url}/readyz"))["ok"]
    with pytest.raises(HTTPError, match="404") as refused:
        urlopen(url + "/")
    refused.value.close()


def test_a_house_of_another_log_may_not_use_the_same_redis(
    casino: CasinoProcesses, tmp_path: Path
) -> None:
    redis = create_client(casino.redis_url)
    origin = redis.get(HOUSE).rpartition(b" ")[0]
    with pytest.raises(ConfigError, match="a copy of it"):
        Lease(redis, origin, b"copy").claim(lambda _: None)
    config = Config.model_validate(
        {"tables": {"open": BETTING_FOR_EVER}, "scale": {"redis_url": casino.redis_url}}
    )
    house = Casino(tmp_path / "other.db", table_plans(config), now_ms, chips=grant_policy(config))
    with pytest.raises(ConfigError, match="another casino uses this Redis"):
        create_app(config, house, fresh_seed)
    house.close()


def test_the_redis_of_the_deploy_folder_allows_nothing_else(casino: CasinoProcesses) -> None:
    port = casino.redis_url.rpartition(":")[2]
    with pytest.raises(redis_errors(), match="(?i)authentication required|authenticated"):
        create_client(f"redis://127.0.0.1:{port}").get(HOUSE)
    with pytest.raises(redis_errors(), match="NOPERM|permission"):
        create_client(casino.redis_url).keys("*")


# --- and whatever dies


def test_no_bet_is_lost_or_made_twice_when_redis_is_killed(
    casino: CasinoProcesses, come: Come
) -> None:
    ann, gallery = come(0, "ann"), come(1)
    gallery.join("fast")
    ann.join("open")
    ann.bet("open", "before")
    bet = InFlight(ann, "during")
    casino.redis.kill()
    casino.redis.start()
    casino.redis.wait()
    made = bet.done()
    assert ann.bet("open", "during")["bet"] == made["bet"]
    assert ann.get("/api/me")["balance_cents"] == 100_000 - 2 * 3 * 500
    # What was told of them: bets of a quarter of a second are told together.
    until(lambda: len([b for b in ann.get("/api/me")["bets"] if b["table"] == "open"]) == 2)
    version = gallery.join("fast")["version"]
    gallery.wait_for("game_over", since=version)


def test_a_house_that_is_away_is_said_to_be_away(casino: CasinoProcesses, come: Come) -> None:
    """Waiting clients hear it in a notice, then that it is back; newcomers see it too.

    A web process that is started meanwhile opens its doors once the house is back, or ends in
    good order if it is told to while it waits, though it be the first process of a container.
    """
    watcher = come(1)
    watcher.join("open")
    casino.house.kill()
    watcher.until(lambda: [e for e in watcher.events if e["type"] == "notice" and e.get("away")])
    assert watcher.join("open")["snapshot"]["away"] is True
    with pytest.raises(HTTPError, match="503") as refused:
        urlopen(casino.url(1) + "/readyz")
    refused.value.close()
    casino.webs[0].kill()
    said = len(casino.webs[0].told())
    casino.webs[0].start()
    until(lambda: "waiting for one" in casino.webs[0].told()[said:])
    assert casino.webs[0].stop() == 0
    casino.webs[0].start()
    casino.house.start()
    casino.house.wait()
    back = watcher.until(
        lambda: [e for e in watcher.events if e["type"] == "notice" and e["taking"]]
    )
    assert "away" not in back[0]
    assert any(event["type"] == "restored" for event in watcher.events)
    seen = watcher.join("open")
    assert "away" not in seen["snapshot"]
    assert seen["version"] >= back[0]["version"]
    assert come(0).join("open")["snapshot"]["game"]
