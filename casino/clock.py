"""The time of a running casino: the wall clock, checked against a monotonic clock (L20).

Time never goes back: if the clock is set back, time stands still until it catches up. Time never
jumps either: if the clock is set ahead by more than a minute, time follows the monotonic clock
until the wall clock is right again, or jumps if the operator allows it. Each is logged once.

>>> clock, running = [5_000], [0]
>>> now = MonotonicClock(lambda: clock[0], lambda: running[0], print)
>>> clock[0], running[0] = 3_000, 10
>>> now()
The clock is 2 s behind the log: time stands still until it catches up.
5000
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

MAX_JUMP_MS: Final = 60_000  # larger jumps ahead need the operator's permission

_WORTH_SAYING_MS: Final = 1_000  # well-kept clocks are set back a few ms now and then


class MonotonicClock:
    """The time in milliseconds, as the log may have it."""

    def __init__(
        self,
        wall_ms: Callable[[], int],
        running_ms: Callable[[], int],
        say: Callable[[str], object],
        *,
        accept: bool = False,
    ) -> None:
        self._wall_ms = wall_ms
        self._running_ms = running_ms
        self._say = say
        self._accept = accept
        self._lock = threading.Lock()
        self._offset = wall_ms() - running_ms()
        self._time = wall_ms()
        self._stands = self._refuses = False

    def __call__(self) -> int:
        """Return the time: never earlier than before, at most a minute ahead of elapsed time."""
        with self._lock:
            wall, expected = self._wall_ms(), self._running_ms() + self._offset
            ahead = wall - expected
            if ahead > MAX_JUMP_MS and not self._accept:
                self._refuse(ahead)
                wall = expected
            else:
                self._follow(ahead)
            self._look_back(self._time - wall)
            self._time = max(self._time, wall)
            return self._time

    def hold(self, at: int) -> None:
        """From now on, never return a time earlier than `at`, the latest in the log."""
        with self._lock:
            self._time = max(self._time, at)
            self._look_back(self._time - self._wall_ms())

    def _refuse(self, ahead_ms: int) -> None:
        """Log, once, that a jump ahead is refused."""
        if not self._refuses:
            self._refuses = True
            self._say(
                f"The clock jumped ahead by {ahead_ms // 1000} s, which is refused: set it right,"
                " or start again with --accept-clock. Until then time runs on as if it had not."
            )

    def _follow(self, ahead_ms: int) -> None:
        """Adopt a small difference; log that the clock is right again, or has jumped."""
        if self._refuses:
            self._refuses = False
            self._say("The clock is right again.")
        if ahead_ms > MAX_JUMP_MS:
            self._say(f"The clock jumped ahead by {ahead_ms // 1000} s, which is accepted.")
        # A clock that was set far back is set right again some day: that is then no jump ahead.
        if ahead_ms >= -MAX_JUMP_MS:
            self._offset += ahead_ms

    def _look_back(self, behind_ms: int) -> None:
        """Log, once, that time stands still, and when it continues."""
        if behind_ms >= _WORTH_SAYING_MS and not self._stands:
            self._stands = True
            self._say(
                f"The clock is {behind_ms // 1000} s behind the log:"
                " time stands still until it catches up."
            )
        elif behind_ms <= 0 and self._stands:
            self._stands = False
            self._say("The clock has caught up with the log: time goes on.")


def wall_ms() -> int:
    """Return the wall clock."""
    return time.time_ns() // 1_000_000


def monotonic_ms() -> int:
    """Return how long the machine has run, asleep or not: no one can set this."""
    kind = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return time.clock_gettime_ns(kind) // 1_000_000
