"""Hosted tables through the web: who may open one, who may see it, when it closes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import gevent
import pytest

from casino import fairness
from casino.betting import BettingRules
from casino.client.client import CasinoClient
from casino.config import Config
from casino.config_tables import TableOrder, grant_policy, table_plans
from casino.ecarte import Laws
from casino.errors import InputError, Refused
from casino.events.types import HostedTable
from casino.table.domain.commands import PlaceBet
from casino.table.public.feed import EventBatch, TableFeed
from casino.table.runtime.casino import Casino, SimulatedClock
from casino.table.runtime.recovery import load_transfer
from casino.table.runtime.refills import refill_threshold_cents
from casino.web import context
from casino.web.accounts.store import Browser
from casino.web.backend.interface import (
    Bulletin,
    CheckpointSigned,
    TableClosed,
    TableFeeds,
    TableReset,
)
from casino.web.backend.local import LocalBackend
from casino.web.broadcast.broadcaster import Broadcaster
from casino.web.broadcast.publisher import EventPublisher
from casino.web.context import AppContext
from casino.web.ipc.protocol import Envelope, encode, read_sent
from casino.web.schemas.responses import GamesOrdered, TableChanged, TableClosing
from casino.web.sockets.connections import Connection
from tests.table.casino_harness import audited
from tests.web.server import TIMEOUT_SECONDS, Server, fetch, now_ms, open_server

FAST = {"betting_ms": 3_000, "pace_ms": 0, "deal_ms": 0, "game_ms": 0, "reveal_ms": 0}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    path = tmp_path_factory.mktemp("hosting") / "casino.db"
    with open_server(path, {"t1": {"number": 0}}, table=FAST) as server:
        yield server
    assert audited(path).is_clean


def order(table_id: str, **fields: Any) -> dict[str, Any]:
    bots = {"house": "novice", "challenger": "novice"}
    return {"table_id": table_id, "spectators": 0, **bots, **fields}


def test_a_player_opens_changes_and_closes_a_table(server: Server) -> None:
    ann, ben = server.visitor("ann"), server.visitor("ben")
    opened = ann.post("/api/hosted", order("a", pace="usual"))
    assert opened == {"ok": True, "table": "h1", "link": ""}
    assert ann.post("/api/hosted", order("a", pace="usual")) == opened
    assert ben.join("h1")["ok"]
    assert ben.bet("h1", "b")["ok"]
    listed = {table["table"]: table for table in ben.get("/api/tables")["tables"]}
    assert (listed["h1"]["host"], listed["h1"]["title"]) == ("ann", "ann’s table")
    for path in ("/", "/table/h1", "/games"):
        assert "ann’s table" in fetch(server.url, path).text
    assert "Chez ann" in fetch(server.url, "/?lang=fr").text
    change = {"stake_cents": 300}
    with pytest.raises(Refused, match="h1 has another host: only they may change or close it"):
        ben.post("/api/hosted/h1/change", change)
    changed = TableChanged.model_validate(ann.post("/api/hosted/h1/change", change))
    assert changed.from_game > 10
    ordered = GamesOrdered.model_validate(ann.post("/api/hosted/h1/games", {"games": 2}))
    games = {"first": ordered.first, "last": ordered.first + 1}
    assert ben.get("/api/statistics?table=h1")["ordered"] == games
    closing = TableClosing.model_validate(ann.post("/api/hosted/h1/close", {}))
    assert closing.table == "h1"
    ben.until(lambda: "h1" not in server.casino.backend.feeds)
    assert ben.refused("join", table="h1") == "unknown_table"
    assert ben.get("/api/me")["bets"] == []
    last = ben.get("/api/games?table=h1&limit=1")["games"][0]
    assert last["host"] == ben.get(f"/api/games/{last['game']}")["host"] == "ann"
    replay = fetch(server.url, f"/game/{last['game']}").text
    assert '<h1 class="replay-title">ann’s table #' in replay
    with pytest.raises(Refused):
        ann.post("/api/hosted/t1/close", {})


def test_a_host_chooses_laws_which_the_tables_page_shows(server: Server) -> None:
    ann = server.visitor("lawyer")
    laws = {"play": "ordinary", "vole_unexchanged": 2, "matching": "last_in_first_out"}
    table = ann.post("/api/hosted", order("l", target=7, laws=laws))["table"]
    assert "only follow suit" in ann.read(f"/table/{table}").decode()
    with pytest.raises(Refused, match="laws.play must be 'strict' or 'ordinary'"):
        ann.post(f"/api/hosted/{table}/change", {"laws": {"play": "loose"}})
    with pytest.raises(Refused, match="laws.commission_bp is unknown"):
        ann.post(f"/api/hosted/{table}/change", {"laws": {"commission_bp": 0}})
    first = ann.post(f"/api/hosted/{table}/change", {"laws": {"play": "strict"}})["from_game"]
    page = ann.read(f"/table/{table}").decode()
    assert page.index("only follow suit") < page.index(f"<h3>From game {first}</h3>")
    assert f"From game {first}: the second card – follow suit, and win if possible</p>" in page
    rules = server.house.service.durable_state(table).newest_settings
    assert rules.laws == Laws(target=7, vole_unexchanged=2)
    assert rules.gallery == BettingRules(matching="last_in_first_out")
    ann.post(f"/api/hosted/{table}/close", {})


def test_a_poule_is_opened_entered_and_shown_to_spectators(server: Server) -> None:
    pia, eva = server.visitor("pia"), server.visitor("eva")
    asked = order("p", challenger="nobody", poule=3, entry_cents=300)
    table = pia.post("/api/hosted", asked)["table"]
    rules = {"players": 3, "entry_cents": 300, "wins": 2}
    eva.join(table)
    (shown,) = (line for line in eva.get("/api/tables")["tables"] if line["table"] == table)
    assert shown["poule"] == rules
    pia.join(table)
    pia.request("take_seat", table=table)
    poule = eva.wait_for("poule")["poule"]
    assert sorted(poule["entrants"]) == ["anatole", "novice", "pia"]
    assert poule["entrants"][poule["person"] - 1] == "pia"
    assert (poule["line"], poule["wins"], poule["pool_cents"]) == ([1, 2, 3], 0, 900)
    assert eva.join(table)["snapshot"]["poule"] == poule
    listed = {row["table"]: row.get("poule") for row in eva.get("/api/tables")["tables"]}
    assert (listed[table], listed["t1"]) == (rules, None)
    practice = eva.post(f"/api/tables/{table}/practice", {"number": "0" * 32, "actions": []})
    assert practice["yous"][-1]["name"] == "you" and not practice["over"]
    with pytest.raises(Refused, match="only a poule has an entry and wins"):
        pia.post("/api/hosted", order("q", wins=2))
    with pytest.raises(Refused, match="novice can enter a poule only once: choose another"):
        pia.post("/api/hosted", order("q", challenger="novice", poule=3))
    pia.request("leave_seat", table=table)
    server.casino.backend.close_table(None, table)
    pia.until(lambda: table not in server.casino.backend.feeds)


def test_a_repeated_bet_is_answered_after_its_table_closed(tmp_path: Path) -> None:
    path, fast = tmp_path / "casino.db", {**FAST, "betting_ms": 400}
    with open_server(path, {"t1": {"number": 0}}, table=fast) as server:
        ann = server.visitor("ann")
        ann.post("/api/hosted", order("a", pace="usual"))
        bet = ann.bet("h1", "b")["bet"]
        ann.post("/api/hosted/h1/close", {})
        ann.until(lambda: "h1" not in server.casino.backend.feeds)
        again = {"bet_id": "b", "side": "house", "unit_cents": 500}
        assert ann.request("place_bet", table="h1", game=bet["game"], **again)["bet"] == bet
    house = Casino(path, [], now_ms)
    command = PlaceBet("h1", bet["game"], "b", "ann", 0, 500)
    assert house.service.submit(command).result()["bet"] == bet
    house.close()


def test_a_private_table_is_visible_only_with_its_link(server: Server) -> None:
    ann = server.visitor("ann2")
    opened = ann.post("/api/hosted", order("p", audience="link"))
    table, page = opened["table"], f"/table/{opened['table']}"
    assert ann.join(table)["ok"]
    assert f'"{table}"'.encode() in ann.read("/api/tables")
    ben = CasinoClient(server.url)
    ben.enter("ben2")
    for path in ("/api/tables", "/games"):
        assert f'"{table}"'.encode() not in ben.read(path)
    for path in (page, f"{page}?link=0", f"/overlay/{table}", f"/api/tables/{table}"):
        with pytest.raises((InputError, Refused)):
            ben.read(path)
    with pytest.raises(Refused):
        ben.get(f"/api/tables/{table}")
    stranger = server.visitor("cat2")
    for message in ("join", "take_seat", "leave"):
        assert stranger.refused(message, table=table) == "unknown_table"
    for path in ("/", page):
        assert f'"{page}?link={opened["link"]}"'.encode() in ann.read(path)
    assert b'<small class="private">' in ben.read(f"{page}?link={opened['link']}")
    ben.connect(event=lambda _: None, you=lambda _: None)
    assert ben.request("join", table=table)["ok"]
    ben.close()
    change = {"table_id": "q", "replaces": table, "stake_cents": 300}
    moved = ann.post("/api/hosted", change)
    with pytest.raises(Refused, match=f"table {table} is closed|there is no table {table}"):
        ann.post("/api/hosted", change)
    assert server.house.service.durable_state(moved["table"]).rules.stake_cents == 300
    ann.until(lambda: table not in server.casino.backend.feeds)
    assert {game["host"] for game in ann.get(f"/api/games?table={table}")["games"]} == {None}
    for address in (page, f"{page}?link={opened['link']}"):
        assert f'"/table/{moved["table"]}?link={moved["link"]}"'.encode() in ben.read(address)
    assert f'data-table="{moved["table"]}"'.encode() in ben.read(f"/overlay/{table}?new")
    stranger_sees = fetch(server.url, f"/table/{moved['table']}", Accept="text/html").body
    assert b"This table is closed, or its link is not complete." in stranger_sees
    ann.post(f"/api/hosted/{moved['table']}/close", {})


def test_tables_that_are_over_leave_the_cookie_first(monkeypatch: pytest.MonkeyPatch) -> None:
    cookie: dict[str, list[str]] = {}
    monkeypatch.setattr(context, "session", cookie)
    tables = [f"h{number}" for number in range(1, 11)]
    backend = SimpleNamespace(table_link=lambda _: "key")
    shared: Any = SimpleNamespace(backend=backend, feeds=dict.fromkeys(tables))
    for table in tables:
        AppContext.admit(shared, table, "key")
    assert cookie["tables"] == ["h3", "h4", "h5", "h6", "h7", "h8", "h9", "h10"]
    del shared.feeds["h5"]
    AppContext.admit(shared, "h1", "key")
    assert cookie["tables"] == ["h3", "h4", "h6", "h7", "h8", "h9", "h10", "h1"]


def make_broadcaster(backend: LocalBackend, feeds: TableFeeds | None = None) -> Broadcaster:
    """Return a broadcaster without connections, by default for the backend's own feeds."""
    feeds = backend.feeds if feeds is None else feeds
    own = backend.bridge, feeds, now_ms, fairness.fresh_seed, backend.figures
    return Broadcaster(AppContext(backend.config, backend, *own))


NewBackend = Callable[..., LocalBackend]


@pytest.fixture
def new_backend(tmp_path: Path) -> Iterator[NewBackend]:
    """Return a function that opens casinos without a web server; close them after the test."""
    opened: list[LocalBackend] = []

    def open_house(clock: Any = now_ms, **hosting: Any) -> LocalBackend:
        config = Config.model_validate({"tables": {"t1": {"number": 0}}, "hosting": hosting})
        path, chips = tmp_path / f"{len(opened)}.db", grant_policy(config)
        house = Casino(path, table_plans(config), clock, chips=chips)
        opened.append(LocalBackend(config, house, fairness.fresh_seed))
        opened[-1].subscribe(make_broadcaster(opened[-1]).handle)
        gevent.spawn(EventPublisher(opened[-1], lambda work: work()).run)
        return opened[-1]

    yield open_house
    for backend in opened:
        backend.house.close()


def enter(backend: LocalBackend, name: str, password: str | None = None) -> None:
    backend.enter(name, password, Browser(f"{name}'s key", f"{name}'s other key", None))


def test_settings_decide_who_may_host(new_backend: NewBackend) -> None:
    backend = new_backend(who="nobody")
    with pytest.raises(Refused, match="only the casino opens tables here"):
        backend.open_table("ann", "a", TableOrder())
    assert backend.open_table(None, "a", TableOrder())["table"] == "h1"
    backend = new_backend(who="accounts", tables_each=1)
    enter(backend, "ann", "a long password")
    enter(backend, "ben")
    with pytest.raises(Refused, match="a host needs a password"):
        backend.open_table("ben", "a", TableOrder())
    shared = make_broadcaster(backend)._shared
    for player, may_open in (("ann", True), ("ben", False), (None, False)):
        with patch.object(shared, "current_player_or_none", return_value=player):
            assert (shared.may_open_table(), shared.needs_password()) == (may_open, not may_open)
    assert backend.open_table("ann", "a", TableOrder())["table"] == "h1"
    with pytest.raises(Refused, match="you have 1 open table already"):
        backend.open_table("ann", "b", TableOrder())


def test_a_table_without_watchers_closes_when_idle(new_backend: NewBackend) -> None:
    clock = SimulatedClock()
    backend = new_backend(clock, idle_minutes=5)
    watchers = {"h1": 1}

    def close() -> None:
        backend.hosting.close_idle(lambda table: watchers.get(table, 0))

    for table_id in "ab":
        backend.open_table(None, table_id, TableOrder("tournament"))
    gevent.sleep(0.1)
    assert [*backend.feeds] == ["t1", "h1", "h2"]
    close()
    clock.now += 5 * 60_000
    close()
    gevent.sleep(0.1)
    settings = backend.service.durable_state("h2").newest_settings
    assert settings.hosted is not None
    assert settings.hosted.closed == "idle"
    assert [*backend.feeds] == ["t1", "h1"]
    watchers.clear()
    close()
    assert not backend.service.durable_state("h1").newest_settings.is_closed


def test_a_table_whose_end_proves_durable_after_a_fault_is_removed(new_backend: NewBackend) -> None:
    backend = new_backend()
    backend.open_table(None, "a", TableOrder())
    gevent.sleep(0.1)
    publisher = backend.service.listeners.pop()
    backend.close_table(None, "h1")
    state = backend.service.durable_state("h1")
    with closing(backend.service.ledger.reader()) as log:
        restored = state, load_transfer(log, state.rules, 0)
    publisher.on_restored({"h1": restored})
    gevent.sleep(0.1)
    assert [*backend.feeds] == ["t1"]


def test_removing_a_table_keeps_pending_updates_of_others(new_backend: NewBackend) -> None:
    backend = new_backend()
    backend.open_table(None, "a", TableOrder())
    gevent.sleep(0.1)
    broadcaster, heard = make_broadcaster(backend), list[bytes]()
    registry = broadcaster._registry
    socket: Any = SimpleNamespace(send=heard.append, enqueue=heard.append, needs_flush=bool)
    connection = Connection("key", "ann", socket, "")
    registry.add("line", connection)
    for table in ("t1", "h1"):
        registry.join(connection, table)
    gevent.spawn(broadcaster.push_private_views)
    broadcaster.push_balance("ann")
    broadcaster.handle(TableClosed("h1"))
    end = time.monotonic() + TIMEOUT_SECONDS
    while len(heard) < 2 and time.monotonic() < end:
        gevent.sleep(0.01)
    assert [b'"t1"' in frames for frames in heard] == [False, True]
    assert [registry.sockets_at(table) for table in ("t1", "h1")] == [[socket], []]


def test_closed_tables_do_not_lower_the_refill_threshold(new_backend: NewBackend) -> None:
    backend = new_backend()
    assert refill_threshold_cents(backend.house) == 100
    backend.open_table(None, "a", TableOrder())
    assert refill_threshold_cents(backend.house) == 20
    backend.close_table(None, "h1")
    assert refill_threshold_cents(backend.house) == 100


def test_web_processes_learn_of_opened_and_closed_tables(new_backend: NewBackend) -> None:
    backend = new_backend()
    feeds = TableFeeds()
    broadcaster = make_broadcaster(backend, feeds)

    def over_redis(message: Bulletin) -> None:
        sent = read_sent(encode(Envelope("run", 1, 0, message)))
        broadcaster.handle(sent.message)

    backend.subscribe(over_redis)
    backend.open_table(None, "a", TableOrder("salon", audience="link"))
    gevent.sleep(0.1)
    assert feeds["h1"].snapshot(0) == backend.feeds["h1"].snapshot(0)
    hosted = feeds["h1"].table.newest_settings.hosted
    assert hosted == HostedTable(audience="link", games=0, spectators=8)
    backend.close_table(None, "h1")
    gevent.sleep(0.1)
    assert feeds == {}


def test_ordered_games_reset_the_feed_once(new_backend: NewBackend) -> None:
    clock = SimulatedClock()
    backend = new_backend(clock, games_ordered=3)
    backend.open_table("ann", "a", TableOrder(house="novice", challenger="novice"))
    gevent.sleep(0.1)
    with pytest.raises(Refused, match="h1 has another host"):
        backend.order_games("ben", "h1", 1)
    with pytest.raises(Refused, match="a host can order at most 3 games at a time: order fewer"):
        backend.order_games("ann", "h1", 4)
    assert backend.order_games("ann", "h1", 3) == {"first": 1, "last": 3}
    sent: list[Bulletin] = []
    backend.subscribe(sent.append)
    runner = backend.house.croupiers[-1]
    for _ in range(3):
        runner.step(clock.now)
    gevent.sleep(0.1)
    assert [type(message) for message in sent] == [EventBatch], "the chain of seeds begins"

    def play_after(work: Callable[..., Any], read: Callable[..., Any] = backend.bridge.read) -> Any:
        answer = read(work)
        for _ in range(2):
            clock.now += 60_000
            runner.step(clock.now)
        return answer

    with patch.object(backend.bridge, "read", play_after):
        asked = backend.statistics("h1")
    assert asked["ordered"] == {"first": 1, "last": 3}
    assert backend.statistics("h1")["ordered"] is None
    gevent.sleep(0.1)
    kinds = [type(message) for message in sent[1:]]
    assert kinds[0] is TableReset
    assert kinds.count(TableReset) == kinds.count(CheckpointSigned) == 1
    opened = next(message for message in sent[1:] if isinstance(message, EventBatch))
    assert opened.events[0].subject == "h1-000004"
    log = backend.service.ledger.reader()
    kept = TableFeed(load_transfer(log, runner.service.durable_state("h1").rules, 0))
    log.close()
    shown = backend.feeds["h1"].snapshot(clock.now)
    assert {**kept.snapshot(clock.now), "version": 0} == {**shown, "version": 0}


def test_table_orders_respect_the_settings_limits(new_backend: NewBackend) -> None:
    backend = new_backend(max_stake_cents=400, spectators=3)
    with pytest.raises(Refused, match="stakes here are 0.00 to 4.00: choose another"):
        backend.open_table(None, "a", TableOrder(stake_cents=401))
    with pytest.raises(Refused, match="a table here has at most 3 bot spectators"):
        backend.open_table(None, "a", TableOrder(spectators=4))
    for bets in ((19, None), (500, 499), (None, 100_001)):
        with pytest.raises(Refused, match=r"bets here are 0.20 to 1000.00: choose limits"):
            backend.open_table(None, "a", TableOrder(min_bet_cents=bets[0], max_bet_cents=bets[1]))
    with pytest.raises(Refused, match="there is no bot croesus: choose one of novice"):
        backend.open_table(None, "a", TableOrder(house="croesus"))
    backend.open_table(None, "a", TableOrder("salon", max_bet_cents=900))
    rules = backend.service.durable_state("h1").rules
    assert (rules.stake_cents, rules.hosted and rules.hosted.spectators) == (400, 3)
    assert rules.limits[:2] == (100, 900)
    for unequal in (TableOrder(house="novice"), TableOrder(laws={"deal": "house"})):
        with pytest.raises(Refused, match="bot spectators bet at h1, so its sides must stay"):
            backend.change_table(None, "h1", unequal)
    backend.open_table(None, "c", TableOrder(house="novice", replaces="h1"))
    hosted = backend.service.durable_state("h2").newest_settings.hosted
    assert hosted is not None and hosted.spectators == 0
    backend.open_table(None, "b", TableOrder(laws={"deal": "house"}))
    rules = backend.service.durable_state("h3").rules
    assert (rules.house_cover_cents, rules.hosted and rules.hosted.spectators) == (0, 0)
