"""The WSGI server: connection limits, timeouts for slow clients, reserved file descriptors."""

from __future__ import annotations

import os
import resource
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from casino.client.client import CasinoClient
from casino.web.server import wsgi
from casino.web.server.wsgi import GONE, KEPT_BACK, MAX_HEADER_BYTES, raise_descriptor_limit
from tests.web.processes import Process, until
from tests.web.raw_socket import RawSocket
from tests.web.server import FAST, LONG_BETTING, Server, Visitor, fetch, open_server

pytestmark = pytest.mark.usefixtures("nothing_on_stderr")
TABLES: dict[str, dict[str, Any]] = {"open": LONG_BETTING, "fast": {**FAST, "number": 3}}
SHORT_TIMEOUTS = {"idle_seconds": 1, "head_seconds": 1, "answer_seconds": 1}
GET = b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n"


def send_slowly(sock: socket.socket) -> None:
    sock.sendall(b"GET /healthz HTTP/1.1\r\n")
    for number in range(600):
        sock.sendall(b"X-%d: y\r\n" % number)
        time.sleep(0.05)


def push(sock: socket.socket, asked: bytes) -> None:
    while True:
        sock.sendall(asked)


def count_descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def open_socket(url: str, source: str = "127.0.0.1") -> socket.socket:
    parts = urlsplit(url)
    assert parts.hostname and parts.port
    where = parts.hostname, parts.port
    return socket.create_connection(where, timeout=30, source_address=(source, 0))


def answer(sock: socket.socket) -> bytes:
    """Read until the server closes the connection."""
    heard = b""
    try:
        while piece := sock.recv(65_536):
            heard += piece
    except ConnectionError:
        pass
    return heard


@pytest.fixture(scope="module")
def short_timeout_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A casino that waits one second for each step of a request."""
    path = tmp_path_factory.mktemp("short_timeout_server") / "casino.db"
    with open_server(path, TABLES, web=SHORT_TIMEOUTS) as server:
        yield server


UNFINISHED = (
    b"",
    b"GET /health",
    b"GET /healthz HTTP/1.1\r\nHost: he",
    b"POST /api/enter HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n"
    b'Content-Length: 500\r\n\r\n{"name',
)


def test_incomplete_requests_time_out(short_timeout_server: Server) -> None:
    with ExitStack() as there:
        socks = [there.enter_context(open_socket(short_timeout_server.url)) for _ in UNFINISHED]
        for sock, said in zip(socks, UNFINISHED, strict=True):
            sock.sendall(said)
        assert not [heard for heard in map(answer, socks) if b" 200 " in heard]


@pytest.mark.parametrize("query", [b"\xff", b"lang=\xff", "lang=fré".encode(), b"lang=%ff"])
def test_queries_with_non_ascii_bytes_are_served(
    short_timeout_server: Server, query: bytes
) -> None:
    with open_socket(short_timeout_server.url) as sock:
        sock.sendall(b"GET /?" + query + b" HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
        assert b" 200 " in answer(sock)[:20]


def test_slowly_sent_headers_time_out(short_timeout_server: Server) -> None:
    with open_socket(short_timeout_server.url) as sock, pytest.raises(OSError, match=r"reset|pipe"):
        send_slowly(sock)


def test_idle_keep_alive_connections_are_closed(short_timeout_server: Server) -> None:
    def answered_twice() -> bool:
        with open_socket(short_timeout_server.url) as sock:
            try:
                sock.sendall(GET)
                first = sock.recv(65_536)
                sock.sendall(GET)
            except ConnectionError:
                return False  # on a slow machine it is no longer at once
            return (first + answer(sock)).count(b" 200 OK") == 2

    until(answered_twice)


def test_clients_that_do_not_read_responses_are_dropped(short_timeout_server: Server) -> None:
    with open_socket(short_timeout_server.url) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        asked = GET.replace(b"/healthz", b"/api/openapi.json") * 100
        with pytest.raises(OSError, match=r"reset|pipe"):
            push(sock, asked)
    until(lambda: short_timeout_server.metric("requests_total", status=str(GONE)))
    assert 'status="-' not in fetch(short_timeout_server.url, "/metrics").text


def test_websockets_may_stay_idle(short_timeout_server: Server) -> None:
    with RawSocket(short_timeout_server.url) as raw:
        raw.listen(1.5)
        assert raw.ask("join", {"table": "open"})["ok"]


def test_websockets_without_a_socketio_handshake_are_closed(short_timeout_server: Server) -> None:
    with open_socket(short_timeout_server.url) as sock:
        sock.sendall(
            b"GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: here\r\n"
            b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        assert b" 101 " in answer(sock)


def test_oversized_headers_are_refused(short_timeout_server: Server) -> None:
    with open_socket(short_timeout_server.url) as sock:
        lines = b"".join(b"X-%d: %s\r\n" % (n, b"y" * 1000) for n in range(90))
        assert len(lines) > 2 * MAX_HEADER_BYTES
        try:
            sock.sendall(GET[:-2] + lines + b"\r\n")
            heard = answer(sock)
        except OSError:
            heard = b""
        assert b" 200 " not in heard


def test_connections_per_address_are_limited(tmp_path: Path) -> None:
    with open_server(tmp_path / "a.db", TABLES, web={"address_connections": 20}) as server:
        with ExitStack() as there:
            held = [there.enter_context(open_socket(server.url)) for _ in range(20)]
            with open_socket(server.url) as more:
                assert answer(more).startswith(b"HTTP/1.1 503 ")
            assert b" 200 OK" in get_health(server.url, "127.0.0.2")
            held[0].close()
            until(lambda: b" 200 OK" in get_health(server.url))
        visitor = server.visitor("ann")
        assert visitor.join("open")["ok"]


def get_health(url: str, source: str = "127.0.0.1") -> bytes:
    with open_socket(url, source) as sock:
        sock.sendall(GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        return answer(sock)


def test_connections_behind_a_proxy_are_counted_by_real_address(tmp_path: Path) -> None:
    web = {"address_connections": 4, "trusted_proxies": ["127.0.0.1"]}
    with ExitStack() as there:
        with open_server(tmp_path / "a.db", TABLES, web=web) as server:
            for one in ("192.0.2.1", "192.0.2.2", "192.0.2.3"):
                for _ in range(4):
                    there.enter_context(RawSocket(server.url, header=[f"X-Forwarded-For: {one}"]))
            more = there.enter_context(RawSocket(server.url, header=["X-Forwarded-For: 192.0.2.1"]))
            assert "too many pages" in more.frames[-1]
        assert server.metric("connections") == 0


def test_a_websocket_uses_one_file_descriptor(server: Server) -> None:
    taken = count_descriptors()
    with ExitStack() as there:
        for _ in range(40):
            there.enter_context(RawSocket(server.url))
        assert count_descriptors() - taken < 40 * 2 + 10
    until(lambda: count_descriptors() < taken + 10)


def test_a_websocket_is_closed_even_if_its_request_is_referenced(tmp_path: Path) -> None:
    kept: list[Any] = []
    with open_server(tmp_path / "a.db", TABLES) as server:
        respond = server.site.app.wsgi_app

        def remember(environ: Any, start_response: Any) -> Any:
            kept.append(environ["wsgi.input"])
            return respond(environ, start_response)

        server.site.app.wsgi_app = remember  # type: ignore[method-assign]
        with RawSocket(server.url) as raw:
            assert raw.socket.sock is not None
            raw.socket.sock.shutdown(socket.SHUT_WR)
            raw.socket.sock.settimeout(10)
            assert answer(raw.socket.sock) == b""
    assert kept


def test_descriptor_limit_is_raised_with_a_reserve(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = [(256, 4096)]
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _, new: limits.append(new))
    assert raise_descriptor_limit() == 4096 - KEPT_BACK
    assert limits[-1] == (4096, 4096)
    limits.append((256, 256))
    assert raise_descriptor_limit() == 128
    limits.append((1024, resource.RLIM_INFINITY))
    raise_descriptor_limit()
    assert limits[-1] == (wsgi.MAX_DESCRIPTORS, resource.RLIM_INFINITY)


def test_betting_continues_when_all_descriptors_are_in_use(tmp_path: Path) -> None:
    run = f"{sys.executable} -m casino run --tables 1 --port 0 --db {tmp_path / 'casino.db'}"
    settings = {"CASINO_TABLE_BETTING_MS": "3600000", "CASINO_WEB_ADDRESS_CONNECTIONS": "5000"}
    command, env = ["bash", "-c", f"ulimit -n 400; exec {run}"], {**os.environ, **settings}
    process = Process(command, r"http://\S+", tmp_path / "stderr", env)
    with ExitStack() as there:
        there.callback(process.stop)
        url = process.wait()
        ann = Visitor(url, "ann")
        there.callback(ann.close)
        held = [there.enter_context(open_socket(url)) for _ in range(500)]
        assert answer(held[-1]).startswith(b"HTTP/1.1 503 ")
        for number in range(5):
            assert ann.bet("t1", f"b{number}")["ok"]
        for one in held:
            one.close()
        until(lambda: b" 200 OK" in get_health(url))
        assert CasinoClient(url).get("/api/tables")["ok"]
    assert process.stderr() == ""
