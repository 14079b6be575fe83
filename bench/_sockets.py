"""A cheap Socket.IO client: a blocking socket, and just enough framing to be one of thousands."""

import json
import os
import resource
import socket
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

UPGRADE = (
    "GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n{more}\r\n"
)
SOCKET_IO = "/socket.io/?EIO=4&transport=websocket"
TEXT, PING, PONG = 0x81, 0x89, 0x8A
ENGINE_PING, ENGINE_PONG = b"2", "3"
ESTABLISHED = "01"  # in /proc/net/tcp
TIMEOUT_SECONDS = 60


def framed(kind: int, payload: bytes) -> bytes:
    """A client's frame, masked with zeros."""
    size = len(payload)
    if size < 126:
        return struct.pack("!BB4x", kind, 0x80 | size) + payload
    return struct.pack("!BBH4x", kind, 0x80 | 126, size) + payload


class Line:
    """One WebSocket."""

    def __init__(
        self, address: tuple[str, int], path: str, more: str = "", buffer: int = 0
    ) -> None:
        self.sock = socket.socket()
        self.sock.settimeout(TIMEOUT_SECONDS)
        if buffer:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.sock.connect(address)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._rest = b""
        self._asked = 0
        host, port = address
        self.sock.sendall(UPGRADE.format(path=path, host=host, port=port, more=more).encode())
        while b"\r\n\r\n" not in self._rest:
            self._more()
        head, self._rest = self._rest.split(b"\r\n\r\n", 1)
        if b" 101 " not in head:
            raise OSError(head.decode())

    def frames(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """The whole frames that have come, as kind and payload."""
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
        """The next frames, at least one."""
        found = list(self.frames(b""))
        while not found:
            found = list(self.frames(self._recv()))
        return found

    def say(self, text: str) -> None:
        """Send a message."""
        self.sock.sendall(framed(TEXT, text.encode()))

    def ping(self) -> float:
        """How long the other side takes to answer a ping, in seconds."""
        start = time.monotonic()
        self.sock.sendall(framed(PING, b""))
        answered = False
        while not answered:
            for kind, payload in self.receive():
                answered |= kind == PONG
                if payload == ENGINE_PING:
                    self.say(ENGINE_PONG)
        return time.monotonic() - start

    def greet(self) -> None:
        """Open the Socket.IO session."""
        self._until(b"0{")
        self.say("40")
        self._until(b"40{")

    def ask(self, message: str, payload: dict[str, Any]) -> dict[str, Any]:
        """The acknowledgement of a message."""
        self._asked += 1
        self.say(f"42{self._asked}{json.dumps([message, payload])}")
        start = f"43{self._asked}[".encode()
        answer: dict[str, Any] = json.loads(self._until(start)[len(start) - 1 :])[0]
        return answer

    def _until(self, start: bytes) -> bytes:
        """The next message that begins so; pings are answered."""
        while True:
            found = b""
            for _, payload in self.receive():
                if payload == ENGINE_PING:
                    self.say(ENGINE_PONG)
                elif payload.startswith(start):
                    found = payload
            if found:
                return found

    def _more(self) -> None:
        """Read on."""
        self._rest += self._recv()

    def _recv(self) -> bytes:
        """What comes next."""
        data = self.sock.recv(1 << 16)
        if not data:
            raise OSError("the other side has closed")
        return data


def raise_limit() -> None:
    """Allow this process, and those it starts, as many open files as the machine lets them."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def memory_kib(pid: int, what: str = "VmRSS") -> int:
    """The memory of a process now, or with `VmHWM` the most it has had."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(what))


def forget_peak(pid: int) -> None:
    """Have the most memory of a process counted from now."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")


def cpu_seconds(pid: int) -> float:
    """The processor time a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def connected(port: int) -> set[int]:
    """The ports of those whose connections to a port of this machine stand."""
    found = set()
    for row in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, local, remote, state, *_ = row.split()
        if int(local[-4:], 16) == port and state == ESTABLISHED:
            found.add(int(remote[-4:], 16))
    return found
