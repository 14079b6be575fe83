"""Crowds of spectators, in as many processes as their descriptors need.

`python -m bench._spectators HOST PORT[,PORT …] PEOPLE FILE [TABLE …]` is one process. Its people
are spread over the ports; without a table the server speaks no Socket.IO. It prints `ready` when
all are connected. It begins to record at a line on its standard input; at the next line it writes
when each frame reached each spectator to the file, and prints how many connections were lost.

All processes of a machine have the same monotonic clock, so their records can be joined.
"""

import gc
import json
import pickle
import select
import sys
import time
from array import array
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import click

from bench._process import Process, raise_file_limit
from bench._websocket import ENGINE_PING, ENGINE_PONG, SOCKET_IO, WebSocket

EVENT = b'42["event",'
MESSAGE = b"42["  # how every Socket.IO message begins
MAX_PEOPLE = 12_500  # in one process, of spectators or of a bare broadcaster
MAX_POLLED = 4096

Due = Mapping[tuple[str, int], int]
"""When a message of a table, by its version, was due."""

Received = dict[bytes, "array[int]"]
"""When each payload reached each spectator, in nanoseconds."""


class Crowd:
    """The connections of one process, and when each payload reached them."""

    def __init__(self) -> None:
        self.received: Received = {}
        self.lost = 0
        self._sockets: dict[int, WebSocket] = {}
        self._poll = select.epoll()

    def connect(self, address: tuple[str, int], tables: list[str]) -> None:
        """Add a spectator at the tables; meanwhile the others receive."""
        client = WebSocket(address, SOCKET_IO if tables else "/")
        if tables:
            client.open_session()
        for table in tables:
            answer = client.call("join", {"table": table})
            assert answer["ok"], answer
        client.sock.setblocking(False)
        number = client.sock.fileno()
        self._sockets[number] = client
        self._poll.register(number, select.EPOLLIN)
        self._receive(0)

    def receive_until_line(self) -> None:
        self._poll.register(sys.stdin.fileno(), select.EPOLLIN)
        while not self._receive(-1):
            pass
        sys.stdin.readline()
        self._poll.unregister(sys.stdin.fileno())

    def _receive(self, seconds: float) -> bool:
        """Read every socket that is ready; return True if standard input is, too."""
        has_line = False
        for number, _ in self._poll.poll(seconds, MAX_POLLED):
            if number == sys.stdin.fileno():
                has_line = True
            else:
                self._read(number)
        return has_line

    def _read(self, number: int) -> None:
        client = self._sockets[number]
        try:
            data = client.sock.recv(1 << 16)
        except OSError:
            data = b""
        now = time.monotonic_ns()
        if not data:
            self.lost += 1
            self._poll.unregister(number)
        for _, payload in client.parse(data):
            if payload == ENGINE_PING:
                client.send(ENGINE_PONG)
            else:
                self.received.setdefault(payload, array("q")).append(now)


class Delivery(NamedTuple):
    """A message that reached every spectator; `due` is 0 if it had no time of its own."""

    size: int
    due: int
    times: "array[int]"


class Spectators:
    """The processes of all spectators, each with the file of its record."""

    def __init__(self, people: int, files: dict[Process, Path]) -> None:
        self._people = people
        self._files = files

    def switch(self) -> None:
        """Make all begin to record, or stop."""
        for process in self._files:
            process.write_line()

    def results(self, due: Due) -> dict[str, Any]:
        """Return the delays of all messages, once the processes have stopped recording."""
        lost = sum(int(process.read_line()) for process in self._files)
        received: Received = {}
        for path in self._files.values():
            for payload, times in pickle.loads(path.read_bytes()).items():
                received.setdefault(payload, array("q")).extend(times)
        deliveries = [
            Delivery(len(payload), due_time(payload, due), times)
            for payload, times in received.items()
            if len(times) == self._people
        ]
        if not any(delivery.due for delivery in deliveries):
            raise click.ClickException(
                f"no message reached every spectator, and {lost} connections were lost: "
                "measure fewer --people or for more --seconds"
            )
        return {"lost": lost, **summary(deliveries)}


def processes_for(people: int) -> int:
    return -(-people // MAX_PEOPLE)


@contextmanager
def spectators(
    host: str, ports: list[int], people: int, folder: Path, *tables: str
) -> Iterator[Spectators]:
    files: dict[Process, Path] = {}
    parts = processes_for(people)
    with ExitStack() as stack:
        for part in range(parts):
            path, share = folder / f"received.{part}", people // parts + (part < people % parts)
            joined = ",".join(map(str, ports))
            process = Process("bench._spectators", host, joined, share, path, *tables)
            stack.callback(process.terminate)
            files[process] = path
        for process in files:
            process.read_line()
        yield Spectators(people, files)


def read_due_times(stamps: Path) -> Due:
    """Read the file of `bench._stamped_casino`."""
    rows = (line.split() for line in stamps.read_text().splitlines())
    return {(table, int(version)): int(at) for table, version, at in rows}


def due_time(payload: bytes, due: Due) -> int:
    """Return when an event was due; 0 for a message that is no event."""
    if payload.startswith(EVENT):
        event = json.loads(payload[len(EVENT) : -1])
    elif payload.startswith(MESSAGE):
        return 0
    else:
        event = json.loads(payload)
    return due.get((event["table"], event["version"]), 0)


def summary(deliveries: list[Delivery]) -> dict[str, Any]:
    """Return figures of the messages that had a time of their own, and the trace of all.

    The trace lists when to send each message, after the first, its size, and whether it counts.
    One without a time of its own is sent when its first receiver had it.
    """
    events = [delivery for delivery in deliveries if delivery.due]
    delays = sorted(time - event.due for event in events for time in event.times)
    sent = sorted((each.due or min(each.times), each.size, each.due > 0) for each in deliveries)
    return {
        "sent": len(deliveries),
        "messages": len(events),
        "mean_bytes": sum(event.size for event in events) / len(events),
        "last_ms": median(max(event.times) - event.due for event in events) / 1e6,
        "median_ms": delays[len(delays) // 2] / 1e6,
        "p99_ms": delays[len(delays) * 99 // 100] / 1e6,
        "max_ms": delays[-1] / 1e6,
        "trace": [(at - sent[0][0], size, counts) for at, size, counts in sent],
    }


def main(host: str, ports: str, people: str, file: str, *tables: str) -> None:
    raise_file_limit()
    gc.disable()
    crowd = Crowd()
    addresses = [(host, int(port)) for port in ports.split(",")]
    for number in range(int(people)):
        crowd.connect(addresses[number % len(addresses)], list(tables))
    print("ready", flush=True)
    crowd.receive_until_line()
    crowd.received.clear()
    crowd.receive_until_line()
    Path(file).write_bytes(pickle.dumps(crowd.received))
    print(crowd.lost, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
