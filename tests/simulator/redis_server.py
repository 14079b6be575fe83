"""In-memory Redis that delays, fails after acting, restarts, and loses its data."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable
from random import Random
from typing import Any, TypeVar

import gevent
from gevent.event import Event
from redis.exceptions import ConnectionError as RedisConnectionError

T = TypeVar("T")
Entry = tuple[bytes, dict[bytes, bytes]]
Place = tuple[int, int]


class RedisServer:
    """The server; `clock` gives its time in milliseconds."""

    def __init__(self, rng: Random, clock: Callable[[], int]) -> None:
        self.rng = rng
        self.clock = clock
        self.is_up = True
        self.loss = 0.0
        self._news: defaultdict[bytes, list[Event]] = defaultdict(list)
        self._wipe()

    def _wipe(self) -> None:
        self.streams: dict[bytes, list[tuple[Place, Entry]]] = {}
        self.last: Place = (0, 0)
        self.values: dict[str, tuple[bytes, int]] = {}

    def restart(self, seconds: float, *, forgets: bool) -> None:
        """Be away for a while."""
        self.is_up = False
        for event in itertools.chain(*self._news.values()):
            event.set()
        if forgets:
            self._wipe()
        gevent.get_hub().loop.after(seconds, lambda: setattr(self, "is_up", True))

    def ask(self, work: Callable[[], T]) -> T:
        """Make one exchange with the server: it may take time, and its answer may be lost."""
        if self.rng.random() < 0.25:
            gevent.sleep(self.rng.expovariate(250))
        if not self.is_up or (self.loss and self.rng.random() < self.loss / 2):
            raise RedisConnectionError("simulated: refused")
        answer = work()
        if self.loss and self.rng.random() < self.loss:
            raise RedisConnectionError("simulated: the answer was lost")
        return answer

    def value(self, key: str) -> bytes | None:
        """Return the value of a key that has not expired."""
        value, until = self.values.get(key, (None, 0))
        return value if until > self.clock() else None

    def add(self, stream: bytes, fields: dict[bytes, bytes], most: int) -> None:
        at = max(self.clock(), self.last[0])
        self.last = (at, self.last[1] + 1 if at == self.last[0] else 0)
        entries = self.streams.setdefault(stream, [])
        entries.append((self.last, (b"%d-%d" % self.last, fields)))
        del entries[:-most]
        for event in self._news[stream]:
            event.set()

    def read(self, last: dict[bytes, bytes]) -> list[tuple[bytes, list[Entry]]]:
        found = []
        for stream, position in last.items():
            entries = self.streams.get(stream)
            # Most often nothing is new: compare the ids before they are taken apart.
            if entries and entries[-1][1][0] != position:
                after, start = _place(position), len(entries)
                while start and entries[start - 1][0] > after:
                    start -= 1
                if new := [entry for _, entry in entries[start:]]:
                    found.append((stream, new))
        return found

    def wait(self, last: dict[bytes, bytes], seconds: float) -> None:
        """Wait until something is added to one of the streams."""
        event = Event()
        for stream in last:
            self._news[stream].append(event)
        event.wait(seconds)
        for stream in last:
            self._news[stream].remove(event)


def _place(entry: bytes) -> Place:
    at, _, number = entry.partition(b"-")
    return int(at), int(number)


class RedisClient:
    """A connection, as far as the casino uses one."""

    def __init__(self, server: RedisServer) -> None:
        self._server = server

    def time(self) -> tuple[int, int]:
        return self._server.ask(lambda: divmod(1000 * self._server.clock(), 1_000_000))

    def get(self, key: str) -> bytes | None:
        return self._server.ask(lambda: self._server.value(key))

    def set(self, key: str, value: bytes, nx: bool, px: int) -> None:
        def work() -> None:
            if self._server.value(key) is None:
                self._server.values[key] = value, self._server.clock() + px

        self._server.ask(work)

    def expire(self, key: str, seconds: int) -> None:
        def work() -> None:
            value = self._server.value(key)
            if value is not None:
                self._server.values[key] = value, self._server.clock() + 1000 * seconds

        self._server.ask(work)

    def xread(self, last: dict[bytes, bytes], block: int) -> list[tuple[bytes, list[Entry]]]:
        if self._server.is_up and not self._server.read(last):
            self._server.wait(last, block / 1000)
        return self._server.ask(lambda: self._server.read(last))

    def pipeline(self, transaction: bool) -> Pipeline:
        return Pipeline(self._server)


class Pipeline:
    """Commands sent together; some may be carried out although the client sees an error."""

    def __init__(self, server: RedisServer) -> None:
        self._server = server
        self._commands: list[Callable[[], Any]] = []

    def xdel(self, stream: str, entry: str) -> None:
        def work() -> None:
            entries = self._server.streams.get(stream.encode(), [])
            entries[:] = [kept for kept in entries if kept[0] != _place(entry.encode())]

        self._commands.append(work)

    def xadd(self, stream: str, fields: dict[bytes, bytes], maxlen: int, approximate: bool) -> None:
        self._commands.append(lambda: self._server.add(stream.encode(), fields, maxlen))

    def expire(self, stream: str, seconds: int) -> None:
        """Do nothing: an episode is too short for it."""

    def execute(self) -> None:
        self._server.ask(self._execute)

    def _execute(self) -> None:
        done, rng = len(self._commands), self._server.rng
        if self._server.loss and rng.random() < self._server.loss:
            done = rng.randrange(done + 1)
        for command in self._commands[:done]:
            command()
        if done < len(self._commands):
            raise RedisConnectionError("simulated: broken in the middle")
