"""The bridge between the casino's threads and the gevent loop that serves browsers.

Nothing is monkey-patched, so the casino's threads are real ones. They hand work to the loop with
`post`; the loop waits for them with `wait` and `run_in_thread` while serving everyone else.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Final, TypeVar

import gevent
from gevent.event import Event
from gevent.threadpool import ThreadPool

from casino.errors import RefusalReason, Refused
from casino.ledger.ledger import Ledger
from casino.ledger.log_reader import LogReader

T = TypeVar("T")

NO_ANSWER: Final = RefusalReason(
    "no_answer", "unavailable", "the house does not answer: ask again with the same id"
)

MAX_WAIT_SECONDS: Final = 10  # for an answer of the casino


class EventLoop:
    """Belongs to the loop of the thread that creates it."""

    def __init__(self) -> None:
        self._hub = gevent.get_hub()

    def post(self, work: Callable[..., None], *arguments: Any) -> None:
        """Run something short in the loop; callable from any thread."""
        self._hub.loop.run_callback_threadsafe(work, *arguments)

    def wait(self, future: Future[T]) -> T:
        """Return a future's result while the loop continues."""
        done = Event()
        future.add_done_callback(lambda _: self.post(done.set))
        if not done.wait(MAX_WAIT_SECONDS):
            raise Refused(NO_ANSWER)
        return future.result()

    def run_in_thread(self, work: Callable[..., T], *arguments: Any) -> T:
        """Return the result of work done in a thread while the loop continues."""
        return run_in_pool(self._hub.threadpool, work, *arguments)


class LogReaderPool(EventLoop):
    """A loop that can read the casino's log."""

    def __init__(self, ledger: Ledger) -> None:
        super().__init__()
        self._ledger = ledger
        self._local = threading.local()

    def read(self, question: Callable[[LogReader], T]) -> T:
        """Return the result of a query, run in a thread with a log reader."""
        answer: T = self.run_in_thread(self._read, question)
        return answer

    def _read(self, question: Callable[[LogReader], T]) -> T:
        log = getattr(self._local, "log", None)
        if log is None:
            log = self._local.log = self._ledger.reader()
        return question(log)


def run_in_pool(pool: ThreadPool, work: Callable[..., T], *arguments: Any) -> T:
    """Return the result of work done in a thread of a pool while the loop continues."""
    done: Future[T] = Future()
    pool.spawn(_run, done, work, arguments).wait()
    return done.result()


def _run(done: Future[T], work: Callable[..., T], arguments: tuple[Any, ...]) -> None:
    """Run work; an error goes to the caller, not to the thread."""
    try:
        done.set_result(work(*arguments))
    except Exception as error:  # noqa: BLE001 - raised again where the work was asked for
        done.set_exception(error)
