"""A crowd of spectators in a process of its own: it notes when each frame reached each of them.

`python -m bench._crowd HOST PORT[,PORT …] PEOPLE HEARD [TABLE …]`: people spread over the ports;
without a table the other side speaks no Socket.IO. It says `there` when all have come; at a line on
standard input it begins to count, at the next it stops, writes what it heard to the file HEARD and
says how many people were lost.
"""

import gc
import pickle
import select
import sys
import time
from array import array
from pathlib import Path

from bench._sockets import ENGINE_PING, ENGINE_PONG, SOCKET_IO, Line, raise_limit

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


def main(host: str, port: str, people: str, heard: str, *tables: str) -> None:
    """Come, hear, tell."""
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
    Path(heard).write_bytes(pickle.dumps(crowd.heard))
    print(crowd.lost, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
