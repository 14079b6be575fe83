"""The bridge between the casino's threads and the gevent loop that serves clients.

The process is not monkey-patched, so the casino's threads are operating-system threads. They pass
work to the loop with `post`. Greenlets wait for threads with `wait` and `run_in_thread`, which do
not block the loop.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Final, TypeVar

import gevent
from gevent.event import Event
from gevent.threadpool import ThreadPool
from gevent.util import wrap_errors

from casino.errors import RefusalReason, Refused
from casino.ledger.ledger import Ledger
from casino.ledger.log_reader import LogReader

T = TypeVar("T")

NO_ANSWER: Final = RefusalReason(
    "no_answer", "unavailable", "the casino does not respond: try again with the same id"
)

MAX_WAIT_SECONDS: Final = 10  # longest wait for the result of a query or command


class EventLoop:
    """The gevent loop of the thread that creates this object."""

    def __init__(self) -> None:
        self._hub = gevent.get_hub()

    def post(self, work: Callable[..., None], *arguments: Any) -> None:
        """Schedule a short function on the loop; callable from any thread."""
        self._hub.loop.run_callback_threadsafe(work, *arguments)

    def wait(self, future: Future[T]) -> T:
        """Return a future's result without blocking the loop; raise `Refused` after a timeout."""
        done = Event()
        future.add_done_callback(lambda _: self.post(done.set))
        if not done.wait(MAX_WAIT_SECONDS):
            # The command may still run later; a retry under the same id does not run it twice.
            raise Refused(NO_ANSWER)
        return future.result()

    def run_in_thread(self, work: Callable[..., T], *arguments: Any) -> T:
        """Run a function in the default thread pool and return its result without blocking."""
        return run_in_pool(self._hub.threadpool, work, *arguments)


class LogReaderPool(EventLoop):
    """An event loop that reads the casino's log in threads, each with its own reader."""

    def __init__(self, ledger: Ledger) -> None:
        super().__init__()
        self._own = _ThreadReader(ledger)

    def read(self, question: Callable[[LogReader], T]) -> T:
        """Run a query with a log reader in a thread and return its result."""
        return self.run_in_thread(lambda: question(self._own.log))


class _ThreadReader(threading.local):
    """A log reader for each thread, which opens it when it first uses this object."""

    def __init__(self, ledger: Ledger) -> None:
        self.log = ledger.reader()


def run_in_pool(pool: ThreadPool, work: Callable[..., T], *arguments: Any) -> T:
    """Run a function in a thread pool and return its result without blocking the loop."""
    # Without the wrapper, gevent would also print each exception, and refusals are common.
    result: T | Exception = pool.spawn(wrap_errors(Exception, work), *arguments).get()
    if isinstance(result, Exception):
        raise result
    return result
