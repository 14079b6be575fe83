"""Check the Merkle tree: leaf numbers, stored hashes, and the root that each checkpoint signs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from casino.audit.report import Finding
from casino.audit.source import FileSource, Source
from casino.errors import FileError
from casino.ledger.storage.base import StoredLeaf
from casino.ledger.tlog import Frontier, Hash, KeyChain
from casino.ledger.transaction import StoredCheckpoint


class CheckedTree(NamedTuple):
    """The tree's size and root, the size of the largest valid checkpoint, and the findings."""

    size: int
    root: Hash
    signed: int
    findings: list[Finding]


def check_tree(reopen: Callable[[], Source], keys: KeyChain) -> CheckedTree:
    """Check the tree of a log; `reopen` opens the log again, as this runs in another process."""
    source = reopen()
    check = _TreeCheck(keys, source)
    with source.snapshot():
        for leaves, notes in source.chunks():
            check.add(leaves, notes)
    return CheckedTree(check.tree.size, check.tree.root(), check.signed, check.findings)


class _TreeCheck:
    def __init__(self, keys: KeyChain, source: Source) -> None:
        self.tree = Frontier()
        self.signed = 0
        self.findings: list[Finding] = []
        self._keys = keys
        self._source = source
        self._shift = 0

    def add(self, leaves: Sequence[StoredLeaf], notes: Iterable[StoredCheckpoint]) -> None:
        """Check the next leaves, and the checkpoints whose trees end among them."""
        first, done = self.tree.size, 0
        if [leaf.n for leaf in leaves] != list(range(first, first + len(leaves))):
            self.findings += self._misnumbered(leaves)
        hashes = [sha256(b"\0" + body).digest() for _, body in leaves]
        nodes = []
        for size, note in notes:
            nodes += self.tree.extend(hashes[done : size - first])
            done = size - first
            self.findings += self._check_note(size, note)
        nodes += self.tree.extend(hashes[done:])
        if isinstance(self._source, FileSource):
            self.findings += _check_nodes(self._source, nodes)

    def _check_note(self, size: int, note: str) -> Iterator[Finding]:
        try:
            checkpoint = self._keys.open(note)
        except FileError as error:
            yield Finding("checkpoints", f"checkpoint {size}: {error}", size - 1)
            return
        if (checkpoint.size, checkpoint.root) == (size, self.tree.root()):
            self.signed = size
            return
        text = "does not have the root of the leaves"
        if checkpoint.size != size:
            text = f"is over {checkpoint.size} leaves"
        yield Finding("checkpoints", f"checkpoint {size} {text}", size - 1)

    def _misnumbered(self, leaves: Iterable[StoredLeaf]) -> Iterator[Finding]:
        for number, leaf in enumerate(leaves, self.tree.size):
            # After a missing leaf all later numbers are shifted: report only the first.
            if leaf.n - number != self._shift:
                self._shift = leaf.n - number
                yield Finding("leaves", f"leaf {leaf.n} stands here", number)


def _check_nodes(source: FileSource, nodes: Iterable[tuple[int, int, Hash]]) -> Iterator[Finding]:
    for level, rows in groupby(sorted(nodes), itemgetter(0)):
        expected = [(index, node) for _, index, node in rows]
        stored = source.log.nodes(level, expected[0][0], len(expected))
        for number, (index, node) in enumerate(expected):
            text = f"node {index} on level {level} is missing"
            if number < len(stored):
                of = f"node {index} on level {level}"
                text = f"the stored hash of {of} is not that of its leaves"
            if number >= len(stored) or stored[number] != node:
                yield Finding("tree", text, index << level)
