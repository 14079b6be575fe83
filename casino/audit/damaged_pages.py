"""Audit a damaged file: check the readable leaves and report the unreadable ones.

The stored hash of a bundle replaces the hashes of its unreadable leaves, so that the root still
proves all other leaves.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Final

from casino.audit.range import LeafRange, RangeOutcome, RangeReader, check_leaves
from casino.audit.report import Finding
from casino.audit.source import FileJob, cached_reader, terms_in
from casino.events.types import TermsSet
from casino.ledger.storage.base import StorageError, StoredLeaf
from casino.ledger.tlog.merkle import TILE, Hash

LEVELS: Final = (TILE, 2 * TILE)  # stored levels of the tree within a range


def check_range(job: RangeReader) -> RangeOutcome:
    """Read and check a range, leaf by leaf if a page of it is damaged."""
    # The decoded leaves all stay alive, so that collecting garbage would only cost time.
    looking = gc.isenabled()
    gc.disable()
    try:
        return check_leaves(job)
    except StorageError:
        if not isinstance(job, FileJob):
            raise
        return check_leaves(PageByPageJob(job))
    finally:
        if looking:
            gc.enable()


class PageByPageJob:
    """A partly unreadable range, read leaf by leaf."""

    def __init__(self, job: FileJob) -> None:
        self.job = job
        self.log = cached_reader(job.location)
        self.hidden: dict[int, str] = {}
        self.faults: list[Finding] = []

    def batch(self) -> LeafRange:
        """Read the readable leaves, and add findings about everything unreadable."""
        job = self.job
        leaves = [self._leaf(number) for number in range(job.first, job.end)]
        self._say_hidden()
        checkpoints = self._checkpoints()
        nodes = self._nodes()
        return LeafRange(
            job.first,
            leaves,
            checkpoints,
            job.keys,
            self._terms(),
            tables=len(nodes) == len(LEVELS),
            nodes=nodes,
            games=job.games,
            decide=job.decide,
            hidden=frozenset(self.hidden),
            faults=(*self.faults, *self._unchecked()),
        )

    def answers(self) -> list[tuple[int, str]] | None:
        """Return the hashes of stored command replies by leaf, or None if unreadable."""
        try:
            return self.job.answers()
        except StorageError:
            return None

    def _unchecked(self) -> Iterator[Finding]:
        if self.answers() is None:
            yield Finding("commands", "the answers cannot be read", self.job.first)

    def _leaf(self, number: int) -> StoredLeaf:
        row = self._read(number)
        if isinstance(row, StoredLeaf):
            return row
        self.hidden[number] = row
        return StoredLeaf(number, b"")

    def _read(self, number: int) -> StoredLeaf | str:
        try:
            row = next(self.log.leaves(number, 1), None)
        except StorageError as error:
            return str(error)
        return "its row is missing" if row is None or row.n != number else row

    def _say_hidden(self) -> None:
        # Consecutive numbers share the difference between number and position.
        runs = groupby(enumerate(self.hidden), lambda pair: pair[1] - pair[0])
        for _, run in runs:
            first, *more = [number for _, number in run]
            text = f"this leaf cannot be read: {self.hidden[first]}"
            self.faults.append(Finding("leaves", text, first))
            if more:
                text = f"nor can any from here to leaf {more[-1]}"
                self.faults.append(Finding("leaves", text, more[0]))

    def _checkpoints(self) -> list[tuple[int, str]]:
        checkpoints = []
        try:
            for checkpoint in self.log.checkpoints(self.job.first):
                if checkpoint.size > self.job.end:
                    break
                checkpoints.append((checkpoint.size, str(checkpoint.note)))
        except StorageError as error:
            text = f"the signatures kept from here on cannot be read: {error}"
            self.faults.append(Finding("checkpoints", text, self.job.first))
        return checkpoints

    def _nodes(self) -> dict[int, list[Hash]]:
        nodes = {}
        for level in LEVELS:
            first, end = self.job.first >> level, self.job.end >> level
            try:
                nodes[level] = self.log.store.nodes(level, first, end - first)
            except StorageError as error:
                text = f"the stored hashes on level {level} cannot be read: {error}"
                self.faults.append(Finding("tree", text, self.job.first))
        return nodes

    def _terms(self) -> list[TermsSet]:
        before = self.job.first
        try:
            # With `before`, the newest come first.
            return [*terms_in(self.log.of_kinds(["terms"], before=before))][::-1]
        except StorageError:
            # The index is damaged, so search the leaves themselves.
            rows = map(self._read, range(before))
            return list(terms_in(row for row in rows if isinstance(row, StoredLeaf)))


class FaultTolerantReader:
    """Runs audit steps. A damaged page ends only the current step and becomes a finding."""

    def __init__(self, findings: list[Finding]) -> None:
        self.findings = findings

    def __call__(self, work: str, piece: Callable[[], Iterable[Finding]]) -> None:
        """Run one step; `work` names it in the finding if it cannot be completed."""
        try:
            self.findings.extend(piece())
        except StorageError as error:
            self.findings.append(Finding("file", f"{work} could not be checked: {error}"))
