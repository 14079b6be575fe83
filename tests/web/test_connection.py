"""The WebSocket layer: size limits, slow clients, close codes, malformed input."""

from __future__ import annotations

import gc
import http.client
import json
import re
import socket
import subprocess
import sys
import time
import weakref
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import gevent
import pytest
import websocket

from casino.client.client import CasinoClient
from casino.errors import Refused
from casino.web.schemas.messages import MESSAGES
from casino.web.server.wsgi import HANDLER
from casino.web.websocket.connection import MAX_UNSENT_MESSAGES, WebSocketConnection
from tests.web.raw_socket import PATH, TIMEOUT_SECONDS, RawSocket
from tests.web.server import FAST, Server, SkippingClock, Visit, cookie_of, open_server
from tests.web.test_handlers import versions


def connection_of(server: Server, raw: RawSocket) -> WebSocketConnection:
    """Return the server's end of a connection."""
    wires = [line.socket for line in list(server.site.shared.registry.by_id.values())]
    (wire,) = [wire for wire in wires if wire.peer.sid in raw.frames[0]]
    return wire


def test_permessage_deflate_is_not_negotiated(server: Server) -> None:
    offer = ["Sec-WebSocket-Extensions: permessage-deflate"]
    with RawSocket(server.url, header=offer) as raw:
        assert "sec-websocket-extensions" not in (raw.socket.getheaders() or {})


def test_http_polling_is_refused(server: Server) -> None:
    with pytest.raises(Refused, match="400"):
        CasinoClient(server.url).get("/socket.io/?EIO=4&transport=polling")


def test_the_client_in_the_docs_bets_and_opens_its_text(tmp_path: Path) -> None:
    page = Path("docs/library.md").read_text("utf-8")
    (program,) = (text for text in re.findall("```python\n(.*?)```", page, re.S) if "emit" in text)
    clock = SkippingClock()
    with open_server(tmp_path / "casino.db", {"petit": FAST}, clock, clock, seed=1) as server:
        CasinoClient(server.url).enter("Paul", "change me")  # as an earlier run did
        line = [sys.executable, "-u", "-c", program.replace("http://127.0.0.1:5000", server.url)]
        with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as client:
            assert client.stdout is not None
            assert client.stdout.readline().startswith("{'ok': True, ")
            while not server.book_is_open("petit"):
                server.step("petit")
            assert any("'seal_number': 1" in line for line in client.stdout)
            while server.book_is_open("petit"):
                server.step("petit")
            assert any("'cuts_opened', 'opened': 1" in line for line in client.stdout)
            client.kill()
    named = re.findall(r"^\|`(\w+)`\|`(\w+)`\|", page, re.M)
    assert dict(named) == {name: payload.__name__ for name, (payload, _) in MESSAGES.items()}


def test_cross_origin_connections_are_refused(server: Server) -> None:
    for origin in (server.url, None):
        with RawSocket(server.url, origin=origin, suppress_origin=origin is None) as raw:
            assert raw.ask("join", {"table": "open"})["ok"]
    with pytest.raises(websocket.WebSocketBadStatusException, match="status 400"):
        RawSocket(server.url, origin="https://elsewhere.example")


def test_a_slow_reader_receives_every_event(server: Server, visit: Visit) -> None:
    options = [(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)]
    with RawSocket(server.url, sockopt=options) as slow:
        version = slow.ask("join", {"table": "fast"})["version"]
        wire = connection_of(server, slow)
        wire.send_buffer._sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        while len(wire.send_buffer.waiting) <= MAX_UNSENT_MESSAGES // 4:
            server.step("fast")
        slow.ask("leave", {"table": "fast"})
        assert len(wire.send_buffer.waiting) == 0
    heard = versions(slow)
    assert len(heard) > MAX_UNSENT_MESSAGES // 4
    assert heard == list(range(version + 1, version + 1 + len(heard)))


def test_a_disconnected_peer_is_removed_from_open_connections(server: Server, visit: Visit) -> None:
    eio, post = server.site.app.extensions["socketio"].server.eio, server.casino.backend.bridge.post
    with RawSocket(server.url) as raw:
        raw.ask("join", {"table": "fast"})
        wire = connection_of(server, raw)
        post(gevent.spawn, eio.disconnect, wire.peer.sid)
        visit().until(lambda: not wire._environ)


def test_a_peer_is_pinged_again_after_its_pong(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("casino.web.websocket.connection.PING_SECONDS", 0.05)
    with RawSocket(server.url) as raw:
        began = time.monotonic()
        while raw.frames.count("2") < 3:
            raw.receive()
        assert time.monotonic() - began >= 2 * 0.05 * 0.99
        silent = raw.socket.recv()
        raw.socket.settimeout(0.2)
        with pytest.raises(websocket.WebSocketTimeoutException):
            raw.socket.recv()
        assert silent == "2"


def test_connection_count_drops_before_disconnects_are_processed(
    server: Server, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting: list[Callable[[], None]] = []
    visitor = visit()
    before, lines = server.metric("connections"), set[WebSocketConnection]()
    finish = WebSocketConnection._finish
    with monkeypatch.context() as patch:
        patch.setattr(
            WebSocketConnection, "_finish", lambda wire: waiting.append(partial(finish, wire))
        )
        for _ in range(5):
            with RawSocket(server.url) as raw:
                lines.add(connection_of(server, raw))
        visitor.until(lambda: len(waiting) == 5)
        visitor.until(lambda: server.metric("connections") == before)
    for work in waiting:
        server.casino.backend.bridge.post(gevent.spawn, work)
    visitor.until(lambda: not any(wire._environ for wire in lines))


def test_a_closed_connection_is_freed_without_garbage_collection(
    server: Server, visit: Visit
) -> None:
    observer = visit()
    gc.disable()
    try:
        with RawSocket(server.url) as raw:
            raw.ask("join", {"table": "open"})
            wire = connection_of(server, raw)
            left = [weakref.ref(part) for part in (wire, wire.peer)]
            del wire
        observer.until(lambda: [ref() for ref in left] == [None] * 2)
    finally:
        gc.enable()


def test_an_idle_connection_keeps_no_greenlet_request_or_cookie(
    server: Server, visit: Visit
) -> None:
    def count() -> int:
        gc.collect()
        return sum(issubclass(type(one), gevent.Greenlet) for one in gc.get_objects())

    visitor = visit("brief")
    visitor.join("open")
    cookie, before = cookie_of(visitor), count()
    with ExitStack() as stack:
        lines = [stack.enter_context(RawSocket(server.url, cookie=cookie)) for _ in range(10)]
        for raw in 2 * lines:
            assert raw.ask("join", {"table": "open"})["you"]["name"] == visitor.name
        # The greenlet that handles a message ends shortly after its reply.
        visitor.until(lambda: count() - before < 5)
        for wire in [connection_of(server, raw) for raw in lines]:
            assert len(wire._environ) < 20
            assert (
                not {HANDLER, "HTTP_COOKIE", "wsgi.input", "werkzeug.request"}
                & wire._environ.keys()
            )


def test_messages_before_a_close_frame_are_processed(server: Server, visit: Visit) -> None:
    visitor = visit("hasty")
    game = visitor.game("open")
    bet = {"table": "open", "game": game, "bet_id": "last", "side": "house", "unit_cents": 500}
    with RawSocket(server.url, cookie=cookie_of(visitor)) as raw:
        raw.socket.send(f"421{json.dumps(['place_bet', bet])}")
        raw.socket.send_close()
    visitor.until(lambda: visitor.get("/api/me")["bets"])


CLOSED = {
    "no text": (websocket.ABNF.create_frame(b"\xff", websocket.ABNF.OPCODE_TEXT), 1007),
    "bytes": (websocket.ABNF.create_frame(b"x", websocket.ABNF.OPCODE_BINARY), 1000),
    "good-bye": (websocket.ABNF.create_frame(b"\x03\xe8", websocket.ABNF.OPCODE_CLOSE), 1000),
}


@pytest.mark.parametrize(("frame", "why"), CLOSED.values(), ids=CLOSED)
def test_close_frames_carry_the_matching_code(
    server: Server, frame: websocket.ABNF, why: int
) -> None:
    with RawSocket(server.url) as raw:
        raw.socket.send_frame(frame)
        kind, payload = raw.socket.recv_data(control_frame=True)
        assert kind == websocket.ABNF.OPCODE_CLOSE
        assert int.from_bytes(payload[:2], "big") == why


def test_incomplete_upgrade_requests_are_refused(server: Server) -> None:
    sockets = server.site.app.extensions["socketio"].server.eio.sockets
    there = set(sockets)
    where = urlsplit(server.url)
    asked = {"Upgrade": "websocket", "Connection": "keep-alive", "Sec-WebSocket-Version": "13"}
    for heads in (asked, {**asked, "Connection": "Upgrade"}):
        line = http.client.HTTPConnection(where.netloc, timeout=TIMEOUT_SECONDS)
        line.request("GET", PATH, headers=heads)
        assert line.getresponse().status == 400
        line.close()
    assert set(sockets) <= there


MALFORMED_MESSAGES = [
    "42", "421{}", "421[", '421["join"', "421" + "[" * 900 + "]" * 900,
    '421["join",{"table":"open","since":' + "9" * 5_000 + "}]",
    '421["connect",{}]', '421["disconnect",{}]', '42["*",{"a":1}]',
    '451-["join",{"_placeholder":true,"num":0}]', "40[", "431[]", "49", "4", "x", "", "\0",
    "2", "5", "6",
]  # fmt: skip


def is_closed_by_server(raw: RawSocket) -> bool:
    """Return whether the server closes the connection, rather than staying silent."""
    try:
        while raw.socket.recv():
            pass
    except websocket.WebSocketTimeoutException:
        return False
    except (OSError, websocket.WebSocketException):
        pass
    return True


@pytest.mark.parametrize("message", MALFORMED_MESSAGES, ids=lambda message: repr(message[:20]))
def test_malformed_messages_close_the_connection_without_logging(
    message: str,
    server: Server,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    with RawSocket(server.url) as raw:
        raw.socket.send(message)
        assert is_closed_by_server(raw)
    assert caplog.text == ""
    assert capfd.readouterr().err == ""
