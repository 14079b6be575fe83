"""The WebSocket layer: what is too much is cut, who does not read is dropped, others go on."""

from __future__ import annotations

import gc
import http.client
import json
import resource
import socket
import weakref
from collections.abc import Callable
from contextlib import ExitStack
from urllib.parse import urlsplit

import gevent
import pytest
import websocket

from casino.client.client import CasinoClient
from casino.errors import Refused
from casino.web.server.wsgi import HANDLER
from casino.web.websocket.connection import MAX_UNSENT_MESSAGES, WebSocketConnection
from casino.web.websocket.framing import MAX_MESSAGE_BYTES
from casino.web.websocket.heartbeat import Heartbeat
from tests.table.following import NOTICES
from tests.web.doors import Doors, Visitor
from tests.web.raw import PATH, PATIENCE, Raw, address

Visit = Callable[..., Visitor]
MIB = 1 << 20


def pushed(sock: socket.socket, size: int) -> int:
    """How much of a frame the other side takes before it ends the connection."""
    sent, chunk = 0, b" " * (64 * 1024)
    try:
        while sent < size:
            sent += sock.send(chunk[: size - sent])
    except OSError:
        pass
    return sent


def line_of(raw: Raw) -> WebSocketConnection:
    """The casino's end of a line; others come and go while it is sought."""
    (wire,) = [one for one in list(WebSocketConnection.open) if one.peer.sid in raw.frames[0]]
    return wire


def peak_kib() -> int:
    """The most memory this process, and the casino in it, has ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def test_a_huge_frame_is_cut_while_it_arrives(doors: Doors, visit: Visit) -> None:
    visitor = visit()
    before = peak_kib()
    with Raw(doors.url) as raw:
        assert pushed(raw.begin_frame(64 * MIB), 64 * MIB) < 32 * MIB
    assert peak_kib() - before < 5 * 1024
    assert visitor.join("open")["ok"]


def test_nothing_is_deflated(doors: Doors) -> None:
    offer = ["Sec-WebSocket-Extensions: permessage-deflate"]
    with Raw(doors.url, header=offer) as raw:
        assert "sec-websocket-extensions" not in (raw.socket.getheaders() or {})


def test_a_message_raises_no_error_on_its_way(doors: Doors) -> None:
    flask = doors.site.app.url_map.bind(urlsplit(doors.url).netloc)
    assert flask.match(urlsplit(PATH).path, websocket=True) == ("line", {})


def test_only_websockets(doors: Doors) -> None:
    with pytest.raises(Refused, match="400"):
        CasinoClient(doors.url).get("/socket.io/?EIO=4&transport=polling")


@pytest.mark.parametrize(
    ("origin", "status"), [("https://elsewhere.example", 400), (None, 101), ("own", 101)]
)
def test_another_sites_page_cannot_open_the_line(
    doors: Doors, origin: str | None, status: int
) -> None:
    sender = doors.url if origin == "own" else origin
    try:
        line = websocket.create_connection(
            address(doors.url), origin=sender, suppress_origin=sender is None, timeout=PATIENCE
        )
        line.close()
        found = 101
    except websocket.WebSocketBadStatusException as refused:
        found = refused.status_code
    assert found == status


def test_who_does_not_read_is_dropped(doors: Doors, visit: Visit) -> None:
    options = [(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)]
    with Raw(doors.url, sockopt=options) as sleeper:
        sleeper.ask("join", {"table": "fast"})
        wire = line_of(sleeper)
        wire.send_buffer._sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        reader = visit()
        reader.join("fast")
        while wire in WebSocketConnection.open:
            doors.step("fast")
        assert len(wire.send_buffer.waiting) <= MAX_UNSENT_MESSAGES
        heard = len(reader.events)
        reader.until(lambda: len(reader.events) > heard)


def test_a_slow_reader_misses_nothing(doors: Doors, visit: Visit) -> None:
    options = [(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)]
    with Raw(doors.url, sockopt=options) as slow:
        version = slow.ask("join", {"table": "fast"})["version"]
        wire = line_of(slow)
        wire.send_buffer._sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        while len(wire.send_buffer.waiting) <= MAX_UNSENT_MESSAGES // 4:
            doors.step("fast")
        slow.ask("leave", {"table": "fast"})
        assert len(wire.send_buffer.waiting) == 0
    told = [json.loads(text[2:])[1] for text in slow.frames if text.startswith('42["event"')]
    versions = [event["version"] for event in told if event["type"] not in NOTICES]
    assert len(versions) > MAX_UNSENT_MESSAGES // 4
    assert versions == list(range(version + 1, version + 1 + len(versions)))


def test_who_is_sent_away_leaves_nothing_behind(doors: Doors, visit: Visit) -> None:
    server, post = doors.site.app.extensions["socketio"].server, doors.casino.backend.bridge.post
    with Raw(doors.url) as raw:
        raw.ask("join", {"table": "fast"})
        wire = line_of(raw)
        post(gevent.spawn, server.eio.disconnect, wire.peer.sid)
        visit().until(lambda: wire not in WebSocketConnection.open)


def test_who_has_gone_holds_no_connection_while_others_leave(
    doors: Doors, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    (server,) = doors.casino.parts.doors
    waiting: list[Callable[[], None]] = []
    visitor = visit()
    before, lines = server.connection_count, set[WebSocketConnection]()
    with monkeypatch.context() as patch:
        patch.setattr(Heartbeat, "queue_disconnect", lambda _, work: waiting.append(work))
        for _ in range(5):
            with Raw(doors.url) as raw:
                lines.add(line_of(raw))
        visitor.until(lambda: len(waiting) == 5)
        visitor.until(lambda: server.connection_count == before)
    for work in waiting:
        doors.casino.backend.bridge.post(gevent.spawn, work)
    visitor.until(lambda: not WebSocketConnection.open & lines)


def test_a_line_that_ends_needs_no_collection(doors: Doors, visit: Visit) -> None:
    observer = visit()
    gc.disable()
    try:
        with Raw(doors.url) as raw:
            raw.ask("join", {"table": "open"})
            wire = line_of(raw)
            left = [weakref.ref(part) for part in (wire, wire.peer)]
            del wire
        observer.until(lambda: [ref() for ref in left] == [None] * 2)
    finally:
        gc.enable()


def test_a_line_that_waits_is_no_greenlet_and_no_request(doors: Doors, visit: Visit) -> None:
    def count() -> int:
        gc.collect()
        return sum(issubclass(type(one), gevent.Greenlet) for one in gc.get_objects())

    visitor = visit()
    visitor.join("open")
    before = count()
    with ExitStack() as stack:
        lines = [stack.enter_context(Raw(doors.url)) for _ in range(10)]
        for raw in lines:
            raw.ask("join", {"table": "open"})
        # What answers a message ends a moment after the answer.
        visitor.until(lambda: count() - before < 5)
        for wire in map(line_of, lines):
            assert len(wire._environ) < 20
            assert not {HANDLER, "wsgi.input", "werkzeug.request"} & wire._environ.keys()


def test_what_came_before_a_good_bye_is_done(doors: Doors, visit: Visit) -> None:
    visitor = visit("hasty")
    game = visitor.game("open")
    bet = {"table": "open", "game": game, "bet_id": "last", "side": "house", "unit_cents": 500}
    cookie = "; ".join(f"{one.name}={one.value}" for one in visitor._jar)
    with Raw(doors.url, cookie=cookie) as raw:
        raw.socket.send(f"421{json.dumps(['place_bet', bet])}")
        raw.socket.send_close()
    visitor.until(lambda: visitor.get("/api/me")["bets"])


def test_a_line_keeps_no_cookie(doors: Doors, visit: Visit) -> None:
    visitor = visit("brief")
    cookie = "; ".join(f"{one.name}={one.value}" for one in visitor._jar)
    with Raw(doors.url, cookie=cookie) as raw:
        for _ in range(2):
            assert raw.ask("join", {"table": "open"})["you"]["name"] == visitor.name
            assert "HTTP_COOKIE" not in line_of(raw)._environ


CLOSED = {
    "no text": (websocket.ABNF.create_frame(b"\xff", websocket.ABNF.OPCODE_TEXT), 1007),
    "the rest of nothing": (websocket.ABNF.create_frame(b"x", websocket.ABNF.OPCODE_CONT), 1002),
    "bytes": (websocket.ABNF.create_frame(b"x", websocket.ABNF.OPCODE_BINARY), 1000),
    "too much": (websocket.ABNF.create_frame("x" * (MAX_MESSAGE_BYTES + 1), 1), 1009),
    "good-bye": (websocket.ABNF.create_frame(b"\x03\xe8", websocket.ABNF.OPCODE_CLOSE), 1000),
}


@pytest.mark.parametrize(("frame", "why"), CLOSED.values(), ids=CLOSED)
def test_a_peer_is_told_why_its_line_is_closed(
    doors: Doors, frame: websocket.ABNF, why: int
) -> None:
    with Raw(doors.url) as raw:
        raw.socket.send_frame(frame)
        kind, payload = raw.socket.recv_data(control_frame=True)
        assert kind == websocket.ABNF.OPCODE_CLOSE
        assert int.from_bytes(payload[:2], "big") == why


def test_an_upgrade_that_is_not_of_this_connection_is_none(doors: Doors) -> None:
    sockets = doors.site.app.extensions["socketio"].server.eio.sockets
    there = set(sockets)
    where = urlsplit(doors.url)
    asked = {"Upgrade": "websocket", "Connection": "keep-alive", "Sec-WebSocket-Version": "13"}
    for heads in (asked, {**asked, "Connection": "Upgrade"}):
        line = http.client.HTTPConnection(where.netloc, timeout=PATIENCE)
        line.request("GET", PATH, headers=heads)
        assert line.getresponse().status == 400
        line.close()
    assert set(sockets) <= there


TORN = [
    "42",
    "421{}",
    "421[",
    '421["join"',
    "421" + "[" * 900 + "]" * 900,
    '421["join",{"table":"open","since":' + "9" * 500 + "}]",
    '421["connect",{}]',
    '421["disconnect",{}]',
    '42["*",{"a":1}]',
    '451-["join",{"_placeholder":true,"num":0}]',
    "40[",
    "431[]",
    "49",
    "4",
    "x",
    "",
    "\0",
]


def ended(raw: Raw) -> bool:
    """Whether the other side ends the line, and does not just keep silent."""
    try:
        while raw.socket.recv():
            pass
    except websocket.WebSocketTimeoutException:
        return False
    except (OSError, websocket.WebSocketException):
        pass
    return True


@pytest.mark.parametrize("message", TORN, ids=lambda message: repr(message[:20]))
def test_what_no_client_says_ends_its_line_quietly(
    message: str, doors: Doors, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with Raw(doors.url) as raw:
        raw.socket.send(message)
        assert ended(raw)
    assert caplog.text == ""
    assert capfd.readouterr().err == ""


def test_a_message_nobody_knows_is_answered(doors: Doors) -> None:
    with Raw(doors.url) as raw:
        answer = raw.ask("dance", {})
        assert (answer["ok"], answer["code"]) == (False, "bad_request")
        assert raw.ask("join", {"table": "\ud800"})["code"] == "bad_request"
        assert raw.ask("join", {"table": "open"})["ok"]
