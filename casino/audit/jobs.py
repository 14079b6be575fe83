"""Queue of jobs that check games, the Merkle tree and the stored tables in other processes.

Results are delivered in submission order, each once a fixed number of later jobs have been
submitted, so that a report does not depend on the number of processes or their speed.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.pool import Pool
from typing import Any, Final, TypeVar

from casino.simulate.executor import spawn_context, uninterrupted

MAX_WAITING: Final = 48  # jobs, each of a few games: enough for dozens of processes

Result = TypeVar("Result")


class JobQueue:
    """A bounded queue of jobs, run by a process pool, or by this process if there is none."""

    def __init__(self, pool: Pool | None = None) -> None:
        self._pool = pool
        self._waiting: deque[Callable[[], None]] = deque()

    def start(self, work: Callable[..., Result], *args: Any) -> Callable[[], Result]:
        """Start a job; return a function that waits for its result and returns it."""
        if self._pool is None:
            result = work(*args)
            return lambda: result
        return self._pool.apply_async(work, args).get

    def submit(
        self, deliver: Callable[[Result], None], work: Callable[..., Result], *args: Any
    ) -> None:
        """Start a job, and pass its result to `deliver` after the results of earlier jobs."""
        get = self.start(work, *args)
        self._waiting.append(lambda: deliver(get()))
        if len(self._waiting) > MAX_WAITING:
            self._waiting.popleft()()

    def drain(self) -> None:
        """Wait for all submitted jobs, and deliver their results."""
        while self._waiting:
            self._waiting.popleft()()


@contextmanager
def job_queue(workers: int) -> Iterator[JobQueue]:
    """Provide a job queue with `workers` processes besides this one, or none if that is 1.

    All pause the garbage collector: decoded leaves contain no cycles, so looking for cycles would
    only cost time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        if workers == 1:
            yield JobQueue()
        else:
            context = spawn_context()
            with uninterrupted():
                pool = context.Pool(workers, gc.disable)
            with pool:
                yield JobQueue(pool)
    finally:
        if was_enabled:
            gc.enable()
