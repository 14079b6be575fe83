"""A crowd of spectators in a process of its own: it notes when each frame reached each of them.

`python -m bench._crowd HOST PORT[,PORT …] PEOPLE STAMPS [TABLE …]`: people spread over the ports;
without a table the other side speaks no Socket.IO. It says `there` when all have come; at a line on
standard input it begins to count, at the next it stops and says what it counted: the file STAMPS
knows when each message was due.
"""

import gc
import json
import select
import sys
import time
from array import array
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from bench._sockets import ENGINE_PING, ENGINE_PONG, SOCKET_IO, Line, raise_limit

EVENT = b'42["event",'
MESSAGE = b"42["
"""How every message of ours begins; one that is no event is due at no time of its own."""
READY_AT_ONCE = 4096


def arrived(address: tuple[str, int], tables: list[str]) -> Line:
    """Somebody at the tables."""
    line = Line(address, SOCKET_IO if tables else "/")
    if tables:
        line.greet()
    for table in tables:
        answer = line.ask("join", {"table": table})
        assert answer["ok"], answer
    line.sock.setblocking(False)
    return line


class Crowd:
    """All lines, and when what came."""

    def __init__(self) -> None:
        self.heard: dict[bytes, array[int]] = {}
        self.lost = 0
        self._lines: dict[int, Line] = {}
        self._poll = select.epoll()

    def welcome(self, line: Line) -> None:
        """One more; meanwhile the others listen."""
        number = line.sock.fileno()
        self._lines[number] = line
        self._poll.register(number, select.EPOLLIN)
        self._hear_all(0)

    def listen(self) -> None:
        """Hear everything until a line comes on standard input."""
        self._poll.register(sys.stdin.fileno(), select.EPOLLIN)
        while not self._hear_all(-1):
            pass
        sys.stdin.readline()
        self._poll.unregister(sys.stdin.fileno())

    def _hear_all(self, seconds: float) -> bool:
        """Take what has come for anybody; whether standard input was among it."""
        called = False
        for number, _ in self._poll.poll(seconds, READY_AT_ONCE):
            if number == sys.stdin.fileno():
                called = True
            else:
                self._hear(number)
        return called

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


class Reached(NamedTuple):
    """A message that reached everybody: its size, when it was due, or 0, and when it came."""

    size: int
    due: int
    times: "array[int]"


def reached(crowd: Crowd, stamps: Path, people: int) -> list[Reached]:
    """The messages that reached everybody."""
    due, found = due_times(stamps), []
    for payload, times in crowd.heard.items():
        if len(times) != people:
            continue
        at = 0
        if payload.startswith(EVENT) or not payload.startswith(MESSAGE):
            said = json.loads(payload[len(EVENT) : -1] if payload.startswith(EVENT) else payload)
            at = due.get((said["table"], said["version"]), 0)
        found.append(Reached(len(payload), at, times))
    return found


def trace(messages: list[Reached]) -> list[tuple[int, int, bool]]:
    """When each was to be sent, after the first; its size; whether it counts.

    What is no event is due at no time of its own: it was to be sent when the first had it.
    """
    found = sorted((one.due or min(one.times), one.size, one.due > 0) for one in messages)
    return [(at - found[0][0], size, is_counted) for at, size, is_counted in found]


def counted(messages: list[Reached]) -> dict[str, Any]:
    """What the messages came to that were due at a time of their own."""
    events = [one for one in messages if one.due]
    delays = sorted(time - one.due for one in events for time in one.times)
    return {
        "sent": len(messages),
        "messages": len(events),
        "mean_bytes": sum(one.size for one in events) / len(events),
        "last_ms": median(max(one.times) - one.due for one in events) / 1e6,
        "median_ms": delays[len(delays) // 2] / 1e6,
        "p99_ms": delays[len(delays) * 99 // 100] / 1e6,
        "worst_ms": delays[-1] / 1e6,
        "trace": trace(messages),
    }


def main(host: str, port: str, people: str, stamps: str, *tables: str) -> None:
    """Come, hear, count."""
    raise_limit()
    gc.disable()
    crowd = Crowd()
    ports = [int(one) for one in port.split(",")]
    for number in range(int(people)):
        crowd.welcome(arrived((host, ports[number % len(ports)]), list(tables)))
    print("there", flush=True)
    crowd.listen()
    crowd.heard.clear()
    crowd.listen()
    messages = reached(crowd, Path(stamps), int(people))
    if not any(one.due for one in messages):
        raise SystemExit(f"no message reached all; {crowd.lost} people were lost")
    print(json.dumps({"lost": crowd.lost, **counted(messages)}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
