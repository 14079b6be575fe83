"""Account security: password guessing, stolen cookies, mass registration."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from websocket import WebSocketConnectionClosedException

from casino import fairness
from casino.client.client import CasinoClient
from casino.config import Config
from casino.errors import InputError, Refused
from casino.ledger.storage.location import SqliteLocation
from casino.table.domain.settings import TableSettings
from casino.table.runtime.casino import Casino, SimulatedClock, TablePlan
from casino.web.accounts import service as accounts_service
from casino.web.accounts.service import BY_ACCOUNT, BY_BOTH, BY_BROWSER
from casino.web.accounts.store import AccountStore
from casino.web.backend import concurrency
from casino.web.backend.local import LocalBackend
from tests.web.raw_socket import RawSocket
from tests.web.server import LONG_BETTING, TIMEOUT_SECONDS, Server, cookie_of, now_ms, open_server

TABLES = {"open": LONG_BETTING}
TRUSTED = {"trusted_proxies": ["127.0.0.1"]}
HOUR_MS = 3_600_000


@pytest.fixture(autouse=True)
def quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts_service, "_HASHER", PasswordHasher(1, 8, 1))


class Stranger(CasinoClient):
    """A client that sets its own address, at a casino that trusts one proxy."""

    def __init__(self, url: str, address: str) -> None:
        super().__init__(url)
        self._opener.addheaders = [("X-Forwarded-For", address)]

    def tries(self, name: str, password: str) -> str:
        return post_result(self, "/api/enter", name=name, password=password)


@pytest.fixture
def clock() -> SimulatedClock:
    return SimulatedClock(now_ms())


@pytest.fixture
def server(
    tmp_path: Path, clock: SimulatedClock, request: pytest.FixtureRequest
) -> Iterator[Server]:
    """A casino behind a proxy, with the test's clock; a parameter limits new accounts."""
    web = {**TRUSTED, **getattr(request, "param", {})}
    with open_server(tmp_path / "a.db", TABLES, clock, web=web) as server:
        yield server


def post_result(client: CasinoClient, path: str, **body: Any) -> str:
    try:
        client.post(path, body)
    except Refused as refusal:
        return refusal.code
    return "ok"


def signed_in_as(client: CasinoClient) -> str:
    """Return the name a client is signed in as, or the refusal's code."""
    try:
        return str(client.get("/api/me")["name"])
    except Refused as refusal:
        return refusal.code


def copy_of(client: CasinoClient) -> CasinoClient:
    """Return a thief's client, with a copy of the cookies."""
    thief = CasinoClient(client.url)
    for cookie in client._jar:
        thief._jar.set_cookie(cookie)
    return thief


def test_spellings_of_a_name_share_one_rate_limit(server: Server) -> None:
    CasinoClient(server.url).enter("Zoë", "correct horse")
    guesser = Stranger(server.url, "198.51.100.1")
    ways = [" " * n + name for n in range(25) for name in ("Zoë", "Zoe\u0308")]
    codes = [guesser.tries(way, "wrong") for way in ways]
    assert codes.count("name_taken") == BY_BOTH.most
    assert set(codes[BY_BOTH.most :]) == {"rate_limited"}


def test_distributed_guessing_is_limited_without_locking_out_the_owner(
    server: Server, clock: SimulatedClock
) -> None:
    owner = Stranger(server.url, "192.0.2.1")
    owner.enter("ann", "correct horse")
    owner.post("/api/leave", {})
    codes = []
    for number in range(40):
        guesser = Stranger(server.url, f"198.51.100.{number}")
        codes += [guesser.tries("ann", f"wrong{n}") for n in range(4)]
    assert codes.count("name_taken") == BY_ACCOUNT.most
    newcomer = Stranger(server.url, "203.0.113.9")
    assert newcomer.tries("ann", "correct horse") == "rate_limited"
    assert owner.tries("ann", "correct horse") == "ok"
    clock.now += BY_ACCOUNT.every_ms
    assert newcomer.tries("ann", "correct horse") == "ok"


def test_one_guesser_does_not_lock_out_the_owner(server: Server, clock: SimulatedClock) -> None:
    CasinoClient(server.url).enter("ann", "correct horse")
    guesser = Stranger(server.url, "198.51.100.1")
    for minute in range(90):
        clock.now += 60_000 if minute else 0
        guesser.tries("ann", f"wrong{minute}")
    assert Stranger(server.url, "192.0.2.1").tries("ann", "correct horse") == "ok"


def test_guesses_from_a_known_browser_are_limited(server: Server) -> None:
    owner = Stranger(server.url, "192.0.2.1")
    owner.enter("ann", "correct horse")
    owner.post("/api/leave", {})
    codes = [owner.tries("ann", f"wrong{n}") for n in range(30)]
    assert codes.count("name_taken") == BY_BROWSER.most


def test_correct_passwords_are_not_limited(server: Server) -> None:
    CasinoClient(server.url).enter("ann", "correct horse")
    for _ in range(30):
        assert Stranger(server.url, "192.0.2.1").tries("ann", "correct horse") == "ok"


def test_password_hashing_does_not_block_other_requests(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, at_once, most = threading.Event(), [0], [0]

    def slowly(known: str, password: str) -> bool:
        at_once[0] += 1
        most[0] = max(most[0], at_once[0])
        assert gate.wait(TIMEOUT_SECONDS)
        at_once[0] -= 1
        return False

    CasinoClient(server.url).enter("ann", "correct horse")
    monkeypatch.setattr(accounts_service, "_verifies", slowly)
    number = accounts_service.MAX_WAITING + 8
    crowd = [Stranger(server.url, f"198.51.100.{n}") for n in range(number)]
    with ThreadPoolExecutor(len(crowd)) as pool:
        tries = [pool.submit(guesser.tries, "ann", "wrong") for guesser in crowd]
        visitor = server.visitor()
        visitor.until(lambda: sum(one.done() for one in tries) == 8)
        assert visitor.join("open")["snapshot"]
        assert visitor.get("/api/log?limit=5")["size"] > 0
        gate.set()
    codes = [one.result() for one in tries]
    assert codes.count("rate_limited") == 8
    assert codes.count("name_taken") == accounts_service.MAX_WAITING
    assert most[0] == accounts_service.THREADS


def test_signing_out_ends_the_session_and_its_sockets(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with open_server(path, TABLES) as server:
        ann = CasinoClient(server.url)
        ann.enter("ann")
        thief = copy_of(ann)
        assert signed_in_as(thief) == "ann"
        with RawSocket(server.url, cookie=cookie_of(thief)) as line:
            assert line.ask("join", {"table": "open"})["you"]["name"] == "ann"
            ann.post("/api/leave", {})
            with pytest.raises((WebSocketConnectionClosedException, OSError)):
                line.ask("take_seat", {"table": "open"})
        with RawSocket(server.url, cookie=cookie_of(thief)) as line:
            assert "you" not in line.ask("join", {"table": "open"})
            assert line.ask("take_seat", {"table": "open"})["code"] == "not_entered"
        assert signed_in_as(ann) == signed_in_as(thief) == "not_entered"
        assert post_result(thief, "/api/limits", key="day_loss_cents", value=1) == "not_entered"
        assert post_result(thief, "/api/enter", name="ann") == "name_taken"
        assert ann.enter("ann")["name"] == "ann"
        assert signed_in_as(thief) == "not_entered"
    with open_server(path, TABLES) as server:
        thief.url = ann.url = server.url
        assert signed_in_as(thief) == "not_entered"
        assert signed_in_as(ann) == "ann"


def test_changing_a_password_needs_the_old_one_and_ends_other_sessions(server: Server) -> None:
    ann, other = CasinoClient(server.url), CasinoClient(server.url)
    ann.enter("ann")
    new = {"new_password": "first password"}
    assert ann.post("/api/password", new)["name"] == "ann"
    other.enter("ann", "first password")
    thief = copy_of(ann)
    for old in ({}, {"password": "guess"}):
        changed = {"new_password": "other password", **old}
        assert post_result(ann, "/api/password", **changed) == "name_taken"
    changed = {"password": "first password", "new_password": "x"}
    assert post_result(ann, "/api/password", **changed) == "bad_request"
    changed = {"password": "first password", "new_password": "second password"}
    assert ann.post("/api/password", changed)["name"] == "ann"
    assert signed_in_as(ann) == "ann"
    assert signed_in_as(other) == signed_in_as(thief) == "not_entered"
    assert post_result(thief, "/api/enter", name="ann") == "name_taken"
    assert post_result(other, "/api/enter", name="ann", password="first password") == "name_taken"
    assert other.enter("ann", "second password")["name"] == "ann"
    assert post_result(CasinoClient(server.url), "/api/password", **changed) == "not_entered"


def test_a_recovery_code_brings_a_name_back_and_helps_no_stranger(
    tmp_path: Path, clock: SimulatedClock
) -> None:
    path = tmp_path / "a.db"
    code, other = "recover-" + "7" * 32, "recover-" + "8" * 32
    with open_server(path, TABLES, clock, web=TRUSTED) as server:
        ann = Stranger(server.url, "192.0.2.1")
        assert ann.post("/api/enter", {"name": "ann", "code": code})["recovery"]
        thief, stranger = copy_of(ann), Stranger(server.url, "198.51.100.1")
        assert not thief.post("/api/enter", {"name": "ann", "code": other})["recovery"]
        ann.post("/api/leave", {})
        assert not ann.post("/api/enter", {"name": "ann", "code": other})["recovery"]
        for body in ({}, {"code": other}, {"password": code}, {"code": other, "password": code}):
            assert post_result(stranger, "/api/enter", name="ann", **body) == "name_taken"
        assert post_result(thief, "/api/enter", name="ann", code=other) == "name_taken"
        guesses = [post_result(stranger, "/api/enter", name="ann", code=other) for _ in range(9)]
        assert set(guesses[BY_BOTH.most :]) == {"rate_limited"}
        assert post_result(stranger, "/api/enter", name="ann", code=code) == "rate_limited"
    with open_server(path, TABLES, clock, web=TRUSTED) as server:
        again = Stranger(server.url, "192.0.2.1")
        assert again.post("/api/enter", {"name": "ann", "code": code})["recovery"]
        assert signed_in_as(again) == "ann"
        again.post("/api/password", {"new_password": "correct horse"})
        elsewhere = CasinoClient(server.url)
        assert post_result(elsewhere, "/api/enter", name="ann", code=code) == "name_taken"
        assert elsewhere.enter("ann", "correct horse")["name"] == "ann"
    assert not any(code[8:].encode() in file.read_bytes() for file in tmp_path.iterdir())


def test_copies_of_old_cookies_are_void_after_signing_out(server: Server) -> None:
    """The ledger would accept the same key again, so even the oldest cookie must be void."""
    ann = CasinoClient(server.url)
    ann.enter("another")
    oldest = copy_of(ann)
    ann.enter("ann")
    copies = [oldest, copy_of(ann)]
    ann.post("/api/leave", {})
    ann.enter("ann")
    for thief in copies:
        assert post_result(thief, "/api/enter", name="ann") == "name_taken"


def test_a_session_ended_during_hashing_sets_no_password(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached, gate = threading.Event(), threading.Event()
    run_in_pool = concurrency.run_in_pool

    def slowly(pool: Any, work: Any, *arguments: Any) -> Any:
        done = run_in_pool(pool, work, *arguments)
        if arguments == ("password of the thief",):
            reached.set()
            server.casino.backend.bridge.run_in_thread(gate.wait, TIMEOUT_SECONDS)
        return done

    monkeypatch.setattr(accounts_service, "run_in_pool", slowly)
    ann = CasinoClient(server.url)
    ann.enter("ann")
    thief = copy_of(ann)
    stolen = {"new_password": "password of the thief"}
    with ThreadPoolExecutor() as pool:
        stealing = pool.submit(post_result, thief, "/api/password", **stolen)
        assert reached.wait(TIMEOUT_SECONDS)
        ann.post("/api/leave", {})
        gate.set()
    assert stealing.result() == "name_taken"
    assert ann.enter("ann")["name"] == "ann"
    assert signed_in_as(thief) == "not_entered"


@pytest.mark.parametrize("server", [{"openings_a_day": 3}], indirect=True)
def test_new_accounts_per_address_and_day_are_limited(
    server: Server, clock: SimulatedClock
) -> None:
    crowd = [Stranger(server.url, "198.51.100.1") for _ in range(5)]
    codes = [post_result(one, "/api/enter", name=f"puppet {n}") for n, one in enumerate(crowd)]
    assert codes == ["ok"] * 3 + ["rate_limited"] * 2
    assert crowd[0].enter("puppet 0")["name"] == "puppet 0"
    assert Stranger(server.url, "198.51.100.2").enter("honest")["name"] == "honest"
    neighbours = [Stranger(server.url, f"2001:db8::{n}:1") for n in range(5)]
    codes = [post_result(one, "/api/enter", name=f"six {n}") for n, one in enumerate(neighbours)]
    assert codes.count("rate_limited") == 2
    clock.now += 24 * HOUR_MS
    assert crowd[4].enter("puppet 4")["name"] == "puppet 4"


@pytest.mark.parametrize("server", [{"openings_a_day": 2}], indirect=True)
def test_a_taken_name_does_not_count_as_a_new_account(server: Server) -> None:
    Stranger(server.url, "192.0.2.1").enter("ann")
    other = Stranger(server.url, "198.51.100.1")
    for _ in range(5):
        assert post_result(other, "/api/enter", name="ann") == "name_taken"
    assert other.enter("ben")["name"] == "ben"


def test_lookalike_names_are_refused_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with open_server(path, TABLES) as server:
        CasinoClient(server.url).enter("Paul")
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM people")
    connection.close()
    with open_server(path, TABLES) as server:
        stranger = CasinoClient(server.url)
        for name in ("PauI", "paul", "Pаul"):
            assert post_result(stranger, "/api/enter", name=name) in ("name_taken", "bad_request")
        assert post_result(stranger, "/api/enter", name="Paul") == "name_taken"


def test_an_account_with_a_bots_name_prevents_the_start(tmp_path: Path) -> None:
    """A restored log does not say which accounts are people's."""
    path = tmp_path / "a.db"
    with closing(Casino(path, [TablePlan(TableSettings("t1"))], SimulatedClock())) as house:
        register = AccountStore({}, SqliteLocation(path).save_people)
        register.store(register.sign_in("novice", "", "key"))
        with pytest.raises(InputError, match="t1, challenger: a person here is called novice"):
            LocalBackend(Config(), house, fairness.fresh_seed)


def test_the_cookie_is_secure_behind_https(tmp_path: Path) -> None:
    """Its name is one that no other host can set; without a trusted proxy it is a plain cookie."""
    for name, proxies in (("bare", []), ("behind", ["127.0.0.0/8"])):
        path, web = tmp_path / f"{name}.db", {"trusted_proxies": proxies}
        with open_server(path, TABLES, web=web) as server:
            client = CasinoClient(server.url)
            client._opener.addheaders = [("X-Forwarded-Proto", "https")]
            request = client._opener.open(f"{server.url}/account")
            cookie = request.headers["Set-Cookie"]
            assert "HttpOnly" in cookie and "SameSite=Lax" in cookie
            assert ("Secure" in cookie) == bool(proxies)
            assert cookie.startswith("__Host-casino=" if proxies else "casino=")
            opener = request.headers["Cross-Origin-Opener-Policy"]
            assert opener == ("same-origin" if proxies else None)
