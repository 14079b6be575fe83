"""Run work over items, in this process or in parallel processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from threading import Event, Semaphore
from typing import Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class WorkRunner(Protocol):
    """Runs work over items and yields the results in order."""

    def __call__(
        self, work: Callable[[Item], Result], items: Iterable[Item], /
    ) -> Iterator[Result]:
        """Yield the results in order."""


@contextmanager
def worker_pool(workers: int) -> Iterator[WorkRunner]:
    """Run in `workers` processes, or here if it is one."""
    if workers == 1:
        yield map
        return
    with get_context("spawn").Pool(workers) as pool:
        yield pool.imap


@contextmanager
def bounded_worker_pool(workers: int) -> Iterator[WorkRunner]:
    """Like `worker_pool`, but request only a few items ahead: they cost memory."""
    room, over = Semaphore(2 * workers), Event()

    def fed(items: Iterable[Item]) -> Iterator[Item]:
        for item in items:
            room.acquire()
            if over.is_set():
                return
            yield item

    with worker_pool(workers) as beside:

        def run(work: Callable[[Item], Result], items: Iterable[Item], /) -> Iterator[Result]:
            for result in beside(work, fed(items)):
                room.release()
                yield result

        try:
            yield run
        finally:
            # The pool waits for whoever reads ahead: it must not wait for room.
            over.set()
            room.release(2 * workers)
