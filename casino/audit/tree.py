"""Check the Merkle tree and the columns by which leaves are found, in one pass over the leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from typing import Final

from casino.audit.check import Finding
from casino.audit.source import Chunk, FileSource, LeafRows, Source
from casino.errors import FileError
from casino.ledger.storage.base import StorageError, look_up
from casino.ledger.tlog import Frontier, Hash, KeyChain

_MAX_UNFOUND: Final = 20  # leaves reported because their columns do not find them


def check_tree(reopen: Callable[[], Source], keys: KeyChain) -> CheckedTree:
    """Check the tree of a log, up to the first unreadable leaf.

    `reopen` opens the log again, as this runs in another process.
    """
    source, checked = reopen(), CheckedTree()
    with source.snapshot(), suppress(StorageError):
        for chunk in source.chunks():
            checked.add(chunk, keys, source)
    return checked


class CheckedTree:
    """The tree of a log's leaves, the size of its largest valid checkpoint, and the findings."""

    def __init__(self) -> None:
        self.tree = Frontier()
        self.signed = 0
        self.findings: list[Finding] = []
        self._shift = 0
        self._unfound = 0

    def add(self, chunk: Chunk, keys: KeyChain, source: Source) -> None:
        """Check the next leaves, and the checkpoints that end within them."""
        leaves, notes = chunk
        first, done = self.tree.size, 0
        numbers = [row[0] for row in leaves]
        if numbers != list(range(first, first + len(leaves))):
            self.findings += self._misnumbered(numbers)
        hashes = [sha256(b"\0" + row[1]).digest() for row in leaves]
        nodes = []
        for size, note in notes:
            nodes += self.tree.extend(hashes[done : size - first])
            done = size - first
            self.findings += self._check_note(size, note, keys)
        nodes += self.tree.extend(hashes[done:])
        if isinstance(source, FileSource):
            self.findings += _check_nodes(source, nodes)
            self.findings += self._check_look_ups(source, leaves)

    def _check_note(self, size: int, note: str, keys: KeyChain) -> Iterator[Finding]:
        try:
            checkpoint = keys.open(note)
        except FileError as error:
            yield Finding("checkpoints", f"checkpoint {size}: {error}", size - 1)
            return
        if (checkpoint.size, checkpoint.root) == (size, self.tree.root()):
            self.signed = size
            return
        text = "does not match the root of the leaves"
        if checkpoint.size != size:
            text = f"covers {checkpoint.size} leaves"
        yield Finding("checkpoints", f"checkpoint {size} {text}", size - 1)

    def _check_look_ups(self, source: FileSource, leaves: LeafRows) -> Iterator[Finding]:
        spans, subject, ranges = cache(source.log.spans), "", list[tuple[int, int]]()
        for n, body, kind, owner in leaves:
            *expected, game = look_up(body)
            is_found = [kind, owner] == expected
            if game is not None and is_found:
                if game != subject:
                    subject, ranges = game, spans(game)
                # A leaf that is in two ranges would be found twice.
                is_found = len([1 for first, last in ranges if first <= n <= last]) == 1
            if not is_found and self._unfound < _MAX_UNFOUND:
                self._unfound += 1
                text = "this leaf cannot be found by its type, owner or game"
                yield Finding("tables", text, n)

    def _misnumbered(self, numbers: Iterable[int]) -> Iterator[Finding]:
        for number, n in enumerate(numbers, self.tree.size):
            # After a missing leaf all later numbers are shifted: report only the first.
            if n - number != self._shift:
                self._shift = n - number
                # If an earlier number was changed alone, the next leaf is in its own place again.
                if self._shift:
                    text = f"leaf {number} is missing: leaf {n} is in its place"
                    yield Finding("leaves", text, number)


def _check_nodes(source: FileSource, nodes: Iterable[tuple[int, int, Hash]]) -> Iterator[Finding]:
    for level, index, node in sorted(nodes):
        name, stored = f"node {index} on level {level}", source.log.nodes(level, index, 1)
        if not stored:
            yield Finding("tree", f"{name} is missing", index << level)
        elif stored != [node]:
            text = f"the stored hash of {name} is not that of its leaves"
            yield Finding("tree", text, index << level)
