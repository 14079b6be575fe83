"""The terminal client's connection: however it ends, nothing of it stays open."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, TextMessage

from casino.client.client import CasinoClient, cookie_file
from casino.errors import CasinoError, InputError, Refused

TIMEOUT_SECONDS = 240
_OPEN = '0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000}'
_GOOD_BYE = b"\x88\x02" + struct.pack("!H", 1000)


class Casino:
    """Accepts one connection, ends it in some way, and waits until the client has closed it."""

    def __init__(self, first: list[str], end: Callable[[socket.socket], None]) -> None:
        self._first = first
        self._end = end
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        self.may_end = threading.Event()
        self.ended = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self.may_end.set()
        self._thread.join(TIMEOUT_SECONDS)
        self._server.close()

    def _serve(self) -> None:
        sock, _ = self._server.accept()
        self._server.close()
        with sock:
            sock.settimeout(TIMEOUT_SECONDS)
            protocol = WSConnection(ConnectionType.SERVER)
            while not list(protocol.events()):
                protocol.receive_data(sock.recv(4096))
            sock.sendall(protocol.send(AcceptConnection()))
            for packet in self._first:
                sock.sendall(protocol.send(TextMessage(packet)))
            self.may_end.wait(TIMEOUT_SECONDS)
            self._end(sock)
            try:
                while sock.recv(4096):
                    pass
            except OSError:
                pass
        self.ended.set()


def send_close_frame(sock: socket.socket) -> None:
    sock.sendall(_GOOD_BYE)


def shut_down_writing(sock: socket.socket) -> None:
    sock.shutdown(socket.SHUT_WR)


def reset_connection(sock: socket.socket) -> None:
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


@pytest.fixture
def casinos() -> Iterator[Callable[..., Casino]]:
    made: list[Casino] = []

    def casino(first: list[str], end: Callable[[socket.socket], None]) -> Casino:
        made.append(Casino(first, end))
        return made[-1]

    yield casino
    for one in made:
        one.close()


@pytest.mark.parametrize("end", [send_close_frame, shut_down_writing, reset_connection])
def test_a_connection_ended_by_the_server_fails_its_requests_and_is_closed(
    casinos: Callable[..., Casino],
    end: Callable[[socket.socket], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("casino.client.client.SECONDS", 10 * TIMEOUT_SECONDS)
    casino = casinos([_OPEN, '40{"sid":"y"}'], end)
    client = CasinoClient(casino.url)
    client.connect()
    sock, reading = client.line.eio.ws.sock, client.line.eio.read_loop_task
    emit = client.line.emit

    def asked(*given: Any, **how: Any) -> None:
        emit(*given, **how)
        casino.may_end.set()

    client.line.emit = asked
    with pytest.raises(Refused, match="does not respond"):
        client.request("join", table="t1")
    reading.join(TIMEOUT_SECONDS)
    assert casino.ended.wait(TIMEOUT_SECONDS)
    assert sock.fileno() == -1
    returning = client.line._reconnect_task
    client.close()
    assert not returning.is_alive()


def test_signing_in_opens_no_account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    client = CasinoClient("http://127.0.0.1:9", "Typo")
    with pytest.raises(InputError, match="no casino responds at"):
        client.sign_in("Typo")
    monkeypatch.setattr(client, "get", lambda _: {})
    with pytest.raises(CasinoError, match="not signed in as Typo"):
        client.sign_in("Typo")
    CasinoClient(client.url, "typO")._keep_cookies()
    with pytest.raises(CasinoError, match="not signed in as Typo at .*: write typO, set CASINO"):
        client.sign_in("Typo")
    client._keep_cookies()
    assert str(client._not_signed_in("Typo")) == (
        "not signed in as Typo at http://127.0.0.1:9: set CASINO_PASSWORD to the password"
    )


class UnansweredPosts(BaseHTTPRequestHandler):
    cookies: list[str | None]

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Set-Cookie", "casino=key")
        self.end_headers()

    def do_POST(self) -> None:
        self.cookies.append(self.headers["Cookie"])

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def test_a_repeated_sign_in_sends_the_same_cookie() -> None:
    UnansweredPosts.cookies = []
    with HTTPServer(("127.0.0.1", 0), UnansweredPosts) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        client = CasinoClient(f"http://127.0.0.1:{server.server_port}")
        for _ in range(2):
            with pytest.raises(InputError, match="no casino responds at"):
                client.enter("ann")
        server.shutdown()
    assert UnansweredPosts.cookies == ["casino=key", "casino=key"]


def test_an_unknown_table_error_lists_the_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    client = CasinoClient("http://127.0.0.1:9")
    monkeypatch.setattr(client, "get", lambda _: {"tables": [{"table": "grand"}]})
    with pytest.raises(CasinoError, match="grnad: choose one of grand, or give the right --link$"):
        client.tables("grnad")


@pytest.mark.parametrize("end", [send_close_frame, shut_down_writing, reset_connection])
def test_a_connection_that_never_opened_is_closed(
    casinos: Callable[..., Casino], end: Callable[[socket.socket], None]
) -> None:
    casino = casinos([], end)
    casino.may_end.set()
    client = CasinoClient(casino.url)
    with pytest.raises(InputError, match="no casino responds at"):
        client.connect()
    assert casino.ended.wait(TIMEOUT_SECONDS)


def test_every_name_has_its_own_cookie_file() -> None:
    names = ["ann", "a b", "é1", "\u0e91", "é", "1", "%e91", "%e9", "..", "ann.b", "e9", "\x0e91"]
    assert len({cookie_file(name, "http://x").name for name in names}) == len(names)
    assert cookie_file("Ann-7", "http://x").name == "Ann-7.cookies"
    assert cookie_file("é1", "http://x").name == "%e9%31.cookies"
    assert len(cookie_file("\U0001f3b2" * 40, "http://x").name) < 255


def test_every_casino_has_its_own_cookie_folder() -> None:
    urls = ["http://127.0.0.1:5000", "http://127.0.0.1:5001", "https://x/a", "x", "x/..", ""]
    folders = [cookie_file("ann", url).parent.name for url in urls]
    assert folders == ["127.0.0.1%3A5000", "127.0.0.1%3A5001", "x%2Fa", "x", "x%2F%2E%2E", "casino"]
    assert cookie_file("ann", "https://x/").parent.name == "x"
