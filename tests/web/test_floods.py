"""Floods: excess is refused by the sender's address, and play continues."""

from __future__ import annotations

import socket
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import websocket

from casino.web.sockets.handlers import MAX_EXCESS_MESSAGES
from casino.web.websocket.connection import MAX_UNSENT_BYTES, MAX_UNSENT_MESSAGES, SendBuffer
from tests.web.raw_socket import RawSocket
from tests.web.server import FAST, LONG_BETTING, Server, SkippingClock, now_ms, open_server

pytestmark = pytest.mark.usefixtures("nothing_on_stderr")
TABLES: dict[str, dict[str, Any]] = {"open": LONG_BETTING, "fast": {**FAST, "number": 3}}
WEB = {"trusted_proxies": ["127.0.0.1"], "address_per_second": 20}


class StoppedClock(SkippingClock):
    """A clock that only tables advance: on a slow machine, real time would refill the limits."""

    def __init__(self) -> None:
        super().__init__()
        self._start = now_ms()

    def __call__(self) -> int:
        return self._start + self._skipped_ms


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A casino behind a proxy, with small limits for each address."""
    path, clock = tmp_path_factory.mktemp("floods") / "casino.db", StoppedClock()
    with open_server(path, TABLES, clock, clock, seed=1, web=WEB) as server:
        while not server.book_is_open("open"):
            server.step("open")
        yield server


def test_a_flood_of_joins_is_refused_without_stopping_play(server: Server) -> None:
    """Watch a game and place a bet while others flood and are refused."""
    seen, stop = Counter[int](), threading.Event()

    def join() -> None:
        try:
            with RawSocket(server.url, header=["X-Forwarded-For: 192.0.2.67"]) as raw:
                while not stop.is_set():
                    answer = raw.ask("join", {"table": "fast"})
                    seen[200 if answer["ok"] else 429] += 1
                    assert answer["ok"] or answer["code"] == "rate_limited"
        except (OSError, websocket.WebSocketException):
            seen[0] += 1

    flooders = [threading.Thread(target=join, daemon=True) for _ in range(4)]
    for flooder in flooders:
        flooder.start()
    visitor = server.visitor("ben")
    visitor.join("fast")
    visitor.until(lambda: seen[429] > 20)
    visitor.play_until("fast", lambda: [e for e in visitor.events if e["type"] == "game_over"])
    assert visitor.bet("open", "bet")["ok"]
    stop.set()
    for flooder in flooders:
        flooder.join()
    assert seen[200] >= 20


def test_a_client_that_ignores_refusals_is_disconnected(server: Server) -> None:
    with (
        RawSocket(server.url, header=["X-Forwarded-For: 192.0.2.68"]) as raw,
        pytest.raises((OSError, websocket.WebSocketException)),
    ):
        join_repeatedly(raw)


def join_repeatedly(raw: RawSocket) -> None:
    for _ in range(100 * MAX_EXCESS_MESSAGES):
        raw.ask("join", {"table": "open"})


class NonReadingSocket:
    """A socket whose peer reads nothing."""

    def __init__(self) -> None:
        self._pair = socket.socketpair()
        self._sock = self
        self.fileno = self._pair[0].fileno
        self.recv = self._pair[0].recv
        self.ends = 0

    def setsockopt(self, *_: int) -> None:
        """Do nothing."""

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
def test_unsent_messages_are_bounded(size: int, number: int) -> None:
    peer = NonReadingSocket()
    outlet = SendBuffer(peer)
    for _ in range(number):
        outlet.send(b"x" * size)
    assert peer.ends == 0
    assert len(outlet.waiting) == number
    outlet.send(b"x" * size)
    assert peer.ends == 1
    assert not outlet.waiting
    peer.close()
