"""Queue of commands between the threads that submit them and the writer.

A batch is one item of the queue, and a group consists of whole items, so a batch is always
committed together. The future of every command is resolved, even if the queue is closed.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import Final, NamedTuple, TypeAlias

from casino.errors import RefusalReason, Refused
from casino.ledger.transaction import Answer, CommandIdentity, Transaction

Work: TypeAlias = Callable[[Transaction], Answer]
Reply: TypeAlias = Callable[[Answer], Answer]

BANK_CLOSED: Final = RefusalReason(
    "bank_closed", "unavailable", "the casino is closing: ask again with the same id"
)
_MAX_IDLE_SECONDS: Final = 1  # the writer checks its clock at least this often


def identity(answer: Answer) -> Answer:
    """Return the stored response unchanged; this is the default `reply` of a command."""
    return answer


class WaitingCommand(NamedTuple):
    """A queued command, and the future that receives its response."""

    command: CommandIdentity | None
    work: Work
    future: Future[Answer]
    reply: Reply


class CommandQueue:
    """Queue to which any thread adds commands, and from which only the writer takes them."""

    def __init__(self, max_group_size: int) -> None:
        self._max_group_size = max_group_size
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
        """Collect the commands that this thread submits, and queue them as one item on exit."""
        jobs: list[WaitingCommand] = []
        self._gathered.jobs = jobs
        try:
            yield
        finally:
            self._gathered.jobs = None
            self._put(jobs)

    def take(self) -> tuple[list[WaitingCommand], bool]:
        """Wait briefly for commands; return them and whether the queue is still open."""
        jobs: list[WaitingCommand] = []
        with suppress(queue.Empty):
            command = self._queue.get(timeout=_MAX_IDLE_SECONDS)
            while command is not None:  # None marks the end of the queue: see `close`
                jobs += command
                if len(jobs) >= self._max_group_size:
                    return jobs, True
                command = self._queue.get_nowait()
            return jobs, False
        return jobs, True

    def close(self) -> None:
        """Refuse new commands; the writer still takes those already queued."""
        self._closed.set()
        self._queue.put(None)

    def drain(self) -> None:
        """Refuse every command queued after the end marker, now and later."""
        self._gone.set()
        self._refuse_rest()

    def _put(self, jobs: Sequence[WaitingCommand]) -> None:
        if self._closed.is_set():
            fail(jobs, Refused(BANK_CLOSED))
        elif jobs:
            self._queue.put(jobs)
            # The writer may have stopped since `_closed` was checked.
            if self._gone.is_set():
                self._refuse_rest()

    def _refuse_rest(self) -> None:
        with suppress(queue.Empty):
            while True:
                fail(self._queue.get_nowait() or (), Refused(BANK_CLOSED))


def fail(jobs: Sequence[WaitingCommand], error: Exception) -> None:
    """Set an error on the futures of all commands that are not resolved yet."""
    for job in jobs:
        if not job.future.done():
            job.future.set_exception(error)
