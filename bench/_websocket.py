"""A cheap Socket.IO client: a blocking socket with just enough framing to open thousands."""

import json
import socket
import struct
from collections.abc import Iterator
from typing import Any

UPGRADE = (
    "GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n{headers}\r\n"
)
SOCKET_IO = "/socket.io/?EIO=4&transport=websocket"
TEXT, PING, PONG = 0x81, 0x89, 0x8A
ENGINE_PING, ENGINE_PONG = b"2", "3"
TIMEOUT_SECONDS = 60


class WebSocket:
    """A WebSocket connection, which may speak Socket.IO."""

    def __init__(
        self, address: tuple[str, int], path: str = SOCKET_IO, headers: str = "", buffer: int = 0
    ) -> None:
        self.sock = socket.socket()
        self.sock.settimeout(TIMEOUT_SECONDS)
        if buffer:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.sock.connect(address)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._rest = b""
        self._calls = 0
        host, port = address
        upgrade = UPGRADE.format(path=path, host=host, port=port, headers=headers)
        self.sock.sendall(upgrade.encode())
        while b"\r\n\r\n" not in self._rest:
            self._rest += self._receive_bytes()
        head, self._rest = self._rest.split(b"\r\n\r\n", 1)
        if b" 101 " not in head:
            raise OSError(head.decode())

    def parse(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield the complete frames so far, as kind and payload."""
        rest, at = self._rest + data if self._rest else data, 0
        while len(rest) - at >= 2:
            size, begin = rest[at + 1], at + 2
            if size >= 126 and len(rest) - at < 10:
                break
            if size == 126:
                size, begin = int.from_bytes(rest[at + 2 : at + 4]), at + 4
            elif size == 127:
                size, begin = int.from_bytes(rest[at + 2 : at + 10]), at + 10
            if len(rest) < begin + size:
                break
            yield rest[at], rest[begin : begin + size]
            at = begin + size
        self._rest = rest[at:]

    def receive(self) -> list[tuple[int, bytes]]:
        """Wait for at least one frame; answer the server's pings."""
        frames = list(self.parse(b""))
        while not frames:
            frames = list(self.parse(self._receive_bytes()))
        for _, payload in frames:
            if payload == ENGINE_PING:
                self.send(ENGINE_PONG)
        return frames

    def send(self, text: str) -> None:
        """Send a text message, masked with zeros."""
        self._send_frame(TEXT, text.encode())

    def ping(self) -> None:
        self._send_frame(PING, b"")
        while all(kind != PONG for kind, _ in self.receive()):
            pass

    def open_session(self) -> None:
        self._receive_message(b"0{")
        self.send("40")
        self._receive_message(b"40{")

    def call(self, message: str, payload: dict[str, Any]) -> dict[str, Any]:
        self._calls += 1
        self.send(f"42{self._calls}{json.dumps([message, payload])}")
        prefix = f"43{self._calls}[".encode()
        answer: dict[str, Any] = json.loads(self._receive_message(prefix)[len(prefix) - 1 :])[0]
        return answer

    def _send_frame(self, kind: int, payload: bytes) -> None:
        size = len(payload)
        if size < 126:
            head = struct.pack("!BB4x", kind, 0x80 | size)
        else:
            head = struct.pack("!BBH4x", kind, 0x80 | 126, size)
        self.sock.sendall(head + payload)

    def _receive_message(self, prefix: bytes) -> bytes:
        while True:
            for _, payload in self.receive():
                if payload.startswith(prefix):
                    return payload

    def _receive_bytes(self) -> bytes:
        data = self.sock.recv(1 << 16)
        if not data:
            raise OSError("the server has closed the connection")
        return data
