"""Following another casino's log from outside (L25): each new checkpoint proved, each leaf audited.

What was seen is never forgotten: a checkpoint must continue the last one, or both are kept as
evidence, signed by the casino itself. Games and money are checked by the audit's own code as
they come; what is kept grows with accounts and open games only.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context
from threading import Event, Semaphore
from typing import Final, NamedTuple

from casino.audit.batch import SIZE, Batch, Outcome, check_batch
from casino.audit.bots import Decide
from casino.audit.findings import Finding
from casino.audit.remote import Remote, Unreachable
from casino.audit.run import Audit
from casino.audit.sources import ExportJob
from casino.bank.cosignatures import check_quorum
from casino.bank.keychain import KeyChain, Link
from casino.bank.leaves import LogOpened
from casino.bank.merkle import (
    EMPTY_ROOT,
    Frontier,
    Hash,
    consistency_proof,
    fold,
    leaf_hash,
    verify_consistency,
)
from casino.bank.notes import Checkpoint, PublicKey, open_checkpoint
from casino.bank.store import StoredLeaf
from casino.bank.tiles import WIDTH
from casino.errors import BadFile
from casino.events.reading import read

CHECK: Final = "follow"
PROVED_KEPT: Final = 256


class Evidence(NamedTuple):
    """Two signed notes that cannot both be of one honest log, or one and what contradicts it."""

    name: str
    text: str
    before: str
    after: str


class Tree:
    """The hashes of a log as far as it was read: whole ranges, and the one that is growing."""

    def __init__(self, ranges: Frontier | None = None, part: Frontier | None = None) -> None:
        self.ranges = ranges or Frontier()
        self.part = part or Frontier()

    @property
    def size(self) -> int:
        """How many leaves it has."""
        return self.ranges.size * SIZE + self.part.size

    @property
    def root(self) -> Hash:
        """Its root."""
        return fold([*self.ranges.hashes, *self.part.hashes])

    def copy(self) -> Tree:
        """A tree that grows apart from this one."""
        return Tree(self.ranges.copy(), self.part.copy())

    def take_range(self, leaves: int, subtrees: list[Hash]) -> None:
        """Append a range, or the beginning of one, by the roots of its complete subtrees."""
        if leaves == SIZE:
            self.ranges.append(subtrees[0])
        else:
            self.part = Frontier(leaves, subtrees)

    def take(self, leaves: Iterable[bytes]) -> None:
        """Append leaves."""
        for leaf in leaves:
            self.part.append(leaf_hash(leaf))
            if self.part.size == SIZE:
                self.ranges.append(self.part.hashes[0])
                self.part = Frontier()


class Seen(NamedTuple):
    """All that a follower knows: the log's key, its newest proved checkpoint, tree and audit.

    `proved` holds size and root of the last checkpoints, so that an old one is known again.
    """

    key: PublicKey
    key_from: str
    note: str
    tree: Tree
    audit: Audit
    proved: tuple[tuple[int, str], ...] = ()


class Follower:
    """Follows one log; `keep` is given each piece of evidence at once, `save` what was proved."""

    def __init__(
        self,
        remote: Remote,
        seen: Seen | None,
        key: PublicKey | None,
        witnesses: tuple[tuple[PublicKey, ...], int],
        keep: Callable[[Evidence], None],
        decide: Decide | None = None,
        workers: int | None = None,
    ) -> None:
        self.remote = remote
        self.witnesses = witnesses
        self._keep = keep
        self._decide = decide
        self._workers = workers or os.cpu_count() or 1
        self.seen = seen or self._first_seen(key)
        if key is not None and key != self.seen.key:
            raise BadFile(f"the log followed here is signed by {self.seen.key.text()}")

    @property
    def size(self) -> int:
        """How many leaves were proved and audited."""
        return self.seen.tree.size

    def look(self, progress: Callable[[int], None] = lambda _: None) -> list[Finding]:
        """Prove and audit what is new; what is wrong with it."""
        before = len(self.seen.audit.findings)
        note = self.remote.checkpoint()
        try:
            checkpoint = open_checkpoint(note, self.seen.key)
            check_quorum(note, *self.witnesses)
        except BadFile as error:
            self._found("refused", f"the checkpoint it shows is refused: {error}", note)
        else:
            if checkpoint.size > self.size:
                self._extend(note, checkpoint, progress)
            else:
                self._compare(note, checkpoint)
        return self.seen.audit.findings[before:]

    def compare(self, name: str, note: str) -> list[Finding]:
        """Compare what a peer was shown with what this follower was shown; `look` comes first."""
        before = len(self.seen.audit.findings)
        try:
            checkpoint = open_checkpoint(note, self.seen.key)
        except BadFile as error:
            self._found("peer", f"the checkpoint that {name} shows is refused: {error}", note)
        else:
            if checkpoint.size <= self.size and not self._is_beginning(checkpoint):
                text = f"{name} was shown other leaves among the first {checkpoint.size}"
                self._found("fork", f"the log forked: {text}", note)
        return self.seen.audit.findings[before:]

    def finish(self) -> list[Finding]:
        """What can only be said of the log as it ends here."""
        before = len(self.seen.audit.findings)
        self.seen.audit.finish()
        return self.seen.audit.findings[before:]

    def _first_seen(self, key: PublicKey | None) -> Seen:
        """Nothing yet; without a key the log's first leaf names it."""
        if key is not None:
            return Seen(key, "given", "", Tree(), Audit(self._decide))
        claimed = open_checkpoint(self.remote.checkpoint(), None)
        if claimed.size == 0:
            raise Unreachable("the log is empty: follow it once it has begun")
        first = read(next(self.remote.leaves(0, min(claimed.size, WIDTH))))
        if not isinstance(first, LogOpened):
            raise BadFile("the log's first leaf does not open it: give its key with --key")
        return Seen(PublicKey.parse(first.key), "the log itself", "", Tree(), Audit(self._decide))

    def _extend(self, note: str, checkpoint: Checkpoint, progress: Callable[[int], None]) -> None:
        """Read what is new, and take it in if it leads to the root that was signed."""
        tree = self.seen.tree.copy()
        outcomes: list[Outcome] = []
        for outcome in self._outcomes(tree, checkpoint):
            outcomes.append(outcome)
            progress(outcome.leaves)
        if tree.root != checkpoint.root:
            self._found(*self._why(checkpoint), note)
            return
        for outcome in outcomes:
            self.seen.audit.join(outcome)
        proved = (*self.seen.proved[1 - PROVED_KEPT :], (tree.size, tree.root.hex()))
        self.seen = self.seen._replace(note=note, tree=tree, proved=proved)

    def _outcomes(self, tree: Tree, checkpoint: Checkpoint) -> Iterator[Outcome]:
        """What the audit says of each range of new leaves; the tree takes them in."""
        first, end = tree.size, checkpoint.size
        bodies = self.remote.leaves(first, end)
        if first % SIZE:
            leaves = list(islice(bodies, min(SIZE - first % SIZE, end - first)))
            tree.take(leaves)
            yield check_job(self._job(first, leaves))
            first += len(leaves)
        with _workers(self._workers if end - first > SIZE else 1) as run:
            for outcome in run(check_job, self._jobs(bodies, first)):
                tree.take_range(outcome.leaves, outcome.subtrees)
                yield outcome

    def _jobs(self, bodies: Iterator[bytes], first: int) -> Iterator[ExportJob]:
        """Whole ranges of leaves, and the beginning of one."""
        while leaves := list(islice(bodies, SIZE)):
            yield self._job(first, leaves)
            first += len(leaves)

    def _job(self, first: int, leaves: list[bytes]) -> ExportJob:
        """A range to check."""
        rows = list(map(StoredLeaf._make, enumerate(leaves, first)))
        keys = KeyChain((Link(0, self.seen.key),))
        return ExportJob(Batch(first, rows, [], keys, tables=False, decide=self._decide))

    def _why(self, checkpoint: Checkpoint) -> tuple[str, str]:
        """Why what was read does not lead to the root that was signed."""
        old, size = self.size, checkpoint.size
        try:
            proof = consistency_proof(old, size, self.remote.subtree(size))
        except BadFile:
            proof = []
        if verify_consistency(old, size, proof, self.seen.tree.root, checkpoint.root):
            return "leaves", f"the leaves it serves from {old} on are not those it signed"
        return "fork", f"the {size} leaves signed now do not begin with the {old} signed before"

    def _compare(self, note: str, checkpoint: Checkpoint) -> None:
        """A checkpoint that is not larger than the last: the same, older, or of another log."""
        shown = f"{checkpoint.size} leaves, and showed {self.size}"
        if checkpoint.size == self.size and checkpoint.root == self.seen.tree.root:
            self.seen = self.seen._replace(note=note)
        elif checkpoint.size == self.size:
            self._found("fork", f"the log forked: two roots of {self.size} leaves are signed", note)
        elif self._is_beginning(checkpoint):
            self._found("stale", f"the checkpoint is stale: it shows {shown}", note)
        else:
            self._found("shrunken", f"the log shrank to others: it shows {shown}", note)

    def _is_beginning(self, checkpoint: Checkpoint) -> bool:
        """Whether a checkpoint that is not larger is of the log that was seen."""
        if checkpoint.size == 0:
            return checkpoint.root == EMPTY_ROOT
        if (checkpoint.size, checkpoint.root.hex()) in self.seen.proved:
            return True
        try:
            proof = consistency_proof(checkpoint.size, self.size, self.remote.subtree(self.size))
        except BadFile:
            return False
        root = self.seen.tree.root
        return verify_consistency(checkpoint.size, self.size, proof, checkpoint.root, root)

    def _found(self, name: str, text: str, note: str) -> None:
        """Note a finding and keep both signed notes, once."""
        finding = Finding(CHECK, text)
        if finding not in self.seen.audit.findings:
            self._keep(Evidence(name, text, self.seen.note, note))
            self.seen.audit.findings.append(finding)


def check_job(job: ExportJob) -> Outcome:
    """Check one range of leaves; this may happen in a process of its own."""
    return check_batch(job)


@contextmanager
def _workers(count: int) -> Iterator[Callable[..., Iterator[Outcome]]]:
    """A way to check ranges: here, or side by side, reading only a few ahead."""
    if count == 1:
        yield map
        return
    room, over = Semaphore(2 * count), Event()

    def fed(jobs: Iterator[ExportJob]) -> Iterator[ExportJob]:
        for job in jobs:
            room.acquire()
            if over.is_set():
                return
            yield job

    def run(work: Callable[[ExportJob], Outcome], jobs: Iterator[ExportJob]) -> Iterator[Outcome]:
        for outcome in pool.imap(work, fed(jobs)):
            room.release()
            yield outcome

    with get_context("spawn").Pool(count) as pool:
        try:
            yield run
        finally:
            # The pool waits for who reads ahead: it must not wait for room.
            over.set()
            room.release(2 * count)
