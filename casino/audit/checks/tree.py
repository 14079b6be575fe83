"""Check the Merkle tree: leaf numbers, stored hashes, and the root that each checkpoint signs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from typing import Final, TypeAlias

from casino.audit.jobs import JobQueue
from casino.audit.report import Finding
from casino.errors import FileError
from casino.ledger.storage.base import StoredLeaf
from casino.ledger.tlog.key_rotation import KeyChain
from casino.ledger.tlog.merkle import Frontier, Hash

Note: TypeAlias = tuple[int, str]  # the size that a checkpoint is stored with, and its text
StoredNodes: TypeAlias = Callable[[int, int, int], list[Hash]]  # by level, first index and number

_BATCH: Final = 64  # signatures sent to another process together


class TreeCheck:
    """Check of the tree over all leaves; `signed` is the largest size that a checkpoint signs.

    It needs the bytes of leaves, not events. An export has no stored nodes.
    """

    def __init__(
        self,
        keys: KeyChain,
        nodes: StoredNodes | None,
        jobs: JobQueue,
        add_findings: Callable[[Iterable[Finding]], None],
    ) -> None:
        self.tree = Frontier()
        self.signed = 0
        self._keys = keys
        self._nodes = nodes
        self._jobs = jobs
        self._add_findings = add_findings
        self._shift = 0
        self._notes: list[tuple[int, str, Hash]] = []

    def add(self, leaves: Sequence[StoredLeaf], notes: Iterable[Note]) -> None:
        """Check the next leaves, and the checkpoints of sizes up to the last of them."""
        first, done = self.tree.size, 0
        if [leaf.n for leaf in leaves] != list(range(first, first + len(leaves))):
            self._add_findings(self._misnumbered(leaves))
        hashes = [sha256(b"\0" + body).digest() for _, body in leaves]
        nodes = []
        for size, note in notes:
            nodes += self.tree.extend(hashes[done : size - first])
            done = size - first
            self._notes.append((size, note, self.tree.root()))
        nodes += self.tree.extend(hashes[done:])
        if self._nodes is not None:
            self._add_findings(self._check_nodes(nodes))
        if len(self._notes) >= _BATCH:
            self.submit()

    def submit(self) -> None:
        """Have the signatures of the last checkpoints verified."""
        notes, self._notes = self._notes, []
        self._jobs.submit(self._deliver, self._jobs.start(check_notes, self._keys, notes))

    def _deliver(self, result: tuple[int, list[Finding]]) -> None:
        signed, findings = result
        self.signed = max(self.signed, signed)
        self._add_findings(findings)

    def _misnumbered(self, leaves: Iterable[StoredLeaf]) -> Iterator[Finding]:
        for number, leaf in enumerate(leaves, self.tree.size):
            # After a missing leaf all others are shifted: report only the first.
            if leaf.n - number != self._shift:
                self._shift = leaf.n - number
                yield Finding("leaves", f"leaf {leaf.n} stands here", number)

    def _check_nodes(self, nodes: Iterable[tuple[int, int, Hash]]) -> Iterator[Finding]:
        assert self._nodes is not None
        for level, rows in groupby(sorted(nodes), itemgetter(0)):
            expected = [(index, node) for _, index, node in rows]
            stored = self._nodes(level, expected[0][0], len(expected))
            for number, (index, node) in enumerate(expected):
                text = f"node {index} on level {level} is missing"
                if number < len(stored):
                    of = f"node {index} on level {level}"
                    text = f"the stored hash of {of} is not that of its leaves"
                if number >= len(stored) or stored[number] != node:
                    yield Finding("tree", text, index << level)


def check_notes(
    keys: KeyChain, notes: Iterable[tuple[int, str, Hash]]
) -> tuple[int, list[Finding]]:
    """Verify checkpoints over known roots; return the largest sound size, and findings."""
    signed, findings = 0, []
    for size, note, root in notes:
        try:
            checkpoint = keys.open(note)
        except FileError as error:
            findings.append(Finding("checkpoints", f"checkpoint {size}: {error}", size - 1))
            continue
        if (checkpoint.size, checkpoint.root) == (size, root):
            signed = max(signed, size)
            continue
        text = "does not have the root of the leaves"
        if checkpoint.size != size:
            text = f"is over {checkpoint.size} leaves"
        findings.append(Finding("checkpoints", f"checkpoint {size} {text}", size - 1))
    return signed, findings
