"""Send buffer of a connection, bounded so that a peer that does not read cannot fill memory."""

from __future__ import annotations

import socket
from typing import Any, Final

import gevent

from casino.web.server.wsgi import shut_down
from casino.web.websocket.private_api import raw_socket

MAX_UNSENT_MESSAGES: Final = 256
MAX_UNSENT_BYTES: Final = 256 * 1024

_CHUNK: Final = 4096
_SEND_BUFFER: Final = 64 * 1024
_WRITABLE: Final = 2


class SendBuffer:
    """Writes frames to a socket at once, or queues them while the socket is not writable."""

    __slots__ = ("_bytes", "_can_send", "_sock", "waiting")

    def __init__(self, sock: Any) -> None:
        self.waiting: list[memoryview] = []
        self._bytes = 0
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
        self.waiting.append(data)
        self._bytes += len(data)
        # The newest message is not counted: a large one alone, such as a snapshot, is allowed.
        if len(self.waiting) > MAX_UNSENT_MESSAGES or self._bytes - len(data) > MAX_UNSENT_BYTES:
            self.cut()
        elif self._can_send is None:
            self._can_send = gevent.get_hub().loop.io(self._sock.fileno(), _WRITABLE)
            self._can_send.start(self._drain)

    def _drain(self) -> None:
        while self.waiting:
            first = self.waiting.pop(0)
            sent = self._push(first)
            self._bytes -= sent
            if sent < len(first):
                self.waiting.insert(0, first[sent:])
                return
        self.stop()

    def stop(self) -> None:
        """Drop all unsent data and stop waiting until the socket is writable."""
        self.waiting.clear()
        self._bytes = 0
        if self._can_send is not None:
            self._can_send.stop()
            self._can_send.close()
            self._can_send = None
