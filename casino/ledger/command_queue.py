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
    "bank_closed", "unavailable", "the casino is closing: retry with the same id"
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
        self._closing = threading.Lock()
        self._is_closed = False
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
        with self._closing:
            self._is_closed = True
            self._queue.put(None)

    def _put(self, jobs: Sequence[WaitingCommand]) -> None:
        # Under the lock, so that no command is queued after the end, where no one would take it.
        with self._closing:
            is_closed = self._is_closed
            if jobs and not is_closed:
                self._queue.put(jobs)
        if is_closed:
            fail(jobs, Refused(BANK_CLOSED))


def fail(jobs: Sequence[WaitingCommand], error: Exception) -> None:
    """Set an error on the futures of all commands that are not resolved yet."""
    for job in jobs:
        if not job.future.done():
            job.future.set_exception(error)
