"""The WebSocket layer: what is too much is cut, who does not read is dropped, others go on."""

from __future__ import annotations

import resource
import socket
import time
from collections.abc import Callable

import pytest
import websocket

from casino.cli.client import Client
from casino.errors import Refused
from casino.web.wire import GREATEST_MESSAGE, MOST_UNREAD, Wire
from tests.web.doors import Doors, Visitor
from tests.web.raw import Raw, address

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


def send_pieces(raw: Raw, piece: str) -> None:
    """Continue a message until it is refused."""
    for _ in range(64):
        raw.socket.send_frame(websocket.ABNF(0, 0, 0, 0, 0, 1, piece))
        time.sleep(0.001)
    while raw.socket.recv():
        pass


def send_often(raw: Raw, message: str) -> None:
    """Send without reading any answer."""
    for _ in range(200_000):
        raw.socket.send(message)


def peak_kib() -> int:
    """The most memory this process, and the casino in it, has ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def test_a_huge_frame_is_cut_while_it_arrives(doors: Doors, visit: Visit) -> None:
    """A frame of 64 MiB ends its connection early, takes no memory, and stops nobody."""
    visitor = visit()
    before = peak_kib()
    with Raw(doors.url) as raw:
        assert pushed(raw.begin_frame(64 * MIB), 64 * MIB) < 32 * MIB
    assert peak_kib() - before < 5 * 1024
    assert visitor.join("open")["ok"]


def test_many_small_pieces_of_a_huge_message_are_cut_too(doors: Doors) -> None:
    """The limit is of the message, not of one of its frames."""
    piece = "x" * 1024
    with Raw(doors.url) as raw:
        raw.socket.send_frame(websocket.ABNF(0, 0, 0, 0, 1, 1, piece))
        with pytest.raises((OSError, websocket.WebSocketException)):
            send_pieces(raw, piece)


def test_a_message_within_the_limit_is_read(doors: Doors) -> None:
    """Sixteen KiB are taken and answered, were it with a refusal."""
    room = GREATEST_MESSAGE - 200
    with Raw(doors.url) as raw:
        assert raw.ask("join", {"table": "x" * room})["code"] == "bad_request"


def test_nothing_is_deflated(doors: Doors) -> None:
    """A client that offers compression is not taken up on it."""
    offer = ["Sec-WebSocket-Extensions: permessage-deflate"]
    with Raw(doors.url, header=offer) as raw:
        assert "sec-websocket-extensions" not in (raw.socket.getheaders() or {})


def test_only_websockets(doors: Doors) -> None:
    """Long polling is refused."""
    with pytest.raises(Refused, match="400"):
        Client(doors.url).get("/socket.io/?EIO=4&transport=polling")


@pytest.mark.parametrize(
    ("origin", "status"), [("https://elsewhere.example", 400), (None, 101), ("own", 101)]
)
def test_another_sites_page_cannot_open_the_line(
    doors: Doors, origin: str | None, status: int
) -> None:
    """A browser names the page a socket comes from; only the casino's own is let in."""
    sender = doors.url if origin == "own" else origin
    try:
        line = websocket.create_connection(
            address(doors.url), origin=sender, suppress_origin=sender is None, timeout=5
        )
        line.close()
        found = 101
    except websocket.WebSocketBadStatusException as refused:
        found = refused.status_code
    assert found == status


def test_who_does_not_read_is_dropped(doors: Doors, visit: Visit) -> None:
    """Events wait for nobody: with too many unread a peer is cut off, and the others go on."""
    options = [(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)]
    with Raw(doors.url, sockopt=options) as sleeper:
        sleeper.ask("join", {"table": "fast"})
        (wire,) = [one for one in Wire.open if one.peer.sid in sleeper.frames[0]]
        wire.frames.sock._sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        reader = visit()
        reader.join("fast")
        reader.until(lambda: wire not in Wire.open)
        assert wire.unread <= MOST_UNREAD
        heard = len(reader.events)
        reader.until(lambda: len(reader.events) > heard)


def test_who_floods_without_end_is_cut(doors: Doors, visit: Visit) -> None:
    """Messages that come faster than they are answered do not pile up."""
    flood = '42["join",{"table":"fast"}]'
    with Raw(doors.url) as raw, pytest.raises((OSError, websocket.WebSocketException)):
        send_often(raw, flood)
    assert visit().join("open")["ok"]


def test_a_line_that_ends_leaves_nothing_behind(doors: Doors, visit: Visit) -> None:
    """When a socket closes, its visitor and its wire are gone."""
    live = doors.casino.live
    observer = visit()
    before = len(live.visitors)
    with Raw(doors.url) as raw:
        raw.ask("join", {"table": "open"})
        assert len(live.visitors) == before + 1
    observer.until(lambda: len(live.visitors) <= before)
