"""The queue of commands for the writer.

What one thread submits as a batch is one item, and a group consists of whole items, so a batch is
always committed together. Every queued command gets an answer.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Any, Final, NamedTuple, TypeAlias

from casino.errors import RefusalReason, Refused
from casino.ledger.transaction import Answer, CommandIdentity, Transaction

Work: TypeAlias = Callable[[Transaction], Answer]
AnswerTold: TypeAlias = Callable[[Answer], Answer]

BANK_CLOSED: Final = RefusalReason(
    "bank_closed", "unavailable", "the casino is closing: ask again with the same id"
)
_MAX_IDLE_SECONDS: Final = 1  # the writer checks its clock at least this often


def identity(answer: Answer) -> Answer:
    """Return the answer unchanged."""
    return answer


class WaitingCommand(NamedTuple):
    """A queued command, and where its answer goes."""

    command: CommandIdentity | None
    work: Work
    future: Future[Answer]
    reply: AnswerTold


class CommandQueue:
    """Queue of commands; any thread puts, the writer takes."""

    def __init__(self, greatest_group: int) -> None:
        self._greatest_group = greatest_group
        self._queue: queue.SimpleQueue[Sequence[WaitingCommand] | None] = queue.SimpleQueue()
        self._gathered = threading.local()
        self._closed = threading.Event()
        self._gone = threading.Event()
        self.empty = self._queue.empty
        self.length = self._queue.qsize

    def put(self, job: WaitingCommand) -> None:
        """Queue a command, or add it to the batch that the calling thread is collecting."""
        gathered: list[WaitingCommand] | None = getattr(self._gathered, "jobs", None)
        if gathered is None:
            self._put((job,))
        else:
            gathered.append(job)

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Collect what this thread submits within the context, and queue it as one at the end."""
        jobs: list[WaitingCommand] = []
        self._gathered.jobs = jobs
        try:
            yield
        finally:
            self._gathered.jobs = None
            self._put(jobs)

    def take(self) -> tuple[list[WaitingCommand], bool]:
        """Wait briefly for commands; return them, and whether more may come."""
        jobs: list[WaitingCommand] = []
        with suppress(queue.Empty):
            command = self._queue.get(timeout=_MAX_IDLE_SECONDS)
            while command is not None:
                jobs += command
                if len(jobs) >= self._greatest_group:
                    return jobs, True
                command = self._queue.get_nowait()
            return jobs, False
        return jobs, True

    def close(self) -> None:
        """Accept nothing more; what is queued is the last."""
        self._closed.set()
        self._queue.put(None)

    def drain(self) -> None:
        """Refuse everything queued after the end, now and later."""
        self._gone.set()
        self._refuse_rest()

    def _put(self, jobs: Sequence[WaitingCommand]) -> None:
        if self._closed.is_set():
            fail(jobs, Refused(BANK_CLOSED))
        elif jobs:
            self._queue.put(jobs)
            if self._gone.is_set():
                self._refuse_rest()

    def _refuse_rest(self) -> None:
        with suppress(queue.Empty):
            while True:
                fail(self._queue.get_nowait() or (), Refused(BANK_CLOSED))


def fail(jobs: Sequence[WaitingCommand], error: Exception) -> None:
    """Set an error on all commands that have no answer yet."""
    for job in jobs:
        if not job.future.done():
            job.future.set_exception(error)


_log = logging.getLogger(__name__)


class Promise(Future[Answer]):
    """The answer to a command, or its refusal, once that is durable."""

    def __init__(self) -> None:
        # Not super().__init__(): its condition is what this class is there to do without.
        self._is_done = False
        self._answer: Answer = {}
        self._error: BaseException | None = None
        self._callbacks: list[Callable[[Future[Answer]], Any]] = []
        self._pending = Lock()
        self._pending.acquire()

    def done(self) -> bool:
        """Return True if the answer is there."""
        return self._is_done

    def running(self) -> bool:
        """Return True until the answer is there: queued and running look the same."""
        return not self._is_done

    def cancel(self) -> bool:
        """Return False: a command cannot be cancelled."""
        return False

    def cancelled(self) -> bool:
        """Return False."""
        return False

    def result(self, timeout: Any = None) -> Answer:
        """Wait for the answer and return it; raise a refusal."""
        if not self._is_done:
            self._wait(timeout)
        if self._error is not None:
            raise self._error
        return self._answer

    def exception(self, timeout: Any = None) -> BaseException | None:
        """Wait for the command; return the exception it failed with, or None."""
        if not self._is_done:
            self._wait(timeout)
        return self._error

    def add_done_callback(self, fn: Callable[[Future[Answer]], object]) -> None:
        """Call `fn` when the answer is there, or now if it is."""
        self._callbacks.append(fn)
        if self._is_done:
            self._tell()

    def set_result(self, result: Answer) -> None:
        """Set the answer."""
        self._answer = result
        self._settle()

    def set_exception(self, exception: BaseException | None) -> None:
        """Set the refusal."""
        self._error = exception
        self._settle()

    def _settle(self) -> None:
        self._is_done = True
        self._pending.release()
        if self._callbacks:
            self._tell()

    def _wait(self, timeout: Any) -> None:
        """Wait for a wake-up, then wake the next waiter."""
        if not self._pending.acquire(timeout=-1 if timeout is None else timeout):
            raise TimeoutError
        self._pending.release()

    def _tell(self) -> None:
        """Call each callback once, whichever thread comes first."""
        while self._callbacks:
            try:
                self._callbacks.pop(0)(self)
            except IndexError:
                return
            except Exception:  # noqa: BLE001 - who asks to be told must not stop the writer
                _log.exception("what was to be told of an answer failed")
