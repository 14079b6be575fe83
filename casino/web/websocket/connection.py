"""WebSocket transport for Socket.IO; `create_socketio` is the only entry point.

The libraries' own WebSocket transport takes four greenlets and 75 KiB per client, and one write per
message. This one takes 14 KiB, and sends each client all its pending messages in one write.
Flask-SocketIO and the libraries under it still handle the protocol: handshake, dispatch of events,
acknowledgements. The transport relies on the names in `private_api`, and on Engine.IO calling the
replaced parts in the same way as its own.

An idle connection is a few small objects: it has no greenlet, stack or request. When data arrives,
a greenlet handles it and exits. A peer that leaves more than a few hundred writes unread, or sends
faster than its messages are handled, is disconnected. Messages to one peer are written at once;
those to many go through `casino.web.broadcast.broadcaster`.
"""

from __future__ import annotations

import json
import logging
import re
import socket
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final, TypeAlias

import gevent
from engineio.packet import Packet
from flask import Flask
from flask_socketio import SocketIO
from wsproto.frame_protocol import CloseReason, Opcode, ParseFailed

from casino.web.server.request_log import REQUEST
from casino.web.server.wsgi import HANDLER, shut_down
from casino.web.websocket import framing
from casino.web.websocket.framing import MAX_MESSAGE_BYTES, FrameReader
from casino.web.websocket.private_api import raw_socket, replace_transport

LINE: Final = "socket.io"
PING_SECONDS: Final = 10  # from a connection's last pong to its next ping

MAX_UNANSWERED: Final = 64

MAX_UNSENT_MESSAGES: Final = 256
MAX_UNSENT_BYTES: Final = 256 * 1024

_CHUNK: Final = 4096
_SEND_BUFFER: Final = 64 * 1024
WIRE: Final = "casino.wire"
_READABLE: Final = 1
_WRITABLE: Final = 2

_COOKIE: Final = "HTTP_COOKIE"
# The part of the upgrade request that Flask needs to handle each message.
_KEPT: Final = frozenset(
    (
        _COOKIE,
        "HTTP_HOST",
        "PATH_INFO",
        "REMOTE_ADDR",
        REQUEST,
        "REQUEST_METHOD",
        "SCRIPT_NAME",
        "SERVER_NAME",
        "SERVER_PORT",
        "flask.app",
        "wsgi.url_scheme",
    )
)

_LAST_REQUEST: Final = "werkzeug.request"
_PING: Final = framing.text_frame("2")
_ALIVE: Final = "3"
_NO_EVENTS: Final = ("1", _ALIVE, "40", "40{}", "41")  # close, pong, connect and disconnect
_EVENT: Final = re.compile(r"42(?:[0-9]{0,15})(\[.*\])", re.DOTALL)
_MAX_NESTING: Final = 300
_RESERVED: Final = ("connect", "disconnect", "*")

RunLater: TypeAlias = Callable[[Callable[[], None]], None]

log = logging.getLogger(__name__)


def create_socketio(app: Flask, run_later: RunLater) -> SocketIO:
    """Add Socket.IO to an application, with this transport only.

    Clients that have left are removed through `run_later`, one at a time: so a bet waits 46 ms
    instead of 747 when 3,000 leave together.
    """
    socketio = SocketIO(
        app,
        async_mode="gevent",
        async_handlers=False,
        transports=["websocket"],
        manage_session=False,
        max_http_buffer_size=MAX_MESSAGE_BYTES,
        ping_interval=PING_SECONDS,
        ping_timeout=PING_SECONDS,
        serve_client=False,
        path=LINE,
    )
    # Flask-SocketIO handles each message in a request context with this path. Without a route,
    # Flask would keep a routing error, and with it the stack, until the next full collection.
    app.add_url_rule(f"/{LINE}/", "line", lambda: "")  # never called
    replace_transport(socketio.server.eio, partial(WebSocketConnection, run_later))
    return socketio


class SendBuffer:
    """Writes frames to a socket at once, or queues them while the socket is not writable.

    It is bounded, so that a peer that does not read cannot fill memory.
    """

    def __init__(self, sock: Any) -> None:
        self.waiting: list[memoryview] = []
        self._sock = sock
        self._can_send: Any = None
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)

    def read(self) -> bytes | None:
        """Return received data, b"" at the end of the stream, or None if there is none yet."""
        try:
            data: bytes = raw_socket(self._sock).recv(_CHUNK)
        except BlockingIOError:
            return None
        except OSError:
            return b""
        return data

    def send(self, data: bytes) -> None:
        """Send whole frames without blocking; disconnect a peer that leaves too much unread."""
        sent = 0 if self.waiting else self._push(data)
        if sent < len(data):
            self._keep(memoryview(data)[sent:])

    def cut(self) -> None:
        """Drop all unsent data and shut the socket down in both directions."""
        self.stop()
        shut_down(self._sock)

    def _push(self, data: bytes | memoryview) -> int:
        try:
            sent: int = raw_socket(self._sock).send(data)
        except BlockingIOError:
            return 0
        except OSError:
            return len(data)  # the peer is gone, which the next read detects
        return sent

    def _keep(self, data: memoryview) -> None:
        # The newest message is not counted: a large one alone, such as a snapshot, is allowed.
        unsent_bytes = sum(map(len, self.waiting))
        self.waiting.append(data)
        if len(self.waiting) > MAX_UNSENT_MESSAGES or unsent_bytes > MAX_UNSENT_BYTES:
            self.cut()
        elif self._can_send is None:
            self._can_send = gevent.get_hub().loop.io(self._sock.fileno(), _WRITABLE)
            self._can_send.start(self._drain)

    def _drain(self) -> None:
        while self.waiting:
            first = self.waiting.pop(0)
            sent = self._push(first)
            if sent < len(first):
                self.waiting.insert(0, first[sent:])
                return
        self.stop()

    def stop(self) -> None:
        """Drop all unsent data and stop waiting until the socket is writable."""
        self.waiting.clear()
        if self._can_send is not None:
            self._can_send.stop()
            self._can_send.close()
            self._can_send = None


class WebSocketConnection:
    """A WebSocket connection, which is also the packet queue of its Engine.IO socket, `peer`.

    It calls `run_later` with a function that removes it, once the client has left.
    """

    def __init__(self, run_later: RunLater, handler: Any, engine: Any) -> None:
        self.peer = handler.__self__
        self._run_later = run_later
        self._engine = engine
        self._reader = FrameReader()
        self._inbox: list[str] = []
        self._queued: list[bytes] = []
        self._has_ended = self._is_busy = self._is_called = False

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Complete the handshake and take the connection over from the HTTP server."""
        answer = framing.handshake_response(environ)
        if not answer:
            self.peer.close(wait=False, abort=True)
            start_response("400 Bad Request", [])
            return []
        handler = environ[HANDLER]
        sock, self._leave = handler.detach()
        # The environ lives as long as the connection.
        for name in environ.keys() - _KEPT:
            del environ[name]
        environ[WIRE] = self
        self._environ = environ
        self.send_buffer = SendBuffer(sock)
        self.send_buffer.send(answer)
        self.peer.connected = self.peer.upgraded = True
        early, self.peer.queue = self.peer.queue, self
        while not early.empty():
            self.put(early.get())
        loop = gevent.get_hub().loop
        # A client that does not complete the Socket.IO handshake in time is disconnected.
        self._alarm = loop.timer(handler.server.settings.answer_seconds)
        self._alarm.start(self.send_buffer.cut)
        self._reading = loop.io(sock.fileno(), _READABLE)
        self._reading.start(self._on_readable)
        self._pinging = loop.timer(0, repeat=PING_SECONDS)
        self._pinging.again(self._ping)
        return []

    def handshake_done(self) -> None:
        """Cancel the handshake timeout and drop the cookie: the client is authenticated."""
        self._environ.pop(_COOKIE, None)
        if self._alarm is not None:
            self._alarm.stop()
            self._alarm.close()
            self._alarm = None

    # --- out ---------------------------------------------------------------------------------

    def send(self, frames: bytes) -> None:
        """Send frames at once, preceded by any that are queued, so that order is preserved."""
        if self._queued:
            self._queued.append(frames)
            frames = b"".join(self._queued)
            self._queued.clear()
        self.send_buffer.send(frames)

    def put(self, packet: Any) -> None:
        """Send a packet of Engine.IO, or close the connection if the packet is None."""
        if packet is None:
            self.close()
        else:
            self.send(framing.text_frame(packet.encode()))

    def join(self) -> None:
        """Do nothing: Engine.IO waits here until its packets are sent, which they are."""

    def enqueue(self, frames: bytes) -> None:
        """Queue frames for the next flush, or for the next direct send if that is earlier."""
        self._queued.append(frames)

    def needs_flush(self) -> bool:
        """Return True if a flush must be scheduled, and mark it as scheduled."""
        if self._is_called or not self._queued:
            return False
        self._is_called = True
        return True

    def flush(self) -> None:
        """Send the queued frames."""
        self._is_called = False
        if self._queued:
            self.send(b"")

    def _ping(self) -> None:
        """Send a ping; the Engine.IO server closes the connection if the pong is late."""
        self._pinging.stop()  # until the pong
        self.peer.last_ping = time.time()
        self.send(_PING)

    def close(self) -> None:
        """Send a close frame and disconnect, without waiting for the peer's close frame."""
        self._end(CloseReason.NORMAL_CLOSURE)

    def _end(self, why: CloseReason) -> None:
        if not self._has_ended:
            self._has_ended = True
            self.send(bytes(self._reader.frames.close(why)))
            # This makes the socket readable, so `_on_readable` releases the connection.
            self.send_buffer.cut()

    # --- in ----------------------------------------------------------------------------------

    def _on_readable(self) -> None:
        """Read and dispatch messages. Must not block: the event loop calls it directly."""
        data = self.send_buffer.read()
        if data is None:
            return
        if not data:
            self._on_end()
        elif not self._has_ended:
            try:
                for kind, payload in self._reader.read(data):
                    self._handle(kind, payload)
            except ParseFailed as error:
                self._end(error.code)
        # The running greenlet empties the inbox and, if the peer is gone, queues `_finish`.
        if self._is_busy:
            return
        if self._inbox:
            self._is_busy = True
            gevent.spawn(self._answer_all)
        elif not data:
            self._run_later(self._finish)

    def _handle(self, kind: Opcode, payload: str | bytes) -> None:
        """Queue a message or answer a control frame; disconnect a peer whose inbox is full."""
        if self._has_ended or kind == Opcode.PONG:
            return
        if isinstance(payload, str):
            self._inbox.append(payload)
            if len(self._inbox) > MAX_UNANSWERED:
                self._end(CloseReason.NORMAL_CLOSURE)
        elif kind == Opcode.PING:
            self.send_buffer.send(bytes(self._reader.frames.pong(payload)))
        else:  # a close frame, or bytes
            self._end(CloseReason.NORMAL_CLOSURE)

    def _answer_all(self) -> None:
        try:
            # Also what was received before the connection ended, unless Engine.IO closed it.
            while self._inbox and not self.peer.closed:
                self._answer(self._inbox.pop(0))
            # werkzeug caches its request in the environ, which outlives the message.
            self._environ.pop(_LAST_REQUEST, None)
        finally:
            self._is_busy = False
            if self._leave is None:
                self._run_later(self._finish)

    def _answer(self, message: str) -> None:
        if not is_acceptable(message):
            self.close()
        elif message == _ALIVE:
            if self.peer.last_ping:
                self.peer.last_ping = None
                self._pinging.again(self._ping)
        else:
            try:
                self.peer.receive(Packet(encoded_packet=message))
            except Exception:
                log.exception("a message could not be processed")
                self.close()

    def _on_end(self) -> None:
        """Close a connection that has ended; its disconnect handler is queued separately."""
        self._has_ended = True
        self.handshake_done()
        self._reading.stop()
        self._pinging.stop()
        self.send_buffer.stop()
        # Free the connection's slot first: disconnect handlers may be queued behind many others.
        leave, self._leave = self._leave, None
        leave()

    def _finish(self) -> None:
        self._pinging.close()
        self._reading.close()
        self.peer.close(wait=False, abort=True, reason=self._engine.reason.TRANSPORT_CLOSE)
        self._engine.sockets.pop(self.peer.sid, None)
        self._environ.clear()
        self.peer.queue = None  # else it would keep this connection in memory


def is_acceptable(message: str) -> bool:
    """Return True for a heartbeat or a well-formed event.

    Without this check, python-socketio would log a traceback for each message that is truncated,
    deeply nested or has a number of thousands of digits. It would treat an event named connect as a
    new connection, and would call the catch-all handler for one named *.
    """
    if message in _NO_EVENTS:
        return True
    match = _EVENT.fullmatch(message)
    if match is None or message.count("[") + message.count("{") > _MAX_NESTING:
        return False
    try:
        value = json.loads(match[1])
    except ValueError:
        return False
    return bool(value) and isinstance(value[0], str) and value[0] not in _RESERVED
