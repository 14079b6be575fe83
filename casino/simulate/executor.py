"""Execution engines: worker processes or threads, or a Dask cluster.

An engine needs only a `concurrent.futures.Executor`. Chunks are submitted and collected in order,
so that results always cover a prefix of the run. Until the workers have started, chunks are played
in this process, which also fills the compile cache for them. If a worker dies, the workers are
restarted and the chunks not yet collected are played again.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnContext
from operator import methodcaller
from typing import Any, Final, TypeVar

from casino.errors import CasinoError, InputError

ENGINES: Final = "auto, threads, processes or dask://HOST:PORT"
MAX_WORKER_LOSSES: Final = 5  # worker deaths in a row without a finished chunk
PATIENCE_S: Final = 10.0  # how long to wait for a cluster's scheduler
_AHEAD: Final = 3  # chunks submitted ahead for each worker


Result = TypeVar("Result")
Task = Callable[[], Result]  # a chunk of games or of solving; workers receive it pickled


@dataclass
class WorkerPool:
    """Workers that play chunks; `open_workers` starts them on first use.

    `lost` lists the exceptions that mean that a worker died; `leave` is called on exit. `close`
    drops the chunks that no worker has begun: if a future were cancelled here, a process pool whose
    worker dies at that moment would fail.
    """

    open_workers: Callable[[], Executor]
    workers: int
    lost: tuple[type[BaseException], ...] = (BrokenExecutor,)
    leave: Callable[[], object] = lambda: None
    close: Callable[[Executor], object] = methodcaller("shutdown", cancel_futures=True)

    def __post_init__(self) -> None:
        self._executor: Executor | None = None
        self._started: Future[None] | None = None
        self._waiting: deque[Future[Any]] = deque()

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *_: object) -> None:
        self._dismiss()
        self.leave()

    def is_ready(self) -> bool:
        """Return True once the workers accept chunks, starting them if necessary."""
        if self._executor is None or self._started is None:
            self._executor = self.open_workers()
            with uninterrupted():
                self._started = self._executor.submit(_warm_up)
        return self._started.done() and self._started.result() is None

    def play(self, tasks: Iterable[Task[Result]], compiled: bool = False) -> Iterator[Result]:
        """Yield the results of the tasks in order.

        With `compiled`, workers may play even the first task, because its code is in the cache.
        """
        self._waiting.clear()
        losses, left = 0, iter(tasks)
        ahead = deque(islice(left, _AHEAD * self.workers))
        while ahead:
            try:
                if not compiled or not (self._waiting or self.is_ready()):
                    result = ahead[0]()
                else:
                    assert self._executor is not None
                    for task in islice(ahead, len(self._waiting), None):
                        with uninterrupted():
                            self._waiting.append(self._executor.submit(task))
                    result = self._waiting[0].result()
                    self._waiting.popleft()
            except self.lost:
                # A broken executor accepts no more work: open a new one for the next attempt.
                self._dismiss()
                losses += 1
                if losses < MAX_WORKER_LOSSES:
                    continue
                raise CasinoError(
                    f"the workers died {losses} times on the same chunk of games: if memory is "
                    "short, use fewer --workers"
                ) from None
            yield result
            ahead.popleft()
            ahead.extend(islice(left, 1))
            losses, compiled = 0, True

    def _dismiss(self) -> None:
        self._waiting.clear()
        if self._executor is not None:
            self.close(self._executor)
        self._executor = None


def create_engine(name: str, workers: int, compiled: bool = False) -> WorkerPool:
    """Return the engine with this name. Raise `InputError` for an unknown one.

    `auto` is threads for work in compiled code, which releases Python's lock: a million games took
    3.2 s where processes, which load the code again, took 5.9 s. Work in Python needs processes.
    """
    if name == "auto":
        name = "threads" if compiled else "processes"
    if name == "processes":
        return WorkerPool(lambda: _processes(workers), workers)
    if name == "threads":
        return WorkerPool(lambda: ThreadPoolExecutor(workers), workers)
    if name.startswith("dask://"):
        # Without a port, `Client` fails, and its finalizer too, 20 s later.
        if not re.fullmatch(r"dask://.+:[0-9]+", name):
            raise InputError(f"{name} has no port: write dask://HOST:PORT")
        return _dask(name.removeprefix("dask://"))
    raise InputError(f"unknown engine {name}: choose {ENGINES}")


def _warm_up() -> None:
    """Do nothing. Receiving the result shows that the worker has imported this module."""


def spawn_context() -> SpawnContext:
    """Return a context whose processes ignore Ctrl-C if they are started in `uninterrupted`."""
    # Started early, because a later start would unblock SIGINT.
    resource_tracker.ensure_running()
    return multiprocessing.get_context("spawn")


def _processes(workers: int) -> Executor:
    context = spawn_context()
    with uninterrupted():  # else a semaphore may be left behind, and Python complains
        return ProcessPoolExecutor(workers, context, initializer=_end_with_parent)


def _end_with_parent() -> None:
    """Make this worker exit with its parent, even if the parent is killed."""
    threading.Thread(target=_wait_for_end, daemon=True).start()


def _wait_for_end() -> None:
    if parent := multiprocessing.parent_process():
        parent.join()
        # `sys.exit` would end only this thread.
        os._exit(1)


def _dask(address: str) -> WorkerPool:
    distributed: Any = import_module("distributed")
    try:
        client = distributed.Client(f"tcp://{address}", timeout=PATIENCE_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InputError(
            f"no scheduler responds at dask://{address} ({error}): start one with dask scheduler"
        ) from None
    lost = (distributed.KilledWorker, BrokenExecutor, CancelledError)
    workers = sum(client.nthreads().values())
    cancel = methodcaller("shutdown", wait=False)
    return WorkerPool(client.get_executor, max(1, workers), lost, client.close, cancel)


_ONLY = {signal.SIGINT}


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Delay SIGINT until the end of the block; processes started in it ignore SIGINT.

    A child inherits its parent's signal mask, so that it prints no traceback when Ctrl-C interrupts
    the whole process group.
    """
    # Only the main thread may set signal handlers.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    seen: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: seen.append(number))
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, _ONLY)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        signal.signal(signal.SIGINT, before)
    if seen:
        raise KeyboardInterrupt
