"""Wall clock for the log's timestamps, checked against a monotonic clock (L20).

The time returned never goes back. If the wall clock is set back by up to a minute, time stops until
the clock catches up. If the clock is off by more, time follows the monotonic clock until the wall
clock is right again, unless the operator has accepted a jump ahead. Each case is reported once.

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
from dataclasses import dataclass
from typing import Final

MAX_JUMP_MS: Final = 60_000  # larger jumps are ignored; --accept-clock accepts those ahead

_WORTH_SAYING_MS: Final = 1_000  # synchronised clocks are set back a few ms now and then

_LATE: Final = "The clock is {} s behind the log: time runs on from the log's."
_EARLY: Final = (
    "The clock jumped ahead by {} s, which is refused: set it right, or start again with "
    "--accept-clock. Until then time runs on as if it had not."
)
_WAITS: Final = "The clock is {} s behind the log: time stands still until it catches up."
_CAUGHT_UP: Final = "The clock has caught up with the log: time goes on."


@dataclass
class MonotonicClock:
    """Thread-safe wall clock without backward steps or large forward jumps."""

    wall_ms: Callable[[], int]
    running_ms: Callable[[], int]
    say: Callable[[str], object]
    accept: bool = False

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._offset = self.wall_ms() - self.running_ms()
        self._time = self.wall_ms()
        self._fault, self._waits = "", False

    def __call__(self) -> int:
        """Return the time in milliseconds."""
        # All tables share this clock, and time must not go back from one thread to another.
        with self._lock:
            wall, expected = self.wall_ms(), self.running_ms() + self._offset
            ahead = wall - expected
            is_early = ahead > MAX_JUMP_MS and not self.accept
            fault = _LATE if ahead < -MAX_JUMP_MS else _EARLY if is_early else ""
            if fault != self._fault:
                self._fault = fault
                self.say(fault.format(abs(ahead) // 1000) or "The clock is right again.")
            if fault:
                wall = expected
            else:
                if ahead > MAX_JUMP_MS:
                    self.say(f"The clock jumped ahead by {ahead // 1000} s, which is accepted.")
                self._offset += ahead
            behind = self._time - wall
            waits = behind >= _WORTH_SAYING_MS or (behind > 0 and self._waits)
            if waits != self._waits:
                self._waits = waits
                self.say(_WAITS.format(behind // 1000) if waits else _CAUGHT_UP)
            self._time = max(self._time, wall)
            return self._time

    def hold(self, at: int) -> None:
        """From now on, return no time before `at`, the time of the log's last leaf."""
        with self._lock:
            self._time = max(self._time, at)
            # If the last run had a clock days ahead, time runs on from there.
            self._offset = max(self._offset, at - self.running_ms())
        self()


def wall_ms() -> int:
    """Return the Unix time in milliseconds."""
    return time.time_ns() // 1_000_000


def monotonic_ms() -> int:
    """Return milliseconds since boot, including suspend where the system has `CLOCK_BOOTTIME`."""
    kind = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return time.clock_gettime_ns(kind) // 1_000_000
