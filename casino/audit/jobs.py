"""Queue of jobs that check games, the Merkle tree and the stored tables in other processes.

Results are delivered in submission order, each once a fixed number of later jobs have been
submitted, so that a report does not depend on the number of processes or their speed.
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
    """A bounded queue of jobs, run by a process pool and this process, or by this process alone."""

    def __init__(self, pool: Pool | None = None, processes: int = 0) -> None:
        self._pool = pool
        self._processes = processes
        self._running: list[AsyncResult[Any]] = []
        self._waiting: deque[Callable[[], None]] = deque()

    def start(self, work: Callable[..., Result], *args: Any) -> Callable[[], Result]:
        """Start a long job; return a function that waits for its result and returns it."""
        if self._pool is None:
            result = work(*args)
            return lambda: result
        job = self._pool.apply_async(work, args)
        # Count it as several short jobs: any queued behind it would have to wait until it ends.
        self._running += [job] * _AHEAD
        return job.get

    def submit(
        self, deliver: Callable[[Result], None], work: Callable[..., Result], *args: Any
    ) -> None:
        """Run a short job, and pass its result to `deliver` after the results of earlier jobs.

        If the other processes are busy, the job runs in this one, which would otherwise be idle.
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
        """Wait for all submitted jobs, and deliver their results."""
        while self._waiting:
            self._waiting.popleft()()


@contextmanager
def job_queue(workers: int) -> Iterator[JobQueue]:
    """Provide a job queue that uses `workers` processes, including this one.

    All pause the garbage collector: decoded leaves contain no cycles, so looking for cycles would
    only cost time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        if workers == 1:
            yield JobQueue()
        else:
            with get_context("spawn").Pool(workers - 1, gc.disable) as pool:
                yield JobQueue(pool, workers - 1)
    finally:
        if was_enabled:
            gc.enable()
