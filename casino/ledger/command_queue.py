"""Where commands wait for the writer: those of one thread by themselves or together.

What is submitted together is one piece of the queue, and a group is whole pieces: so it is
committed together, whatever else waits. Nobody who has put something here waits for ever.
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
AnswerTold: TypeAlias = Callable[[Answer], Answer]

BANK_CLOSED: Final = RefusalReason(
    "bank_closed", "unavailable", "the casino is closing: ask again with the same id"
)
_MAX_IDLE_SECONDS: Final = 1
"""After so long without a command the writer looks at its clock."""


def as_stored(answer: Answer) -> Answer:
    """The answer as it is."""
    return answer


class WaitingCommand(NamedTuple):
    """A command that waits, and where its answer goes."""

    command: CommandIdentity | None
    work: Work
    future: Future[Answer]
    reply: AnswerTold


class CommandQueue:
    """The queue of jobs; any thread puts, the writer's takes."""

    def __init__(self, greatest_group: int) -> None:
        self._greatest_group = greatest_group
        self._queue: queue.SimpleQueue[Sequence[WaitingCommand] | None] = queue.SimpleQueue()
        self._gathered = threading.local()
        self._closed = threading.Event()
        self._gone = threading.Event()
        self.empty = self._queue.empty
        self.length = self._queue.qsize

    def put(self, job: WaitingCommand) -> None:
        """Queue a job, or put it by for as long as its thread gathers more."""
        gathered: list[WaitingCommand] | None = getattr(self._gathered, "jobs", None)
        if gathered is None:
            self._put((job,))
        else:
            gathered.append(job)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Have what this thread puts within wait as one, to be queued at the end."""
        jobs: list[WaitingCommand] = []
        self._gathered.jobs = jobs
        try:
            yield
        finally:
            self._gathered.jobs = None
            self._put(jobs)

    def take(self) -> tuple[list[WaitingCommand], bool]:
        """What waits, perhaps nothing, so that the clock is looked at; whether more may come."""
        jobs: list[WaitingCommand] = []
        with suppress(queue.Empty):
            found = self._queue.get(timeout=_MAX_IDLE_SECONDS)
            while found is not None:
                jobs += found
                if len(jobs) >= self._greatest_group:
                    return jobs, True
                found = self._queue.get_nowait()
            return jobs, False
        return jobs, True

    def close(self) -> None:
        """Take nothing more: what waits is the last."""
        self._closed.set()
        self._queue.put(None)

    def end(self) -> None:
        """The writer has gone: refuse what was queued behind the end, now and later."""
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
    """Tell everybody who waits, and has no answer yet, that there is none."""
    for job in jobs:
        if not job.future.done():
            job.future.set_exception(error)
