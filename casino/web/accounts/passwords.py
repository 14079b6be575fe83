"""Password hashing with Argon2 in a small thread pool of its own.

A hash takes memory and time by design. In the thread pool that all requests share, 16 clients that
guessed passwords used 700 MB and delayed everyone for seconds. Here at most `THREADS` hashes are
computed at a time, and requests beyond `MAX_WAITING` are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from gevent.threadpool import ThreadPool

from casino.errors import Refused
from casino.web.backend.concurrency import run_in_pool
from casino.web.server.rate_limit import TOO_MANY_TRIES

T = TypeVar("T")

THREADS: Final = 2
MAX_WAITING: Final = 16
_SECONDS: Final = 2

# The minimum that OWASP recommends: 19 MiB, two passes, one lane. More lanes would only take
# processor time from the tables.
_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


class PasswordPool:
    """Hashes and verifies passwords in threads, without blocking the event loop."""

    def __init__(self) -> None:
        self._pool = ThreadPool(THREADS)
        self._waiting = 0

    def hash(self, password: str) -> str:
        """Return a password's Argon2 hash; raise `Refused` if too many requests are waiting."""
        return self._run_in_pool(_HASHER.hash, password)

    def verify(self, known: str, password: str) -> bool:
        """Return True if a password matches a hash; raise `Refused` if too many are waiting."""
        return self._run_in_pool(_verifies, known, password)

    def _run_in_pool(self, work: Callable[..., T], *password: str) -> T:
        if self._waiting >= MAX_WAITING:
            raise Refused(TOO_MANY_TRIES, n=_SECONDS)
        self._waiting += 1
        try:
            return run_in_pool(self._pool, work, *password)
        finally:
            self._waiting -= 1


def _verifies(known: str, password: str) -> bool:
    try:
        return _HASHER.verify(known, password)
    except (VerificationError, InvalidHashError):
        return False
