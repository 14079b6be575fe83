"""Single writer of the log, with one thread, one connection and group commit (L10).

The writer runs all queued commands, commits their effects in one transaction that is synced to
disk, and only then delivers the responses; if another group is already queued, it delivers them
while that one is being stored. For a refused command, only the refusal is stored. After a disk
fault the writer refuses commands (`unavailable`) until it can reopen the store and find out whether
the last group is durable (L11, L12). A bug stops it for good.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing, contextmanager, suppress
from hashlib import sha256
from typing import Final, NamedTuple, TypeAlias

from casino.errors import CasinoError, InvariantError, RefusalReason, Refused
from casino.ledger.accounts import Account, Balances
from casino.ledger.log_reader import LogReader
from casino.ledger.side_files import CheckpointFile
from casino.ledger.storage.base import ALL, CANNOT_WRITE, StorageError
from casino.ledger.storage.store import SqlStore
from casino.ledger.tlog import Frontier, SigningKey
from casino.ledger.transaction import Answer, CommandIdentity, CommitGroup, LogState, Transaction

Clock = Callable[[], int]
Work: TypeAlias = Callable[[Transaction], Answer]
Reply: TypeAlias = Callable[[Answer], Answer]

BAD_ID: Final = RefusalReason(
    "bad_id", "bad_request", "an id has 1 to {most} characters: shorten it"
)
BANK_CLOSED: Final = RefusalReason(
    "bank_closed", "unavailable", "the casino is closing: retry with the same id"
)
BANK_STOPPED: Final = CANNOT_WRITE._replace(name="bank_stopped")

_MAX_IDLE_SECONDS: Final = 1  # the writer checks its clock at least this often
MAX_GROUP_SIZE: Final = 1024
MAX_ID_LENGTH: Final = 128
CHECKPOINT_EVERY_MS: Final = 60_000
# Rows stored while a client reads one response and sends its next command.
_ROWS_AN_ANSWER: Final = 5
# Refusals that do not depend on the command: they are not stored, so its id may be retried (L5).
NOT_REMEMBERED: Final = frozenset({"unavailable", "rate_limited"})


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
    """Queue to which any thread adds commands, and from which only the writer takes them.

    A batch is one item of the queue, and a group consists of whole items, so a batch is always
    committed together. The future of every command is resolved, even if the queue is closed.
    """

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


def _refusal(why: RefusalReason, fault: Exception) -> Refused:
    """Return a refusal that tells players nothing of the fault, and the operator its cause."""
    refused = Refused(why)
    refused.__cause__ = fault
    return refused


def fail(jobs: Sequence[WaitingCommand], error: Exception) -> None:
    """Set an error on the futures of all commands that are not resolved yet."""
    for job in jobs:
        if not job.future.done():
            job.future.set_exception(error)


class WriterListener:
    """Base class of listeners, called in the writer's thread; its methods do nothing."""

    def on_storing(self) -> None:
        """Handle a group that is about to be stored."""

    def on_signed(self, note: str) -> None:
        """Handle a durable checkpoint that may be published."""

    def on_committed(self) -> None:
        """Handle a durable group before its responses are delivered."""

    def on_fault(self, error: Exception) -> None:
        """Handle a failed write; commands acknowledged earlier are safe."""

    def on_reopened(self, log: LogReader) -> None:
        """Handle an opened or reopened log, which may differ from anything cached."""


class Writer:
    """Thread that owns the writing connection and commits submitted commands."""

    def __init__(
        self,
        store: SqlStore,
        reopen_store: Callable[[], SqlStore],
        key: SigningKey,
        clock: Clock,
        watch: WriterListener | None,
        max_group_size: int,
        checkpoint: CheckpointFile,
    ) -> None:
        self._reopen_store = reopen_store
        self._waiting = CommandQueue(max_group_size)
        self.batch = self._waiting.batch
        self.queue_length = self._waiting.length
        self.key = key
        self._clock = clock
        self._watch = watch or WriterListener()
        self._checkpoint = checkpoint
        self._balances: dict[Account, int] = {}
        self._undelivered: deque[tuple[WaitingCommand, Answer | Exception]] = deque()
        self._broken: Exception | None = None
        self._last: Work | None = None
        self._store: SqlStore | None = None
        self._state: LogState
        self._ours: tuple[Frontier, ...] = ()
        self._open(store)
        self._thread = threading.Thread(target=self._run, name="bank-writer", daemon=True)
        self._thread.start()

    @property
    def is_writable(self) -> bool:
        """Whether commands can be made durable at the moment."""
        return self._store is not None and self._broken is None

    def newest_time(self) -> int:
        """Return the time of the last durable leaf, in milliseconds."""
        return self._state.at

    def submit(
        self, work: Work, command: str | None = None, content: bytes = b"", reply: Reply = identity
    ) -> Future[Answer]:
        """Queue a command; its future yields the response or raises `Refused` once it is durable.

        The result of `work` is stored; `reply` expands it to the full response, so that the
        client's own input need not be stored again.
        """
        future: Future[Answer] = Future()
        future.set_running_or_notify_cancel()  # a queued command cannot be cancelled
        name = None if command is None else CommandIdentity(command, sha256(content).digest()[:16])
        if name is not None and not (0 < len(name.id) <= MAX_ID_LENGTH and "\0" not in name.id):
            future.set_exception(Refused(BAD_ID, most=MAX_ID_LENGTH))
        else:
            self._waiting.put(WaitingCommand(name, work, future, reply))
        return future

    def _stop(self, last: Work | None = None) -> None:
        """Commit queued commands, run `last` in its own group, sign the log and close it."""
        self._last = last
        self._waiting.close()
        self._thread.join()
        self._checkpoint.close()

    def _run(self) -> None:
        open_ = True
        while open_:
            jobs, open_ = self._waiting.take()
            self._check_files()
            if self._broken is None:
                self._serve(jobs, last=not open_ and self._last is None)
            else:
                fail(jobs, _refusal(BANK_STOPPED, self._broken))
        if self._last is not None and self._broken is None:
            self._serve([WaitingCommand(None, self._last, Future(), identity)], last=True)
        with suppress(StorageError):
            if self._store is not None:
                self._store.flush_journal()  # so that the file can be copied alone (L22)
        self._close_store()

    def _check_files(self) -> None:
        """Stop if the file was replaced, because commits to the old file would be lost."""
        try:
            if self._store is not None and self._broken is None:
                reader = self._store.check_files()
                if reader is not None:
                    with closing(reader):
                        self._check_log_unchanged(reader.frontier(reader.size()))
        except InvariantError as error:
            self._give_up([], error)
        except CasinoError as error:
            self._close_store()
            self._watch.on_fault(error)

    def _serve(self, jobs: list[WaitingCommand], last: bool) -> None:
        """Commit one group; resolve the future of every command even if the commit fails."""
        try:
            if self._store is None:
                self._open(self._reopen_store())
            self._commit(jobs, last)
        except InvariantError as error:
            self._give_up(jobs, error)
        except (CasinoError, OSError) as error:
            # The fault may pass: refuse these commands, and reopen the store for the next ones.
            self._close_store()
            self._deliver()
            self._watch.on_fault(error)
            fail(jobs, _refusal(CANNOT_WRITE, error))
        except Exception as error:  # noqa: BLE001 - a bug: every command must get an answer
            self._give_up(jobs, error)

    def _commit(self, jobs: list[WaitingCommand], last: bool) -> None:
        assert self._store is not None
        if not (jobs or last) and self._state.tree.size == self._state.covered:
            return  # the wait for a command is over, and there is nothing to sign
        names = [job.command.id for job in jobs if job.command is not None]
        known = self._store.stored_replies(names)
        group = CommitGroup(self._state, Balances(self._balances.get), known)
        bug: Exception | None = None
        replies: list[tuple[WaitingCommand, Answer | Exception]] = []
        for job in jobs:
            # After a bug run no more commands, but commit the earlier ones before stopping.
            reply = self._run_command(job, group) if bug is None else _refusal(BANK_STOPPED, bug)
            replies.append((job, reply))
            if isinstance(reply, Exception) and not isinstance(reply, Refused):
                bug = reply
        is_due = self._clock() - group.before.checkpoint_at >= CHECKPOINT_EVERY_MS
        group.finish(self.key, publish=is_due or last)
        newest = group.rows.newest
        if not group.is_empty:
            self._watch.on_storing()
            self._commit_to_store(group)
            if newest is not None:
                # Save it before anyone else sees it.
                self._checkpoint.renew(newest.note, group.stays)
            self._watch.on_committed()
        # If the process dies here, clients that repeat their ids get the stored responses (L5).
        self._undelivered += replies
        if last or group.is_empty or self._waiting.empty():
            self._deliver()
        for checkpoint in group.rows.checkpoints:
            self._watch.on_signed(checkpoint.note)
        if bug is not None:
            self._give_up([], bug)

    def _run_command(self, job: WaitingCommand, group: CommitGroup) -> Answer | Exception:
        """Return the stored response to a command, or run it; return errors instead of raising."""
        command, first = job.command, None
        try:
            if command is not None:
                # The same id may have been answered earlier in this very group.
                first = group.answered.get(command.id) or group.known.get(command.id)
                if first is not None:
                    return job.reply(first.reply(command.content))
            transaction = Transaction(group, self._clock())
            answer = job.work(transaction)
            group.adopt(transaction, command, answer)
        except Refused as refusal:
            # Store it, so that a repeated id is refused again (L5).
            if first is None and refusal.code not in NOT_REMEMBERED:
                group.add_answer(command, None, refusal.json())
            return refusal
        except StorageError:
            raise
        except Exception as error:  # noqa: BLE001 - a bug: the caller gets it, then the writer stops
            return error
        return job.reply(answer)

    def _commit_to_store(self, group: CommitGroup) -> None:
        """Store a group; if its COMMIT is in doubt, reopen the store and check (L11)."""
        assert self._store is not None
        rows = group.rows
        # After a commit in doubt, the reopened log may be either of these trees.
        self._ours = (group.before.tree, group.after.tree)
        try:
            self._store.append(rows, lambda stored: self._deliver(stored // _ROWS_AN_ANSWER))
        except StorageError:
            self._close_store()
            self._open(self._reopen_store())
            # If the group was stored, the state just loaded includes it: no `_adopt` is needed.
            if not self._store.holds(rows):
                raise
        else:
            self._adopt(group)

    def _deliver(self, most: int = ALL) -> None:
        """Deliver responses of durable groups."""
        for _ in range(min(most, len(self._undelivered))):
            job, reply = self._undelivered.popleft()
            if isinstance(reply, Exception):
                job.future.set_exception(reply)
            else:
                job.future.set_result(reply)

    def _adopt(self, group: CommitGroup) -> None:
        self._state, self._ours = group.after, (group.after.tree,)
        for account, cents in group.balances.changed.items():
            if cents:
                self._balances[account] = cents
            else:
                self._balances.pop(account, None)

    def _open(self, store: SqlStore) -> None:
        try:
            self._balances = store.balances()
            size = store.size()
            tree = store.frontier(size)
            self._check_log_unchanged(tree)
            self._state = LogState(
                tree=tree,
                entries=store.last_entry(),
                open=store.open_subjects(),
                at=next(store.leaves(size - 1, 1)).time if size else 0,
                covered=store.published_size(),
                checkpoint_at=self._clock(),
            )
            self._watch.on_reopened(store)
        except BaseException:
            store.close()
            raise
        self._store = store

    def _check_log_unchanged(self, stored: Frontier) -> None:
        """Raise if another casino has written to the log, or an older copy has replaced it."""
        stood = (stored.size, stored.root())
        if self._ours and stood not in [(tree.size, tree.root()) for tree in self._ours]:
            sizes = " or ".join(str(tree.size) for tree in self._ours)
            raise InvariantError(
                f"the log has {stored.size} leaves that are not the {sizes} this casino wrote:"
                " another casino has written to it, or an older copy was put back"
            )
        self._ours = (stored,)

    def _close_store(self) -> None:
        store, self._store = self._store, None
        if store is not None:
            store.close()

    def _give_up(self, jobs: list[WaitingCommand], error: Exception) -> None:
        """Stop for good after a bug, because continuing could lose money."""
        self._broken = error
        self._deliver()
        self._watch.on_fault(error)
        fail(jobs, error)
