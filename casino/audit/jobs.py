"""Run jobs that check games, the Merkle tree and the stored tables in other processes."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.pool import Pool
from typing import Any, TypeVar

from casino.simulate.executor import spawn_context, uninterrupted

Result = TypeVar("Result")


class JobRunner:
    """Runs jobs in a process pool, or in this process if there is none."""

    def __init__(self, pool: Pool | None = None) -> None:
        self._pool = pool

    def start(self, work: Callable[..., Result], *args: Any) -> Callable[[], Result]:
        """Start a job; return a function that waits for its result and returns it."""
        if self._pool is None:
            result = work(*args)
            return lambda: result
        return self._pool.apply_async(work, args).get


@contextmanager
def job_runner(workers: int) -> Iterator[JobRunner]:
    """Provide a job runner with `workers` processes besides this one, or none if that is 1.

    All pause the garbage collector: decoded leaves contain no cycles, so looking for cycles would
    only cost time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        if workers == 1:
            yield JobRunner()
        else:
            context = spawn_context()
            with uninterrupted():
                pool = context.Pool(workers, gc.disable)
            with pool:
                yield JobRunner(pool)
    finally:
        if was_enabled:
            gc.enable()
