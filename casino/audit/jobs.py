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
from multiprocessing.pool import AsyncResult, Pool
from typing import Any, Final, TypeVar

MAX_WAITING: Final = 48  # jobs, each of a few games: enough for dozens of processes
_AHEAD: Final = 4  # jobs submitted to each other process in advance

Result = TypeVar("Result")


class JobQueue:
    """A bounded queue of jobs, which run in a pool and in this process, or only in this one."""

    def __init__(self, pool: Pool | None = None, processes: int = 0) -> None:
        self._pool = pool
        self._processes = processes
        self._running: list[AsyncResult[Any]] = []
        self._waiting: deque[Callable[[], None]] = deque()

    def start(self, work: Callable[..., Result], *args: Any) -> Callable[[], Result]:
        """Start a long job; return a function that waits for its result."""
        if self._pool is None:
            result = work(*args)
            return lambda: result
        job = self._pool.apply_async(work, args)
        # It takes the places of short jobs: behind it, they would make this process wait for it.
        self._running += [job] * _AHEAD
        return job.get

    def submit(
        self, deliver: Callable[[Result], None], work: Callable[..., Result], *args: Any
    ) -> None:
        """Run a short job, and deliver its result after those submitted before.

        It runs in this process if the others are busy, which would be idle otherwise.
        """
        self._running = [job for job in self._running if not job.ready()]
        if self._pool is None or len(self._running) >= _AHEAD * self._processes:
            result = work(*args)
            self._waiting.append(lambda: deliver(result))
        else:
            job = self._pool.apply_async(work, args)
            self._running.append(job)
            self._waiting.append(lambda: deliver(job.get()))
        if len(self._waiting) > MAX_WAITING:
            self._waiting.popleft()()

    def drain(self) -> None:
        """Wait for all jobs, and deliver their results."""
        while self._waiting:
            self._waiting.popleft()()


@contextmanager
def job_queue(workers: int) -> Iterator[JobQueue]:
    """Provide a queue of jobs for `workers` processes, of which this one is the first."""
    if workers == 1:
        yield JobQueue()
        return
    # Decoded leaves contain no cycles, so that looking for them would only cost time.
    with get_context("spawn").Pool(workers - 1, gc.disable) as pool:
        yield JobQueue(pool, workers - 1)
