"""Floods: what is too much is refused by its sender's address, and the table keeps its pace."""

from __future__ import annotations

import socket
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import websocket

from casino.web.sockets.handlers import MAX_EXCESS_MESSAGES
from casino.web.websocket.connection import MAX_UNSENT_BYTES, MAX_UNSENT_MESSAGES, SendBuffer
from tests.web.doors import BETTING_FOR_EVER, FAST, Doors, SkippingClock, now_ms, open_doors
from tests.web.raw import Raw, address

TABLES: dict[str, dict[str, Any]] = {"open": BETTING_FOR_EVER, "fast": {**FAST, "number": 3}}
WEB = {"trusted_proxies": ["127.0.0.1"], "address_per_second": 20}


class StoppedClock(SkippingClock):
    """The time of tables alone: a slow machine would not reach a limit by the second."""

    def __init__(self) -> None:
        super().__init__()
        self._start = now_ms()

    def __call__(self) -> int:
        return self._start + self._skipped_ms


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    """A casino behind a proxy, with small limits for each address."""
    path, clock = tmp_path_factory.mktemp("floods") / "casino.db", StoppedClock()
    with open_doors(path, TABLES, clock, clock, seed=1, web=WEB) as doors:
        while not doors.book_is_open("open"):
            doors.step("open")
        yield doors


@pytest.fixture(autouse=True)
def nothing_is_written(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    """Strangers cannot fill the log with tracebacks."""
    yield
    assert capfd.readouterr().err == ""


@contextmanager
def flood(work: Any, number: int) -> Iterator[None]:
    """So many do something again and again, until stopped."""
    stop = threading.Event()
    flooders = [threading.Thread(target=work, args=(stop,), daemon=True) for _ in range(number)]
    for flooder in flooders:
        flooder.start()
    try:
        yield
    finally:
        stop.set()
        for flooder in flooders:
            flooder.join()


def play_goes_on(doors: Doors, name: str, seen: Counter[int]) -> None:
    """A visitor watches and bets while others flood and are refused."""
    visitor = doors.visitor(name)
    visitor.join("fast")
    visitor.until(lambda: seen[429] > 20)
    visitor.play_until("fast", lambda: [e for e in visitor.events if e["type"] == "game_over"])
    assert visitor.bet("open", f"by-{name}")["ok"]
    visitor.close()


def test_a_flood_of_joins_is_refused_and_play_goes_on(doors: Doors) -> None:
    seen: Counter[int] = Counter()

    def join(stop: threading.Event) -> None:
        try:
            with Raw(doors.url, header=["X-Forwarded-For: 192.0.2.67"]) as raw:
                while not stop.is_set():
                    answer = raw.ask("join", {"table": "fast"})
                    seen[200 if answer["ok"] else 429] += 1
                    assert answer["ok"] or answer["code"] == "rate_limited"
        except (OSError, websocket.WebSocketException):
            seen[0] += 1

    with flood(join, 4):
        play_goes_on(doors, "ben", seen)
    assert seen[200] >= 20


def test_lines_that_come_and_go_leave_room_for_others(tmp_path: Path) -> None:
    comings: Counter[int] = Counter()
    web = {"connections": 150, "address_connections": 150}
    with open_doors(tmp_path / "casino.db", TABLES, web=web) as doors:

        def come_and_go(stop: threading.Event) -> None:
            while not stop.is_set():
                with closing(websocket.create_connection(address(doors.url), timeout=30)):
                    pass
                comings[0] += 1

        with flood(come_and_go, 40):
            for _ in range(6):
                wanted = comings[0] + 40
                newcomer = doors.visitor()
                assert newcomer.join("fast")["ok"]
                while comings[0] < wanted:
                    newcomer.request("join", table="open")
                newcomer.close()
    assert doors.casino.parts.doors[0].refused == 0


def test_who_goes_on_when_refused_is_cut(doors: Doors) -> None:
    with (
        Raw(doors.url, header=["X-Forwarded-For: 192.0.2.68"]) as raw,
        pytest.raises((OSError, websocket.WebSocketException)),
    ):
        join_for_ever(raw)


def join_for_ever(raw: Raw) -> None:
    for _ in range(100 * MAX_EXCESS_MESSAGES):
        raw.ask("join", {"table": "open"})


class Deaf:
    """A connection whose peer reads nothing."""

    def __init__(self) -> None:
        self._pair = socket.socketpair()
        self._sock = self
        self.fileno = self._pair[0].fileno
        self.recv = self._pair[0].recv
        self.ends = 0

    def setsockopt(self, *_: int) -> None:
        """Nothing is to be set."""

    def close(self) -> None:
        for end in self._pair:
            end.close()

    def send(self, _: bytes) -> int:
        raise BlockingIOError

    def shutdown(self, _: int) -> None:
        self.ends += 1


@pytest.mark.parametrize(
    ("size", "number"), [(10, MAX_UNSENT_MESSAGES), (100_000, 3), (2 * MAX_UNSENT_BYTES, 1)]
)
def test_what_nobody_reads_is_bounded(size: int, number: int) -> None:
    peer = Deaf()
    outlet = SendBuffer(peer)
    for _ in range(number):
        outlet.send(b"x" * size)
    assert peer.ends == 0
    assert len(outlet.waiting) == number
    outlet.send(b"x" * size)
    assert peer.ends == 1
    assert not outlet.waiting
    peer.close()
