"""The WebSocket layer: whole frames out, small frames in, and an end for who does not read.

The limit of a message holds while it arrives, so that a huge one costs nothing; messages are
not deflated, which would cost memory for each person; a peer that leaves more than a few
hundred packets unread, or sends faster than it is answered, is cut off.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable
from typing import Any, Final

import gevent
import gevent.event
import gevent.lock
import gevent.selectors
import simple_websocket
from engineio.async_drivers.gevent import Thread
from gevent.pywsgi import WSGIHandler
from simple_websocket.errors import ConnectionClosed, ConnectionError  # noqa: A004

GREATEST_MESSAGE: Final = 16 * 1024
MOST_UNREAD: Final = 256
MOST_UNANSWERED: Final = 64
WATCH_SECONDS: Final = 0.5

HANDLER: Final = "casino.handler"
_CHUNK: Final = 4096


class Handler(WSGIHandler):  # type: ignore[misc]
    """A connection's handler that a WebSocket can find, to end the connection with itself."""

    def get_environ(self) -> dict[str, Any]:
        """What the application is told of a request."""
        return {**super().get_environ(), HANDLER: self}


class WholeSends:
    """A socket that sends all of a frame before the next."""

    def __init__(self, sock: Any) -> None:
        self._sock = sock
        self._lock = gevent.lock.RLock()
        self.recv: Callable[[int], bytes] = sock.recv

    def send(self, data: bytes) -> int:
        """Send everything, however slowly it is read."""
        with self._lock:
            sent: int = self._sock.send(data)
            if sent < len(data):
                self._sock.sendall(memoryview(data)[sent:])
        return len(data)

    def close(self) -> None:
        """Close."""
        self._sock.close()

    def cut(self) -> None:
        """End the connection under whoever waits for it."""
        try:
            self._sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            return


class Frames(simple_websocket.Server):  # type: ignore[misc]
    """A connection that cuts off a peer who sends too much at once."""

    sock: Any

    def handshake(self) -> None:
        """Answer the upgrade, deflating nothing."""
        self.sock = WholeSends(self.sock)
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
        self._handler = handler
        self.peer = handler.__self__
        self.frames: Frames

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Serve one connection until it ends."""
        environ.pop("HTTP_SEC_WEBSOCKET_EXTENSIONS", None)
        try:
            self.frames = Frames(
                environ,
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
        try:
            answer: Iterable[bytes] = self._handler(self)
        finally:
            self.open.discard(self)
            environ[HANDLER].close_connection = True
        return answer

    def send(self, message: str | bytes) -> None:
        """Send a packet; `OSError` if the peer is gone."""
        try:
            self.frames.send(message)
        except ConnectionClosed:
            raise OSError from None

    def wait(self) -> str | bytes | None:
        """The next packet; None when the peer is gone."""
        try:
            message: str | bytes | None = self.frames.receive()
        except ConnectionClosed:
            return None
        return message

    def close(self) -> None:
        """Say good-bye."""
        if self.frames.connected:
            self.frames.close()

    @property
    def unread(self) -> int:
        """How many packets wait for the peer to read."""
        waiting: int = self.peer.queue.qsize()
        return waiting

    def cut(self) -> None:
        """Drop the peer and what waits for it."""
        self.frames.connected = False
        while not self.peer.queue.empty():
            self.peer.queue.get_nowait()
        self.peer.queue.put(None)
        self.frames.sock.cut()
        self.frames.event.set()


def watch() -> None:
    """Drop, for ever, who does not read."""
    while True:
        gevent.sleep(WATCH_SECONDS)
        for wire in [one for one in Wire.open if one.unread > MOST_UNREAD]:
            wire.cut()
