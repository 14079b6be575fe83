"""In-memory Redis that delays, fails after acting, restarts, and loses its data."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import itemgetter
from random import Random
from typing import Any

import gevent
from gevent.event import Event
from redis.exceptions import ConnectionError as RedisConnectionError

Entry = tuple[bytes, dict[bytes, bytes]]
Place = tuple[int, int]


class RedisServer:
    """The server; `clock` gives its time in milliseconds."""

    def __init__(self, rng: Random, clock: Callable[[], int]) -> None:
        self.rng = rng
        self.clock = clock
        self.is_up = True
        self.loss = 0.0
        self._wipe()

    def _wipe(self) -> None:
        self.streams: dict[bytes, list[tuple[Place, Entry]]] = {}
        self.last: Place = (0, 0)
        self.values: dict[str, tuple[bytes, int]] = {}
        self.news = Event()

    def restart(self, seconds: float, *, forgets: bool) -> None:
        """Be away for a while."""
        self.is_up = False
        self.news.set()
        if forgets:
            self._wipe()
        gevent.get_hub().loop.after(seconds, lambda: setattr(self, "is_up", True))

    @contextmanager
    def operation(self) -> Iterator[None]:
        """One exchange with the server: it takes time, and its answer may be lost."""
        gevent.sleep(self.rng.expovariate(1000))
        if not self.is_up or self.rng.random() < self.loss / 2:
            raise RedisConnectionError("simulated: refused")
        yield
        if self.rng.random() < self.loss:
            raise RedisConnectionError("simulated: the answer was lost")

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
        self.news.set()
        self.news = Event()


def _place(entry: bytes) -> Place:
    at, number = entry.split(b"-")
    return int(at), int(number)


def _after(entries: list[tuple[Place, Entry]], position: bytes) -> list[Entry]:
    start = bisect_right(entries, _place(position), key=itemgetter(0))
    return [entry for _, entry in entries[start:]]


class RedisClient:
    """A connection, as far as the casino uses one."""

    def __init__(self, server: RedisServer) -> None:
        self._server = server

    def time(self) -> tuple[int, int]:
        with self._server.operation():
            return divmod(self._server.clock(), 1000)

    def get(self, key: str) -> bytes | None:
        with self._server.operation():
            return self._server.value(key)

    def set(self, key: str, value: bytes, nx: bool, px: int) -> None:
        with self._server.operation():
            if self._server.value(key) is None:
                self._server.values[key] = value, self._server.clock() + px

    def expire(self, key: str, seconds: int) -> None:
        with self._server.operation():
            value = self._server.value(key)
            if value is not None:
                self._server.values[key] = value, self._server.clock() + 1000 * seconds

    def xread(self, last: dict[bytes, bytes], block: int) -> list[tuple[bytes, list[Entry]]]:
        with self._server.operation():
            read = self._after(last)
            if not read:
                self._server.news.wait(block / 1000)
                if not self._server.is_up:
                    raise RedisConnectionError("simulated: closed")
                read = self._after(last)
            return read

    def _after(self, last: dict[bytes, bytes]) -> list[tuple[bytes, list[Entry]]]:
        found = []
        for stream, position in last.items():
            entries = _after(self._server.streams.get(stream, []), position)
            if entries:
                found.append((stream, entries))
        return found

    def xrevrange(self, stream: bytes, count: int) -> list[Entry]:
        with self._server.operation():
            return [entry for _, entry in self._server.streams.get(stream, [])[-count:]]

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
        with self._server.operation():
            done = len(self._commands)
            if self._server.rng.random() < self._server.loss:
                done = self._server.rng.randrange(done + 1)
            for command in self._commands[:done]:
                command()
            if done < len(self._commands):
                raise RedisConnectionError("simulated: broken in the middle")
