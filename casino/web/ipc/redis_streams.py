"""Redis streams between the backend and its workers.

`events` holds the backend's messages, the same for all workers. `requests` holds each request of a
worker until it is answered. `answers:WEB` holds the replies to one worker. Redis may crash at any
time and lose everything: unsent entries are sent again, a lost message leaves a gap in the numbers,
and a lost request or reply is one without an answer, which the client repeats.

Reading and writing block, so each has a thread of its own.
"""

from __future__ import annotations

import logging
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, Final, NamedTuple

from casino.errors import ConfigError

PACKAGE: Final = "redis"
EVENTS: Final = "casino:events"
REQUESTS: Final = "casino:requests"
ANSWERS: Final = "casino:answers:"
HOUSE: Final = "casino:house"  # which backend uses this Redis

LEASE_SECONDS: Final = 5
_RENEW_SECONDS: Final = 1.0
HELD: Final = "[scale] redis_url: this casino or a copy of it already uses this Redis: stop it"
ANOTHER: Final = (
    "[scale] redis_url: another casino uses this Redis: choose another database, such as "
    "redis://HOST:6379/1"
)

KEPT: Final = 10_000  # approximate maximum length of a stream

ANSWERS_SECONDS: Final = 60  # a stream of replies expires this long after its last entry

MAX_UNSENT: Final = 20_000  # while Redis is away; beyond that, the oldest are dropped
AT_ONCE: Final = 200
AGAIN_SECONDS: Final = 0.1
_BLOCK_MS: Final = 1_000
_TIMEOUT_SECONDS: Final = 5
_FIELD: Final = b"m"

log = logging.getLogger(__name__)


class StreamEntry(NamedTuple):
    """An entry read from a stream."""

    stream: str
    id: str
    body: bytes


class PendingEntry(NamedTuple):
    """A pending change: delete entry `id` if it is set, else add `body` unless `until` is past."""

    stream: str
    body: bytes = b""
    id: str = ""
    until: float = float("inf")


def create_client(url: str) -> Any:
    """Return a client for a Redis URL; it connects on first use."""
    redis: Any = import_module(PACKAGE)  # it is an extra
    try:
        return redis.Redis.from_url(
            url, socket_timeout=_TIMEOUT_SECONDS, socket_connect_timeout=_TIMEOUT_SECONDS
        )
    except ValueError:
        raise ConfigError(f"{url!r} is not a Redis address: try redis://HOST:6379") from None


def redis_errors() -> type[Exception]:
    """Return the base class of the client's exceptions."""
    error_type: type[Exception] = import_module(PACKAGE).RedisError
    return error_type


class Lease:
    """Lease that lets one backend at a time use a Redis: a key that names its holder and expires.

    The token differs in each process, so that a copy of a casino, which has the same signing key,
    counts as another holder. A holder that was suspended for longer than its lease detects its
    successor before it handles another request.
    """

    def __init__(self, redis: Any, origin: bytes, token: bytes) -> None:
        self._redis = redis
        self._origin = origin
        self._value = origin + b" " + token
        self._renewed = float("-inf")

    def claim(self, sleep: Callable[[float], None] = time.sleep) -> None:
        """Take the lease; wait for Redis, and for the lease of a killed backend to expire.

        Raises:
            ConfigError: Another running backend holds the lease.

        """
        waited, is_away = 0.0, False
        while True:
            try:
                if self.renew():
                    return
                holder = self._redis.get(HOUSE) or self._value
            except (redis_errors(), OSError) as error:
                if not is_away:
                    log.warning("Redis: %s: waiting for it", error)
                is_away, waited = True, 0.0
            else:
                if holder.rpartition(b" ")[0] != self._origin:
                    raise ConfigError(ANOTHER)
                if waited > LEASE_SECONDS + 2 * _RENEW_SECONDS:
                    raise ConfigError(HELD)
            sleep(AGAIN_SECONDS)
            waited += AGAIN_SECONDS

    def renew(self) -> bool:
        """Take or extend the lease; return False if another backend holds it."""
        while (holder := self._redis.get(HOUSE)) is None:
            self._redis.set(HOUSE, self._value, nx=True, px=1000 * LEASE_SECONDS)
        if holder == self._value:
            self._redis.expire(HOUSE, LEASE_SECONDS)
            self._renewed = time.monotonic()
            # The lease may have expired before it was extended, and another backend taken it.
            holder = self._redis.get(HOUSE)
        return self.renew() if holder is None else bool(holder == self._value)

    def check(self) -> None:
        """Renew the lease at most once a second; raise `ConfigError` if it is lost."""
        if time.monotonic() - self._renewed >= _RENEW_SECONDS and not self.renew():
            raise ConfigError(HELD)

    def release(self) -> None:
        """Release the lease, so that the next backend need not wait; ignore Redis errors."""
        with suppress(redis_errors(), OSError):
            if self._redis.get(HOUSE) == self._value:
                self._redis.expire(HOUSE, 0)


class _RedisThread(threading.Thread, ABC):
    """A thread that repeats `_turn` until it is closed, with a pause after each Redis error."""

    def __init__(self, url: str, name: str) -> None:
        super().__init__(name=name, daemon=True)
        self._redis = create_client(url)
        self._errors = redis_errors(), OSError
        self._closing = threading.Event()
        self._is_away = False

    def close(self) -> None:
        self._closing.set()

    def run(self) -> None:
        while not self._closing.is_set():
            try:
                self._turn()
                if self._is_away:
                    log.warning("Redis is available again")
                self._is_away = False
            except self._errors as error:
                if not self._is_away:
                    log.error("Redis: %s", error)
                self._is_away = True
                self._closing.wait(AGAIN_SECONDS)

    @abstractmethod
    def _turn(self) -> None: ...


class StreamWriter(_RedisThread):
    """Writes queued entries in order, and repeats each until Redis has accepted it."""

    def __init__(self, url: str) -> None:
        super().__init__(url, "redis-sender")
        self._unsent: deque[PendingEntry] = deque(maxlen=MAX_UNSENT)
        self._batch: list[PendingEntry] = []
        self._news = threading.Event()

    def send(self, unsent: PendingEntry) -> None:
        """Queue an entry; callable from any thread."""
        self._unsent.append(unsent)
        self._news.set()

    def close(self) -> None:
        """Send any queued messages, unless Redis is unreachable, and stop the thread."""
        super().close()
        self._news.set()
        if self.is_alive():
            self.join(_TIMEOUT_SECONDS)

    def _turn(self) -> None:
        if not self._batch:
            self._news.wait()
        self._news.clear()
        while self._batch or self._unsent:
            while self._unsent and len(self._batch) < AT_ONCE:
                self._batch.append(self._unsent.popleft())
            # After an error, the batch is sent again: receivers ignore what they have already.
            self._send(self._batch)
            self._batch.clear()

    def _send(self, batch: Sequence[PendingEntry]) -> None:
        pipe, now = self._redis.pipeline(transaction=False), time.monotonic()
        for stream, body, entry, until in batch:
            if entry:
                pipe.xdel(stream, entry)
            elif now < until:
                pipe.xadd(stream, {_FIELD: body}, maxlen=KEPT, approximate=True)
                if stream.startswith(ANSWERS):
                    pipe.expire(stream, ANSWERS_SECONDS)
        pipe.execute()


class StreamReader(_RedisThread):
    """Reads streams, each from some seconds ago on, and passes each entry to `heard`."""

    def __init__(
        self,
        url: str,
        streams: Mapping[str, int],
        heard: Callable[[StreamEntry], None],
        lease: Lease | None = None,
        displaced: Callable[[ConfigError], None] = lambda _: None,
    ) -> None:
        super().__init__(url, "redis-reader")
        self._lease = lease
        self._displaced = displaced
        self._heard = heard
        self._seconds = {stream.encode(): seconds for stream, seconds in streams.items()}
        self._last: dict[bytes, bytes] = {}  # ids of the entries read last

    def _turn(self) -> None:
        if not self._last or self._is_away:
            self._seek()
        if not self._holds_lease():
            return
        streams = self._redis.xread(self._last, block=_BLOCK_MS)
        # Checked again, because this process may have been suspended meanwhile.
        if not self._holds_lease():
            return
        for stream, read in streams:
            self._last[stream] = read[-1][0]
            for number, fields in read:
                # Anyone with the password can add entries without our field.
                body = fields.get(_FIELD, b"")
                self._heard(StreamEntry(stream.decode(), number.decode(), body))

    def _holds_lease(self) -> bool:
        try:
            if self._lease is not None and not self._closing.is_set():
                self._lease.check()
        except ConfigError as error:
            self.close()
            self._displaced(error)
        return not self._closing.is_set()

    def _seek(self) -> None:
        # Ids begin with the time of Redis's clock. If that was set back, Redis may have lost the
        # stream, so that the ids of later entries are smaller than the last one read.
        now, _ = self._redis.time()
        for stream, seconds in self._seconds.items():
            last = self._last.get(stream)
            if last is None or int(last.partition(b"-")[0]) // 1000 > now:
                self._last[stream] = b"%d-0" % (1000 * (now - seconds))
