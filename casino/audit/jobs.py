"""Jobs that check finished games, signatures and tables in other processes.

Results are delivered in the order of submission and after a fixed number of later jobs, so that a
report does not depend on the number of processes or on their speed.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.pool import Pool
from typing import Any, Final, TypeVar

MAX_WAITING: Final = 48  # jobs, each of a few games: enough for dozens of processes

Result = TypeVar("Result")


class JobQueue:
    """A bounded queue of jobs, which run in a pool, or at once if there is none."""

    def __init__(self, pool: Pool | None = None) -> None:
        self._pool = pool
        self._waiting: deque[Callable[[], None]] = deque()

    def start(self, work: Callable[..., Result], *args: Any) -> Callable[[], Result]:
        """Start a job; return a function that waits for its result."""
        if self._pool is None:
            result = work(*args)
            return lambda: result
        return self._pool.apply_async(work, args).get

    def submit(self, deliver: Callable[[Result], None], get: Callable[[], Result]) -> None:
        """Deliver the result of a job that was started, after those submitted before."""
        self._waiting.append(lambda: deliver(get()))
        if len(self._waiting) > MAX_WAITING:
            self._waiting.popleft()()

    def drain(self) -> None:
        """Wait for all jobs, and deliver their results."""
        while self._waiting:
            self._waiting.popleft()()


@contextmanager
def job_queue(workers: int) -> Iterator[JobQueue]:
    """Provide a queue of jobs for `workers` processes, or for this process if it is 1."""
    if workers == 1:
        yield JobQueue()
        return
    # Decoded leaves contain no cycles, so that looking for them would only cost time.
    with get_context("spawn").Pool(workers, gc.disable) as pool:
        yield JobQueue(pool)
