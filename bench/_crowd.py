"""A crowd of spectators in a process of its own: it notes when each frame reached each of them.

`python -m bench._crowd HOST PORT PEOPLE STAMPS [TABLE …]`; without a table the other side speaks
no Socket.IO. It says `there` when all have come; at a line on standard input it begins to count,
at the next it stops and says what it counted: the file STAMPS knows when each message was due.
"""

import gc
import json
import select
import sys
import time
from array import array
from pathlib import Path
from statistics import median
from typing import Any

from bench._sockets import ENGINE_PING, ENGINE_PONG, SOCKET_IO, Line, raise_limit

EVENT = b'42["event",'
READY_AT_ONCE = 4096


def come(address: tuple[str, int], people: int, tables: list[str]) -> list[Line]:
    """Everybody, at the tables."""
    lines = []
    for _ in range(people):
        line = Line(address, SOCKET_IO if tables else "/")
        if tables:
            line.greet()
        for table in tables:
            answer = line.ask("join", {"table": table})
            assert answer["ok"], answer
        lines.append(line)
    return lines


class Crowd:
    """All lines, and when what came."""

    def __init__(self, lines: list[Line]) -> None:
        self.heard: dict[bytes, array[int]] = {}
        self.lost = 0
        self._lines = {line.sock.fileno(): line for line in lines}
        self._poll = select.epoll()
        for number, line in self._lines.items():
            line.sock.setblocking(False)
            self._poll.register(number, select.EPOLLIN)
        self._poll.register(sys.stdin.fileno(), select.EPOLLIN)

    def listen(self) -> None:
        """Hear everything until a line comes on standard input."""
        while True:
            for number, _ in self._poll.poll(maxevents=READY_AT_ONCE):
                if number == sys.stdin.fileno():
                    sys.stdin.readline()
                    return
                self._hear(number)

    def _hear(self, number: int) -> None:
        """Take what has come for one."""
        line = self._lines[number]
        try:
            data = line.sock.recv(1 << 16)
        except OSError:
            data = b""
        now = time.monotonic_ns()
        if not data:
            self.lost += 1
            self._poll.unregister(number)
        for _, payload in line.frames(data):
            if payload == ENGINE_PING:
                line.say(ENGINE_PONG)
            else:
                self.heard.setdefault(payload, array("q")).append(now)


def due_times(stamps: Path) -> dict[tuple[str, int], int]:
    """When each message of a table was due."""
    found = {}
    for line in stamps.read_text().splitlines():
        table, version, at = line.split()
        found[table, int(version)] = int(at)
    return found


def counted(crowd: Crowd, stamps: Path, people: int) -> dict[str, Any]:
    """What the messages came to that reached everybody."""
    due, lasts, delays, whole, sizes = due_times(stamps), [], array("q"), 0, 0
    for payload, times in crowd.heard.items():
        said = json.loads(payload[len(EVENT) : -1] if payload.startswith(EVENT) else payload)
        at = due.get((said["table"], said["version"]), 0)
        if len(times) == people and at:
            whole += 1
            sizes += len(payload)
            lasts.append(max(times) - at)
            delays.extend(time - at for time in times)
    ordered = sorted(delays)
    return {
        "people": people,
        "lost": crowd.lost,
        "messages": whole,
        "mean_bytes": sizes / whole,
        "last_ms": median(lasts) / 1e6,
        "median_ms": ordered[len(ordered) // 2] / 1e6,
        "p99_ms": ordered[len(ordered) * 99 // 100] / 1e6,
        "worst_ms": ordered[-1] / 1e6,
    }


def main(host: str, port: str, people: str, stamps: str, *tables: str) -> None:
    """Come, hear, count."""
    raise_limit()
    gc.disable()
    lines = come((host, int(port)), int(people), list(tables))
    crowd = Crowd(lines)
    print("there", flush=True)
    crowd.listen()
    crowd.heard.clear()
    crowd.listen()
    print(json.dumps(counted(crowd, Path(stamps), int(people))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
