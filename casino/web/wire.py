"""The WebSocket layer: whole frames out, small frames in, and an end for who does not read.

The limit of a message holds while it arrives, so that a huge one costs nothing; messages are
not deflated, which would cost memory for each person; a peer that leaves more than a few
hundred frames unread, or sends faster than it is answered, is cut off. What is sent goes to the
socket at once: no greenlet is woken for it, and a frame is made once for all who get it.
"""

from __future__ import annotations

import json
import re
import socket
import struct
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, Final

import gevent
import gevent.event
import gevent.selectors
import simple_websocket
from engineio.async_drivers.gevent import Thread
from simple_websocket.errors import ConnectionClosed, ConnectionError  # noqa: A004

from casino.web.doors import HANDLER, shut

GREATEST_MESSAGE: Final = 16 * 1024
MOST_UNREAD: Final = 256
MOST_UNREAD_BYTES: Final = 256 * 1024
MOST_UNANSWERED: Final = 64

WIRE: Final = "casino.wire"
_CHUNK: Final = 4096
_SEND_BUFFER: Final = 64 * 1024
_WRITABLE: Final = 2
_TEXT: Final = 0x81
_TWO_BYTES: Final = 126
_EIGHT_BYTES: Final = 1 << 16

_SIGNS_OF_LIFE: Final = ("1", "2", "3", "5", "6")
_COME_AND_GO: Final = ("40", "40{}", "41")
_EVENT: Final = re.compile(r"42(?:[0-9]{0,15})(\[.*\])", re.DOTALL)
_DIGITS: Final = re.compile(r"[0-9]{80}")
_MOST_NESTED: Final = 300
_RESERVED: Final = ("connect", "disconnect")


class Outlet:
    """A socket's way out: frames go at once, or wait in their order until the peer reads on."""

    def __init__(self, sock: Any) -> None:
        self.waiting: deque[memoryview] = deque()
        self._bytes = 0
        self.recv: Callable[[int], bytes] = sock.recv
        self._sock = sock
        self._can_send: Any = None
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)

    def send(self, data: bytes) -> None:
        """Send whole frames without waiting; who leaves too much of it unread is cut off."""
        sent = 0 if self.waiting else self._push(data)
        if sent < len(data):
            self._keep(memoryview(data)[sent:])

    def close(self) -> None:
        """Close."""
        self._stop()
        self._sock.close()

    def cut(self) -> None:
        """End the connection under whoever waits for it, and forget what waits."""
        self._stop()
        shut(self._sock)

    def _push(self, data: bytes | memoryview) -> int:
        """How much was sent; who is gone has taken everything, which whoever reads will notice."""
        try:
            sent: int = self._sock._sock.send(data)
        except BlockingIOError:
            return 0
        except OSError:
            return len(data)
        return sent

    def _keep(self, data: memoryview) -> None:
        """Send something when the peer has read what waits before it."""
        self.waiting.append(data)
        self._bytes += len(data)
        if len(self.waiting) > MOST_UNREAD or self._bytes - len(data) > MOST_UNREAD_BYTES:
            self.cut()
        elif self._can_send is None:
            self._can_send = gevent.get_hub().loop.io(self._sock.fileno(), _WRITABLE)
            self._can_send.start(self._drain)

    def _drain(self) -> None:
        """Send of what waits as much as the peer takes now."""
        while self.waiting:
            first = self.waiting.popleft()
            sent = self._push(first)
            self._bytes -= sent
            if sent < len(first):
                self.waiting.appendleft(first[sent:])
                return
        self._stop()

    def _stop(self) -> None:
        """Nothing waits."""
        self.waiting.clear()
        self._bytes = 0
        if self._can_send is not None:
            self._can_send.stop()
            self._can_send.close()
            self._can_send = None


class Outbox:
    """What the Engine.IO server takes for its queue: packets go straight out, in their order."""

    def __init__(self) -> None:
        self._early: list[Any] = []
        self._outlet: Outlet | None = None
        self._ended = gevent.event.Event()

    def open(self, outlet: Outlet) -> None:
        """Send from now on; what came before goes first."""
        self._outlet = outlet
        early, self._early = self._early, []
        for packet in early:
            self.put(packet)

    def put(self, packet: Any) -> None:
        """Send a packet; None is the end."""
        if packet is None:
            self._ended.set()
        elif self._outlet is None:
            self._early.append(packet)
        else:
            self._outlet.send(framed(packet.encode()))

    def get(self, **_: Any) -> None:
        """Wait for the end: no packet is left to whoever asks."""
        self._ended.wait()

    def task_done(self) -> None:
        """Nothing is kept of what is done."""


class Frames(simple_websocket.Server):  # type: ignore[misc]
    """A connection that cuts off a peer who sends too much at once."""

    sock: Outlet

    def handshake(self) -> None:
        """Answer the upgrade, deflating nothing."""
        self.sock = Outlet(self.sock)
        super().handshake()

    def _handle_events(self) -> bool:
        """Take what has arrived; too many unanswered messages end it."""
        going: bool = super()._handle_events()
        if len(self.input_buffer) > MOST_UNANSWERED:
            self.sock.cut()
            return False
        return going


class Wire:
    """What the Engine.IO server asks of a WebSocket."""

    open: Final[set[Wire]] = set()

    def __init__(self, handler: Any, server: Any) -> None:
        self._serve = handler
        self.peer = handler.__self__
        self.frames: Frames

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Serve one connection until it ends."""
        environ.pop("HTTP_SEC_WEBSOCKET_EXTENSIONS", None)
        handler = environ[HANDLER]
        try:
            self.frames = Frames(
                # The connection's own socket: one that is found otherwise is a second descriptor.
                {**environ, "gunicorn.socket": handler.socket},
                receive_bytes=_CHUNK,
                max_message_size=GREATEST_MESSAGE,
                thread_class=Thread,
                event_class=gevent.event.Event,
                selector_class=gevent.selectors.DefaultSelector,
            )
        except ConnectionError:
            start_response("400 Bad Request", [])
            return []
        self.open.add(self)
        environ[WIRE] = self
        self.peer.queue.open(self.frames.sock)
        try:
            answer: Iterable[bytes] = self._serve(self)
        finally:
            self.open.discard(self)
            del environ[WIRE]
            handler.close_connection = True
        return answer

    def post(self, frames: bytes) -> None:
        """Send frames that are ready, after everything sent before."""
        self.frames.sock.send(frames)

    def wait(self) -> str | bytes | None:
        """The next packet; None when the peer is gone, or says what no client does."""
        try:
            message: str | bytes | None = self.frames.receive()
        except ConnectionClosed:
            return None
        return message if isinstance(message, str) and understood(message) else None

    def close(self) -> None:
        """Say good-bye, and do not wait for an answer."""
        if self.frames.connected:
            self.frames.close()
        self.frames.sock.cut()

    @property
    def unread(self) -> int:
        """How many packets, or packets made at once, wait for the peer to read."""
        return len(self.frames.sock.waiting)


def understood(message: str) -> bool:
    """Whether what came can be read on without stumbling: a sign of life, or an event by its name.

    The layers above would write down a traceback for each message that is torn, nested a thousand
    times or full of digits, and take an event named connect for the coming of another visitor.
    """
    if message[:1] in _SIGNS_OF_LIFE or message in _COME_AND_GO:
        return True
    found = _EVENT.fullmatch(message)
    if found is None or _DIGITS.search(message) or message.count("[") > _MOST_NESTED:
        return False
    if message.count("{") > _MOST_NESTED:
        return False
    try:
        said = json.loads(found[1])
    except ValueError:
        return False
    return bool(said) and isinstance(said[0], str) and said[0] not in _RESERVED


def framed(packet: str) -> bytes:
    """A packet as the bytes of one frame, the same for whoever gets it."""
    payload = packet.encode()
    size = len(payload)
    if size < _TWO_BYTES:
        return bytes((_TEXT, size)) + payload
    if size < _EIGHT_BYTES:
        return struct.pack("!BBH", _TEXT, _TWO_BYTES, size) + payload
    return struct.pack("!BBQ", _TEXT, _TWO_BYTES + 1, size) + payload
