"""Accounts under attack: guessers, stolen cookies, crowds of new accounts."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from websocket import WebSocketConnectionClosedException

from casino import fairness
from casino.client.client import CasinoClient
from casino.config import Config
from casino.errors import FileError, InputError, Refused
from casino.ledger.storage.location import SqliteLocation
from casino.table.domain.settings import TableSettings
from casino.table.runtime.casino import Casino, SimulatedClock, TablePlan
from casino.web.accounts import passwords
from casino.web.accounts.service import BY_ACCOUNT, BY_BOTH, BY_BROWSER
from casino.web.accounts.store import AccountStore
from casino.web.app import open_backend
from tests.web.doors import BETTING_FOR_EVER, PATIENCE, Doors, now_ms, open_doors
from tests.web.raw import Raw

TABLES = {"open": BETTING_FOR_EVER}
HOUR_MS = 3_600_000


@pytest.fixture(autouse=True)
def quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "_HASHER", PasswordHasher(1, 8, 1))


class Stranger(CasinoClient):
    """A client whose address is what it says, to a casino that believes one proxy."""

    def __init__(self, url: str, address: str) -> None:
        super().__init__(url)
        self._opener.addheaders = [("X-Forwarded-For", address)]

    def tries(self, name: str, password: str) -> str:
        try:
            self.enter(name, password)
        except Refused as refused:
            return refused.code
        return "ok"


@contextmanager
def doors_at(path: Path, now: list[int], **web: Any) -> Iterator[Doors]:
    """A casino behind a proxy, with a clock of the test's own."""
    web = {"trusted_proxies": ["127.0.0.1"], **web}
    with open_doors(path, TABLES, lambda: now[0], web=web) as doors:
        yield doors


def refused(client: CasinoClient, path: str, **body: Any) -> str:
    try:
        client.post(path, body)
    except Refused as refusal:
        return refusal.code
    return "ok"


def new_person(client: CasinoClient) -> str:
    """Who a browser is."""
    try:
        return str(client.get("/api/me")["name"])
    except Refused as refusal:
        return refusal.code


def copy_of(client: CasinoClient) -> CasinoClient:
    """A thief's client: the same cookies, copied."""
    thief = CasinoClient(client.url)
    for cookie in client._jar:
        thief._jar.set_cookie(cookie)
    return thief


def test_spaces_and_forms_of_a_name_share_one_bucket(tmp_path: Path) -> None:
    now = [now_ms()]
    with doors_at(tmp_path / "a.db", now) as doors:
        CasinoClient(doors.url).enter("Zoë", "correct horse")
        guesser = Stranger(doors.url, "198.51.100.1")
        ways = [" " * n + name for n in range(25) for name in ("Zoë", "Zoe\u0308")]
        codes = [guesser.tries(way, "wrong") for way in ways]
        assert codes.count("name_taken") == BY_BOTH.most
        assert set(codes[BY_BOTH.most :]) == {"rate_limited"}


def test_guessers_from_everywhere_are_slowed_and_the_owner_is_not(tmp_path: Path) -> None:
    """While strangers have used up all tries, the owner's own browser signs in at once."""
    now = [now_ms()]
    with doors_at(tmp_path / "a.db", now) as doors:
        owner = Stranger(doors.url, "192.0.2.1")
        owner.enter("ann", "correct horse")
        owner.post("/api/leave", {})
        codes = []
        for number in range(40):
            guesser = Stranger(doors.url, f"198.51.100.{number}")
            codes += [guesser.tries("ann", f"wrong{n}") for n in range(4)]
        assert codes.count("name_taken") == BY_ACCOUNT.most
        newcomer = Stranger(doors.url, "203.0.113.9")
        assert newcomer.tries("ann", "correct horse") == "rate_limited"
        assert owner.tries("ann", "correct horse") == "ok"
        now[0] += BY_ACCOUNT.every_ms
        assert newcomer.tries("ann", "correct horse") == "ok"


def test_one_guesser_locks_nobody_out(tmp_path: Path) -> None:
    now = [now_ms()]
    with doors_at(tmp_path / "a.db", now) as doors:
        CasinoClient(doors.url).enter("ann", "correct horse")
        guesser = Stranger(doors.url, "198.51.100.1")
        for minute in range(90):
            now[0] = now[0] + 60_000 if minute else now[0]
            guesser.tries("ann", f"wrong{minute}")
        assert Stranger(doors.url, "192.0.2.1").tries("ann", "correct horse") == "ok"


def test_a_stolen_browser_guesses_slowly_too(tmp_path: Path) -> None:
    now = [now_ms()]
    with doors_at(tmp_path / "a.db", now) as doors:
        owner = Stranger(doors.url, "192.0.2.1")
        owner.enter("ann", "correct horse")
        owner.post("/api/leave", {})
        codes = [owner.tries("ann", f"wrong{n}") for n in range(30)]
        assert codes.count("name_taken") == BY_BROWSER.most


def test_right_passwords_use_up_nothing(tmp_path: Path) -> None:
    now = [now_ms()]
    with doors_at(tmp_path / "a.db", now) as doors:
        CasinoClient(doors.url).enter("ann", "correct horse")
        for _ in range(30):
            assert Stranger(doors.url, "192.0.2.1").tries("ann", "correct horse") == "ok"


def test_many_guessers_wait_for_each_other_and_nobody_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While hashes are made, two at a time, tables are joined; too many waiting are refused."""
    gate, at_once, most = threading.Event(), [0], [0]

    def slowly(known: str, password: str) -> bool:
        at_once[0] += 1
        most[0] = max(most[0], at_once[0])
        assert gate.wait(PATIENCE)
        at_once[0] -= 1
        return False

    now = [now_ms()]
    with doors_at(tmp_path / "a.db", now) as doors:
        CasinoClient(doors.url).enter("ann", "correct horse")
        monkeypatch.setattr(passwords, "_verifies", slowly)
        codes: list[str] = []
        crowd = passwords.MAX_WAITING + 8
        guessers = [
            threading.Thread(
                target=lambda n=n: codes.append(
                    Stranger(doors.url, f"198.51.100.{n}").tries("ann", "wrong")
                )
            )
            for n in range(crowd)
        ]
        for guesser in guessers:
            guesser.start()
        visitor = doors.visitor()
        visitor.until(lambda: codes.count("rate_limited") == 8)
        assert visitor.join("open")["snapshot"]
        assert visitor.get("/api/log?limit=5")["size"] > 0
        gate.set()
        for guesser in guessers:
            guesser.join()
        assert codes.count("name_taken") == passwords.MAX_WAITING
        assert most[0] == passwords.THREADS
        visitor.close()


def cookie_of(client: CasinoClient) -> str:
    return "; ".join(f"{one.name}={one.value}" for one in client._jar)


def test_leaving_ends_the_cookie_and_its_sockets(tmp_path: Path) -> None:
    """A copy of the old cookie is nobody, over HTTP, over its open socket, after a restart."""
    path = tmp_path / "a.db"
    with open_doors(path, TABLES) as doors:
        ann = CasinoClient(doors.url)
        ann.enter("ann")
        thief = copy_of(ann)
        assert new_person(thief) == "ann"
        with Raw(doors.url, cookie=cookie_of(thief)) as line:
            assert line.ask("join", {"table": "open"})["you"]["name"] == "ann"
            ann.post("/api/leave", {})
            with pytest.raises((WebSocketConnectionClosedException, OSError)):
                line.ask("take_seat", {"table": "open"})
        with Raw(doors.url, cookie=cookie_of(thief)) as line:
            assert "you" not in line.ask("join", {"table": "open"})
            assert line.ask("take_seat", {"table": "open"})["code"] == "not_entered"
        assert new_person(ann) == new_person(thief) == "not_entered"
        assert refused(thief, "/api/limits", key="day_loss_cents", value=1) == "not_entered"
        assert refused(thief, "/api/enter", name="ann") == "name_taken"
        assert ann.enter("ann")["name"] == "ann"
        assert new_person(thief) == "not_entered"
    with open_doors(path, TABLES) as doors:
        thief.url = ann.url = doors.url
        assert new_person(thief) == "not_entered"
        assert new_person(ann) == "ann"


def test_a_password_is_changed_by_who_knows_it_and_ends_other_sessions(tmp_path: Path) -> None:
    """The old one is asked for; other browsers, and whoever stole a cookie, are out."""
    with open_doors(tmp_path / "a.db", TABLES) as doors:
        ann, other = CasinoClient(doors.url), CasinoClient(doors.url)
        ann.enter("ann")
        new = {"new_password": "first password"}
        assert ann.post("/api/password", new)["name"] == "ann"
        other.enter("ann", "first password")
        thief = copy_of(ann)
        for old in ({}, {"password": "guess"}):
            assert refused(ann, "/api/password", new_password="other password", **old) == (
                "name_taken"
            )
        assert refused(ann, "/api/password", password="first password", new_password="x") == (
            "bad_request"
        )
        changed = {"password": "first password", "new_password": "second password"}
        assert ann.post("/api/password", changed)["name"] == "ann"
        assert new_person(ann) == "ann"
        assert new_person(other) == new_person(thief) == "not_entered"
        assert refused(thief, "/api/enter", name="ann") == "name_taken"
        assert refused(other, "/api/enter", name="ann", password="first password") == "name_taken"
        assert other.enter("ann", "second password")["name"] == "ann"
        assert refused(CasinoClient(doors.url), "/api/password", new_password="long enough") == (
            "not_entered"
        )


def test_a_recovery_code_brings_a_name_back_and_helps_no_stranger(tmp_path: Path) -> None:
    """A cookie is lost: its code enters again. Guesses, stolen cookies and old codes do not."""
    path, now = tmp_path / "a.db", [now_ms()]
    code, other = "recover-" + "7" * 32, "recover-" + "8" * 32
    with doors_at(path, now) as doors:
        ann = Stranger(doors.url, "192.0.2.1")
        assert ann.post("/api/enter", {"name": "ann", "code": code})["recovery"]
        thief, stranger = copy_of(ann), Stranger(doors.url, "198.51.100.1")
        assert not thief.post("/api/enter", {"name": "ann", "code": other})["recovery"]
        ann.post("/api/leave", {})
        assert not ann.post("/api/enter", {"name": "ann", "code": other})["recovery"]
        for body in ({}, {"code": other}, {"password": code}, {"code": other, "password": code}):
            assert refused(stranger, "/api/enter", name="ann", **body) == "name_taken"
        assert refused(thief, "/api/enter", name="ann", code=other) == "name_taken"
        guesses = [refused(stranger, "/api/enter", name="ann", code=other) for _ in range(9)]
        assert set(guesses[BY_BOTH.most :]) == {"rate_limited"}
        assert refused(stranger, "/api/enter", name="ann", code=code) == "rate_limited"
    with doors_at(path, now) as doors:
        again = Stranger(doors.url, "192.0.2.1")
        assert again.post("/api/enter", {"name": "ann", "code": code})["recovery"]
        assert new_person(again) == "ann"
        again.post("/api/password", {"new_password": "correct horse"})
        assert refused(CasinoClient(doors.url), "/api/enter", name="ann", code=code) == "name_taken"
        assert CasinoClient(doors.url).enter("ann", "correct horse")["name"] == "ann"
    assert not any(code[8:].encode() in file.read_bytes() for file in tmp_path.iterdir())


def test_the_key_that_opened_an_account_ends_with_its_session(tmp_path: Path) -> None:
    """The bank would answer the same key for ever: the oldest cookie must not open the account."""
    with open_doors(tmp_path / "a.db", TABLES) as doors:
        ann = CasinoClient(doors.url)
        ann.enter("another")
        oldest = copy_of(ann)
        ann.enter("ann")
        copies = [oldest, copy_of(ann)]
        ann.post("/api/leave", {})
        ann.enter("ann")
        for thief in copies:
            assert refused(thief, "/api/enter", name="ann") == "name_taken"


def test_a_session_that_ended_while_its_password_was_hashed_sets_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thief who is just setting a password when the owner logs out comes too late."""
    reached, gate = threading.Event(), threading.Event()
    hashed = passwords.PasswordPool.hash

    def slowly(self: passwords.PasswordPool, password: str) -> str:
        done = hashed(self, password)
        if password == "password of the thief":
            reached.set()
            doors.casino.backend.bridge.run_in_thread(gate.wait, PATIENCE)
        return done

    with open_doors(tmp_path / "a.db", TABLES) as doors:
        monkeypatch.setattr(passwords.PasswordPool, "hash", slowly)
        ann = CasinoClient(doors.url)
        ann.enter("ann")
        thief = copy_of(ann)
        codes: list[str] = []
        stolen = {"new_password": "password of the thief"}
        stealing = threading.Thread(
            target=lambda: codes.append(refused(thief, "/api/password", **stolen))
        )
        stealing.start()
        assert reached.wait(PATIENCE)
        ann.post("/api/leave", {})
        gate.set()
        stealing.join()
        assert codes == ["name_taken"]
        assert ann.enter("ann")["name"] == "ann"
        assert new_person(thief) == "not_entered"


def test_who_enters_again_keeps_his_key(tmp_path: Path) -> None:
    with open_doors(tmp_path / "a.db", TABLES) as doors:
        first = CasinoClient(doors.url)
        first.enter("ann")
        second = copy_of(first)
        assert second.enter("ann")["name"] == "ann"
        assert new_person(first) == new_person(second) == "ann"


def test_openings_are_few_from_one_address_in_a_day(tmp_path: Path) -> None:
    """Chips for so many new accounts; others, IPv6 neighbours not, have their own; a day passes."""
    now = [now_ms()]
    with doors_at(tmp_path / "a.db", now, openings_a_day=3) as doors:
        crowd = [Stranger(doors.url, "198.51.100.1") for _ in range(5)]
        codes = [refused(one, "/api/enter", name=f"puppet {n}") for n, one in enumerate(crowd)]
        assert codes == ["ok"] * 3 + ["rate_limited"] * 2
        assert crowd[0].enter("puppet 0")["name"] == "puppet 0"
        assert Stranger(doors.url, "198.51.100.2").enter("honest")["name"] == "honest"
        neighbours = [Stranger(doors.url, f"2001:db8::{n}:1") for n in range(5)]
        codes = [refused(one, "/api/enter", name=f"six {n}") for n, one in enumerate(neighbours)]
        assert codes.count("rate_limited") == 2
        now[0] += 24 * HOUR_MS
        assert crowd[4].enter("puppet 4")["name"] == "puppet 4"


def test_who_is_refused_as_taken_uses_up_no_opening(tmp_path: Path) -> None:
    now = [now_ms()]
    with doors_at(tmp_path / "a.db", now, openings_a_day=2) as doors:
        Stranger(doors.url, "192.0.2.1").enter("ann")
        other = Stranger(doors.url, "198.51.100.1")
        for _ in range(5):
            assert refused(other, "/api/enter", name="ann") == "name_taken"
        assert other.enter("ben")["name"] == "ben"


def test_a_look_alike_of_a_player_is_refused_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with open_doors(path, TABLES) as doors:
        CasinoClient(doors.url).enter("Paul")
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM people")
    connection.close()
    with open_doors(path, TABLES) as doors:
        stranger = CasinoClient(doors.url)
        for name in ("PauI", "paul", "Pаul"):
            assert refused(stranger, "/api/enter", name=name) in ("name_taken", "bad_request")
        assert refused(stranger, "/api/enter", name="Paul") == "name_taken"


def test_a_bots_name_on_the_pages_is_nobody_elses(tmp_path: Path) -> None:
    with open_doors(tmp_path / "a.db", TABLES) as doors:
        for name in ("Maître Hubert", "Мэтр Юбер", "regle"):
            assert refused(CasinoClient(doors.url), "/api/enter", name=name) == "name_taken"


def test_a_person_of_a_bots_name_is_found_among_people_too(tmp_path: Path) -> None:
    """A log that was restored says of no purse that it is a person's."""
    path = tmp_path / "a.db"
    house = Casino(path, [TablePlan(TableSettings("t1"))], SimulatedClock())
    register = AccountStore({}, SqliteLocation(path).save_people)
    register.sign_in("novice", "", "key")
    register.save()
    try:
        with pytest.raises(InputError, match="t1, challenger: a person here is called novice"):
            open_backend(Config(), house, fairness.fresh_seed)
        path.with_name("a.db.people").touch()
        with pytest.raises(FileError, match="people is a file of accounts, which are now kept"):
            open_backend(Config(), house, fairness.fresh_seed)
    finally:
        house.close()


def test_behind_https_the_cookie_is_secure(tmp_path: Path) -> None:
    """Secure, and under a name that no other host can set; without a proxy nobody is believed."""
    for name, proxies in (("bare", []), ("behind", ["127.0.0.0/8"])):
        path, web = tmp_path / f"{name}.db", {"trusted_proxies": proxies}
        with open_doors(path, TABLES, web=web) as doors:
            client = CasinoClient(doors.url)
            client._opener.addheaders = [("X-Forwarded-Proto", "https")]
            request = client._opener.open(f"{doors.url}/account")
            cookie = request.headers["Set-Cookie"]
            assert ("Secure" in cookie) == bool(proxies)
            assert cookie.startswith("__Host-casino=" if proxies else "casino=")
