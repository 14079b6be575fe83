"""Units of a web process: RPC, the Redis lease, gaps and lost answers, clocks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gevent
import msgspec
import pytest
from gevent.queue import SimpleQueue

from casino import fairness
from casino.config import Config
from casino.config_tables import grant_policy, table_plans
from casino.errors import ConfigError, FileError, InputError, Refused
from casino.ledger.storage.base import StorageError
from casino.table.domain.commands import PlaceBet, SetLimit
from casino.table.runtime.casino import Casino
from casino.web.accounts.store import Browser, SessionCache, hash_of_key
from casino.web.backend.concurrency import NO_ANSWER
from casino.web.backend.interface import (
    Announcement,
    BettingStatus,
    Bulletin,
    ChatMessage,
    SessionsChanged,
    TableClosed,
    TableReset,
)
from casino.web.backend.local import OF_ONE, LocalBackend
from casino.web.broadcast.publisher import EventPublisher
from casino.web.ipc import protocol
from casino.web.ipc.client import EventSubscriber, RpcClient, remote_backend
from casino.web.ipc.protocol import METHODS, BackendSnapshot, Envelope, Reply, Request
from casino.web.ipc.redis_streams import (
    ANSWERS,
    EVENTS,
    LEASE_SECONDS,
    REQUESTS,
    Lease,
    PendingEntry,
    StreamEntry,
    StreamReader,
    create_client,
)
from casino.web.ipc.server import RpcServer, open_rpc_server
from tests.simulator.redis_server import RedisClient, RedisServer
from tests.web.server import LONG_BETTING, TIMEOUT_SECONDS, now_ms
from tests.web.test_hosting import make_broadcaster


@pytest.fixture
def backend(tmp_path: Path) -> Iterator[LocalBackend]:
    """A backend without a web server."""
    config = Config.model_validate({"tables": {"t1": LONG_BETTING}})
    house = Casino(tmp_path / "casino.db", table_plans(config), now_ms, chips=grant_policy(config))
    yield LocalBackend(config, house, fairness.fresh_seed)
    house.close()


# --- RPC


@pytest.fixture
def server(backend: LocalBackend) -> RpcServer:
    """The server that executes the requests of web processes."""
    return rpc_server(backend)[0]


def test_only_interface_methods_can_be_called(server: RpcServer) -> None:
    for method in ("house", "states", "_view", "publish", "set_present", ""):
        with pytest.raises(InputError, match="has no method"):
            server._execute(method, [])
    inner = "OpenGame DealCards PlayBotActions TimeOutPlayer SetTableSettings VoidGame CloseReveals"
    for name in inner.split():
        with pytest.raises(msgspec.ValidationError, match=f"Invalid value '{name}'"):
            server._execute("submit", [[name, "t1", "t1-000001", "for fun"]])


@pytest.mark.parametrize("name", ["ghost", "a|b", "house"])
def test_commands_for_unknown_accounts_are_refused(server: RpcServer, name: str) -> None:
    bet = PlaceBet("t1", "t1-000001", "b1", name, 0, 500, None)
    limit = SetLimit(name, "day_stake_cents", 500)
    for command in (bet, limit):
        with pytest.raises(Refused, match="enter"):
            server._execute("submit", [msgspec.to_builtins(command)])
    with pytest.raises(Refused, match="enter"):
        server._execute("refill", [name])


def test_calls_and_results_survive_serialization(backend: LocalBackend, server: RpcServer) -> None:
    browser, fresh = hash_of_key("a"), hash_of_key("b")
    opened = backend.enter("ann", None, Browser(browser, fresh, "192.0.2.1"))
    assert opened == ("ann", fresh, False)
    asked: list[tuple[Any, ...]] = [
        ("players_of", [browser, fresh]),
        ("balances", ["ann"]),
        ("private_views", [("t1", "ann")]),
        ("account", "ann"),
        ("statement", "ann"),
        ("games", None, 5, None),
        ("leaves", -1, 5),
        ("published_checkpoint",),
    ]
    for question in asked:
        body = protocol.encode(Request("1", "w", question[0], list(question[1:])))
        request = protocol.read_request(body)
        answer = server._execute(request.method, request.arguments)
        far = protocol.read_answer(protocol.encode(Reply("1", answer)))
        result = msgspec.convert(far.result, METHODS[request.method].result)
        assert result == getattr(backend, question[0])(*question[1:])


def test_repeated_sign_ins_open_one_account(backend: LocalBackend) -> None:
    browser = Browser(hash_of_key("a"), hash_of_key("b"), "192.0.2.1")
    assert backend.enter("ann", None, browser) == backend.enter("ann", None, browser)
    assert backend.balances(["ann"]) == {"ann": 100_000}


def test_session_changes_are_published_as_key_hashes(backend: LocalBackend) -> None:
    told: list[Bulletin] = []
    backend.subscribe(told.append)
    backend.enter("ann", None, Browser(hash_of_key("a"), hash_of_key("b"), "192.0.2.1"))
    backend.sign_out(Browser(hash_of_key("b"), hash_of_key("c"), None))
    first, second = told
    assert first == SessionsChanged({hash_of_key("b"): "ann"}, {hash_of_key("a"): hash_of_key("b")})
    assert isinstance(second, SessionsChanged)
    assert second.players[hash_of_key("b")] is None
    backend.enter("ann", None, Browser(hash_of_key("c"), hash_of_key("d"), "192.0.2.1"))
    backend.people.suspend("ann", is_suspended=True)
    last = told[-1]
    assert isinstance(last, SessionsChanged)
    assert last.players[hash_of_key("d")] is None


def test_phrases_are_published_and_rate_limited(backend: LocalBackend) -> None:
    told: list[Bulletin] = []
    backend.subscribe(told.append)
    for _ in range(OF_ONE.most):
        backend.say("t1", "ann", "thanks")
    assert told == [ChatMessage("t1", "ann", "thanks")] * OF_ONE.most
    sent = Envelope("r", 1, 0, told[0])
    assert protocol.read_sent(protocol.encode(sent)) == sent
    with pytest.raises(Refused, match="too many requests"):
        backend.say("t1", "ann", "thanks")
    with pytest.raises(Refused, match="table"):
        backend.say("t2", "ben", "thanks")
    assert len(told) == OF_ONE.most


def test_a_storage_fault_and_its_end_are_logged_once(
    backend: LocalBackend, caplog: pytest.LogCaptureFixture
) -> None:
    publisher = EventPublisher(backend, lambda work: work())
    for _ in range(2):
        publisher.on_fault(StorageError("the disk is full"))
    for _ in range(2):
        publisher.on_signed("a checkpoint")
    assert caplog.messages == ["the bank: the disk is full", "the bank can write again"]


# --- one backend at a Redis


class FakeRedis(RedisClient):
    """A Redis that answers at once, with the test's clock."""

    def __init__(self) -> None:
        self.now = 0.0
        prompt: Any = SimpleNamespace(random=lambda: 1.0)
        self.server = RedisServer(prompt, lambda: round(1000 * self.now))
        super().__init__(self.server)


def test_a_redis_has_one_backend_at_a_time() -> None:
    keys = FakeRedis()
    first, copy = Lease(keys, b"casino", b"1"), Lease(keys, b"casino", b"2")
    assert [first.renew(), copy.renew(), first.renew()] == [True, False, True]
    keys.now += LEASE_SECONDS - 1
    assert [first.renew(), copy.renew()] == [True, False]
    keys.now += LEASE_SECONDS + 1
    assert [copy.renew(), first.renew()] == [True, False]
    copy.release()
    assert first.renew()


@pytest.mark.parametrize("is_taken", [False, True])
def test_a_lease_that_expires_during_renewal_is_lost_if_taken(is_taken: bool) -> None:
    keys = FakeRedis()
    lease, successor = Lease(keys, b"casino", b"1"), Lease(keys, b"casino", b"2")
    assert lease.renew()
    expire = keys.expire

    def late(key: str, seconds: int) -> None:
        keys.expire = expire  # type: ignore[method-assign]
        keys.now += LEASE_SECONDS + 1
        if is_taken:
            assert successor.renew()
        expire(key, seconds)

    keys.expire = late  # type: ignore[method-assign]
    assert lease.renew() is not is_taken
    assert successor.renew() is is_taken


def test_a_new_backend_waits_for_a_killed_ones_lease() -> None:
    keys = FakeRedis()
    keys.server.is_up = False
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        keys.now += seconds
        keys.server.is_up = len(slept) >= 3
        if held_by_another:
            assert other.renew()

    other, held_by_another = Lease(keys, b"casino", b"1"), False
    Lease(keys, b"casino", b"2").claim(sleep)
    assert len(slept) == 3
    Lease(keys, b"casino", b"3").claim(sleep)
    assert keys.now >= LEASE_SECONDS
    keys.now += 2 * LEASE_SECONDS
    held_by_another = other.renew()
    with pytest.raises(ConfigError, match="a copy of it"):
        Lease(keys, b"casino", b"4").claim(sleep)


def test_the_redis_of_another_casino_is_refused(
    backend: LocalBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = FakeRedis()
    assert Lease(keys, b"other", b"1").renew()
    monkeypatch.setattr("casino.web.ipc.server.create_client", lambda _: keys)
    with pytest.raises(ConfigError, match="another casino uses this Redis"):
        open_rpc_server(backend, b"")


def test_a_backend_without_its_lease_stops_answering(
    backend: LocalBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys, now = FakeRedis(), [0.0]
    monkeypatch.setattr("casino.web.ipc.redis_streams.time.monotonic", lambda: now[0])
    lease = Lease(keys, b"casino", b"1")
    server = RpcServer("redis://127.0.0.1:1", backend, b"", lease)
    assert lease.renew()

    def xread(*_: object, **__: object) -> list[object]:
        # The process pauses here for longer than its lease.
        keys.now = now[0] = LEASE_SECONDS + 1
        assert Lease(keys, b"casino", b"2").renew()
        body = protocol.encode(Request("w.1", "w", "say", ["t1", "ann", "thanks"]))
        return [(REQUESTS.encode(), [(b"1-0", {b"m": body})])]

    server._reader._redis = SimpleNamespace(xread=xread, time=lambda: (0, 0))
    server._reader.run()
    settle()
    assert isinstance(server.displaced.get(timeout=TIMEOUT_SECONDS), ConfigError)
    assert not server._seen


# --- a Redis that loses data


class RecordingSender:
    """Records what is sent, in place of the thread that talks to Redis."""

    def __init__(self) -> None:
        self.sent: list[PendingEntry] = []

    def send(self, unsent: PendingEntry) -> None:
        self.sent.append(unsent)


def settle() -> None:
    for _ in range(5):
        gevent.sleep(0)


def test_a_request_gets_the_first_answer() -> None:
    far, wire = RpcClient("redis://127.0.0.1:1", fairness.fresh_seed, now_ms), RecordingSender()
    far._sender = wire  # type: ignore[assignment]
    asking = gevent.spawn(remote_backend(far).balances, ["ann"])
    settle()
    (request,) = wire.sent
    answer = protocol.encode(Reply(protocol.read_request(request.body).id, {"ann": 5}))
    for number in ("1-0", "2-0"):
        far._take(StreamEntry(f"{ANSWERS}{far.name}", number, answer))
    assert asking.get(timeout=TIMEOUT_SECONDS) == {"ann": 5}


def test_a_request_without_an_answer_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    far = RpcClient("redis://127.0.0.1:1", fairness.fresh_seed, now_ms)
    far._sender = RecordingSender()  # type: ignore[assignment]
    monkeypatch.setattr("casino.web.ipc.client.MAX_WAIT_SECONDS", 0)
    with pytest.raises(Refused, match="does not respond"):
        far.call("enter", "ann")


def test_a_duplicate_request_is_executed_once(backend: LocalBackend) -> None:
    server, wire = rpc_server(backend)
    told: list[Bulletin] = []
    backend.subscribe(told.append)
    body = protocol.encode(Request("w.1", "w", "say", ["t1", "ann", "thanks"]))
    for number in (1, 2):
        server._take(StreamEntry(REQUESTS, f"{number}-0", body))
        settle()
    assert told == [ChatMessage("t1", "ann", "thanks")]
    assert [one.stream for one in wire.sent].count(f"{ANSWERS}w") == 1
    assert [one.id for one in wire.sent if one.stream == REQUESTS] == ["1-0", "2-0"]


@pytest.mark.parametrize("kind", [FileError, StorageError])
def test_a_database_outage_is_not_logged_per_request(
    backend: LocalBackend,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    kind: type[Exception],
) -> None:
    def fail(_: object) -> None:
        raise kind("the database cannot be reached")

    monkeypatch.setattr(backend, "balances", fail)
    server, wire = rpc_server(backend)
    body = protocol.encode(Request("w.1", "w", "balances", [["ann"]]))
    server._take(StreamEntry(REQUESTS, "1-0", body))
    settle()
    refused = protocol.read_answer(wire.sent[0].body).refused
    assert refused is not None
    assert (refused["code"], refused["reason"]) == ("unavailable", "cannot_write")
    assert caplog.messages == []


def rpc_server(backend: LocalBackend) -> tuple[RpcServer, RecordingSender]:
    """Return an RPC server, and the record of what it sends."""
    lease = Lease(FakeRedis(), b"casino", b"first")
    server, wire = RpcServer("redis://127.0.0.1:1", backend, b"", lease), RecordingSender()
    server._sender = wire  # type: ignore[assignment]
    return server, wire


def test_a_new_worker_gets_the_published_betting_status(
    backend: LocalBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, _ = rpc_server(backend)
    backend.subscribe(make_broadcaster(backend).handle)
    monkeypatch.setattr(type(backend.service.ledger), "can_take_bets", False)
    assert server._beginning().taking
    backend.publish(BettingStatus(False))
    assert not server._beginning().taking
    backend.publish(TableReset("new", next(iter(backend.feeds.values())).transfer()))
    assert not backend.feeds["new"].taking


@pytest.mark.parametrize("fields", [{b"other": b"x"}, {b"m": b"{"}, {}])
def test_stream_entries_without_a_body_field_are_empty(fields: dict[bytes, bytes]) -> None:
    heard: list[StreamEntry] = []
    reader = StreamReader("redis://127.0.0.1:1", {REQUESTS: 0}, heard.append)
    streams = [(REQUESTS.encode(), [(b"1-0", fields), (b"2-0", {b"m": b"body"})])]
    reader._redis = SimpleNamespace(time=lambda: (0, 0), xread=lambda *_, **__: streams)
    reader._turn()
    assert [entry.body for entry in heard] == [fields.get(b"m", b""), b"body"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        protocol.encode(Request("w.1", "w", "alive", [])),
        protocol.encode(Request("w.1", "w", "alive", [{"people": 5}])),
    ],
)
def test_unreadable_requests_are_removed(backend: LocalBackend, body: bytes) -> None:
    server, wire = rpc_server(backend)
    server._take(StreamEntry(REQUESTS, "1-0", body))
    assert [unsent.id for unsent in wire.sent] == ["1-0"]


@pytest.mark.parametrize(
    ("question", "arguments"),
    [
        ("enter", [5, None, "k", "n", None]),
        ("players_of", [[{}]]),
        ("say", []),
        ("private_views", [[5]]),
        ("submit", [["PlaceBet", "t1"]]),
        ("submit", [["PlaceBet", "t1", "g", "b", "ann", "house", 5, None]]),
        ("submit", [["PlaceBet", *[1] * 7]]),
        ("submit", [["PlaceBet", *{"table": "t1"}]]),
    ],
)
def test_malformed_requests_are_answered_with_a_refusal(
    backend: LocalBackend, question: str, arguments: list[Any]
) -> None:
    server, wire = rpc_server(backend)
    body = protocol.encode(Request("w.1", "w", question, arguments))
    server._take(StreamEntry(REQUESTS, "1-0", body))
    settle()
    answer, done = wire.sent
    refused = protocol.read_answer(answer.body).refused
    assert refused is not None and refused["reason"] == "internal_error"
    assert done.id == "1-0"


def test_unreadable_messages_are_skipped() -> None:
    far = RpcClient("redis://127.0.0.1:1", fairness.fresh_seed, now_ms)
    message = protocol.encode(Envelope("r", 1, 0, Announcement("tea")))
    far._take(StreamEntry(EVENTS, "1-0", b""))
    far._take(StreamEntry(EVENTS, "2-0", message))
    assert far.bulletins.get_nowait().message == Announcement("tea")
    assert far.bulletins.empty()


# --- subscribing


class Subscription:
    """A backend that publishes what a test gives it, and a web process that records it."""

    def __init__(self) -> None:
        self.bulletins: SimpleQueue[Envelope] = SimpleQueue()
        self.is_away = False
        self.registry = self
        self.begun: list[BackendSnapshot] = []
        self.heard: list[str] = []
        self.open: list[tuple[bool, bool]] = []
        self.feeds: dict[str, Any] = {}
        self.keys: set[str] = set()
        self.sessions = SessionCache(lambda _: {})
        self.players: list[dict[str, str | None]] = []

    def snapshot(self) -> BackendSnapshot:
        return self.begun.pop(0)

    def send(self, run: str, n: int, said: Bulletin) -> None:
        """Publish a message, and wait until the subscriber has handled it."""
        self.bulletins.put(Envelope(run, n, 0, said))
        gevent.sleep(0)
        gevent.sleep(0)

    def player_keys(self) -> set[str]:
        return self.keys

    def update_sessions(self, players: dict[str, str | None], _: dict[str, str]) -> None:
        self.players.append(players)

    def handle(self, bulletin: Bulletin) -> None:
        assert isinstance(bulletin, Announcement | TableClosed)
        self.heard.append(bulletin.text if isinstance(bulletin, Announcement) else bulletin.table)

    def set_betting_status(self, taking: bool, away: bool = False) -> None:
        self.open.append((taking, away))


def make_snapshot(run: str, n: int) -> BackendSnapshot:
    return BackendSnapshot(run, n, 0, True, b"", {})


@pytest.fixture
def following() -> Subscription:
    """A subscriber that follows a backend from its seventh message on."""
    far: Any = Subscription()
    gevent.spawn(EventSubscriber(far, make_snapshot("r", 7), far, far)._follow)
    return far  # type: ignore[no-any-return]


def test_messages_are_handled_once_and_in_order(following: Subscription) -> None:
    for n in (6, 7, 8, 8, 9, 8, 10):
        following.send("r", n, Announcement(str(n)))
    assert following.heard == ["8", "9", "10"]


@pytest.mark.parametrize(("run", "n"), [("r", 10), ("s", 1)], ids=["a gap", "another run"])
def test_a_gap_or_a_new_run_reloads_the_snapshot(following: Subscription, run: str, n: int) -> None:
    following.begun.append(make_snapshot(run, n + 1))
    following.send(run, n, Announcement("in it"))
    following.send(run, n + 1, Announcement("in it too"))
    following.send(run, n + 2, Announcement("next"))
    assert (following.heard, following.begun) == (["next"], [])


def test_a_reload_fetches_all_sessions_or_is_repeated(following: Subscription) -> None:
    asked: list[Any] = []

    def ask(keys: list[str]) -> dict[str, str | None]:
        asked.append(keys)
        if len(asked) == 1:
            raise Refused(NO_ANSWER)
        return dict.fromkeys(keys, "ann")

    following.sessions = SessionCache(ask)
    following.keys = {"a", "b"}
    following.begun += [make_snapshot("s", 1), make_snapshot("s", 2)]
    for n in (1, 2, 3):
        following.send("s", n, Announcement(str(n)))
    assert asked == [["a", "b"]] * 2
    assert following.players == [{"a": "ann", "b": "ann"}]
    assert (following.heard, following.begun) == (["3"], [])


def test_tables_missing_from_the_snapshot_are_removed(following: Subscription) -> None:
    following.feeds["h1"] = None
    following.begun.append(make_snapshot("s", 1))
    following.send("s", 1, Announcement("in it"))
    assert following.heard == ["h1"]


def test_betting_status_follows_the_backend(following: Subscription) -> None:
    following.is_away = True
    following.send("r", 8, BettingStatus(False))
    following.send("r", 9, Announcement("x"))
    following.send("r", 10, BettingStatus(True))
    assert following.open == [(False, False), (False, False), (True, False)]
    assert following.is_away is False


def test_clock_follows_the_backends_time() -> None:
    now = [1_000]
    client = RpcClient("redis://127.0.0.1:1", fairness.fresh_seed, lambda: now[0])
    assert client.now() == 1_000
    client.set_time(61_000)
    now[0] += 5
    assert client.now() == 61_005


# --- Redis


def test_a_reader_begins_some_seconds_ago_and_again_if_the_clock_was_set_back() -> None:
    asked: list[bytes] = []

    def xread(last: dict[bytes, bytes], **_: object) -> list[object]:
        asked.extend(last.values())
        return [(EVENTS.encode(), [(b"102500-7", {})])]

    reader = StreamReader("redis://127.0.0.1:1", {EVENTS: 0, REQUESTS: 10}, lambda _: None)
    for seconds in (100, 102, 101):
        reader._redis = SimpleNamespace(time=lambda seconds=seconds: (seconds, 5), xread=xread)
        reader._turn()
        reader._is_away = True
    assert asked[::2] == [b"100000-0", b"102500-7", b"101000-0"]
    assert asked[1::2] == [b"90000-0"] * 3


@pytest.mark.parametrize("url", ["http://x", "localhost:6379", "redis//x"])
def test_invalid_redis_urls_are_refused(url: str) -> None:
    with pytest.raises(ValueError, match="must be an address"):
        Config.model_validate({"scale": {"redis_url": url}})
    with pytest.raises(ConfigError, match="is not a Redis address"):
        create_client(url)
