"""Check one range of leaves on its own, so that ranges can be checked in parallel.

What a range cannot know alone (the tree to its left, earlier balances, games that begin or end
outside it) goes into a small summary that is joined in order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, Protocol

from casino.audit.checks.bots import Decide
from casino.audit.checks.game import GameLeaf
from casino.audit.checks.grants import Issued
from casino.audit.checks.indexes import answers_hash_sum, hash_sum
from casino.audit.checks.ledger import Correction, EntryPart, RequiredBankroll, RunningSum
from casino.audit.checks.limits import NO_ACTS, LimitedPlayers, LimitEvents
from casino.audit.checks.log import ProgramRuns
from casino.audit.checks.timing import GameWaits
from casino.audit.checks.voids import VoidedGame
from casino.audit.range_reader import OpeningLeaf, RangePass
from casino.audit.report import Finding
from casino.errors import FileError
from casino.events.types import TermsSet
from casino.ledger.storage.base import StoredLeaf
from casino.ledger.tlog.key_rotation import KeyChain
from casino.ledger.tlog.merkle import TILE, Hash, complete_subtrees, fold, range_hash

SIZE_LEVEL: Final = 2 * TILE
SIZE: Final = 1 << SIZE_LEVEL  # a complete subtree, so that ranges join without hashing again


class RangeReader(Protocol):
    """Reads one range; it can be sent to another process."""

    def batch(self) -> LeafRange:
        """Read the range."""

    def entry_rows(self, first: int, last: int) -> Sequence[tuple[int, int]] | None:
        """Return the stored numbers of entries and their leaves, or None if they are not stored."""


@dataclass
class LeafRange:
    """A range of leaves, the checkpoints within it, and the stored tree over it.

    `terms` are the table settings before it; `limited` says whose limits are checked as the leaves
    come. `faults` say what is unreadable, and `hidden` are the numbers of the leaves among that.
    """

    first: int
    leaves: list[StoredLeaf]
    checkpoints: list[tuple[int, str]]
    keys: KeyChain
    terms: list[TermsSet] = field(default_factory=list)
    tables: bool = True
    nodes: dict[int, list[Hash]] = field(default_factory=dict)
    games: bool = True
    decide: Decide | None = None
    limited: LimitedPlayers | None = None
    hidden: frozenset[int] = frozenset()
    faults: tuple[Finding, ...] = ()


@dataclass
class RangeOutcome:
    """The outcome of a range; `weight` is the hash sum of its index rows.

    It is `hides` if its hash is unknown because leaves are unreadable.
    """

    first: int
    leaves: int
    findings: list[Finding]
    subtrees: list[Hash]
    signed: list[tuple[int, Hash, Hash]]
    courses: dict[str, RunningSum]
    covers: list[RequiredBankroll]
    limited: set[str]
    bettors: set[str]
    entries: tuple[int | None, int]
    corrections: list[Correction]
    pieces: list[EntryPart]
    open_games: dict[str, list[GameLeaf]]
    weight: int
    openings: list[tuple[int, OpeningLeaf]]
    late: list[GameLeaf]
    shut: dict[str, list[GameLeaf]]
    answers: int
    span: tuple[int, int]
    games: int
    voids: list[VoidedGame]
    won: Counter[tuple[str, str]]
    acts: LimitEvents
    issued: list[Issued]
    runs: ProgramRuns
    waits: list[GameWaits]
    hides: bool


def check_leaves(job: RangeReader) -> RangeOutcome:
    """Read and check a range."""
    batch = job.batch()
    reading = RangePass(batch.terms, batch.games, batch.decide, batch.limited)
    reading.read(batch.first, batch.leaves)
    money = reading.money
    findings = reading.findings + money.findings
    if batch.hidden:
        findings = [finding for finding in findings if finding.leaf not in batch.hidden]
    findings += batch.faults
    instead, hides = _instead(batch)
    rows = _pyramid([sha256(b"\0" + leaf.body).digest() for leaf in batch.leaves], instead)
    findings += _check_nodes(batch, rows)
    signed, false = _check_checkpoints(batch, rows)
    findings += _check_entries(job.entry_rows(money.first or 0, money.last), money.rows)
    return RangeOutcome(
        batch.first,
        len(batch.leaves),
        findings + false,
        [rows[level][index] for level, index in complete_subtrees(len(batch.leaves))],
        signed,
        money.passing(),
        money.covers,
        reading.limited,
        reading.bettors,
        (money.first, money.last),
        money.corrections,
        money.pieces,
        reading.games,
        reading.finders.hash_sum() + hash_sum(reading.spans),
        reading.openings,
        reading.late,
        reading.shut,
        answers_hash_sum(reading.answers),
        (reading.began, reading.at),
        reading.ended,
        reading.voids,
        reading.won,
        NO_ACTS if reading.acting is None else reading.acting.acts,
        reading.issued,
        reading.runs,
        reading.waits,
        hides,
    )


def _instead(batch: LeafRange) -> tuple[dict[int, Hash], bool]:
    """Return the stored hashes that replace bundles with hidden leaves, and if any is missing."""
    bundles = {number - batch.first >> TILE for number in batch.hidden}
    stored = dict(enumerate(batch.nodes.get(TILE, ())))
    return {
        bundle: stored[bundle] for bundle in bundles & stored.keys()
    }, not bundles <= stored.keys()


def _pyramid(hashes: list[Hash], instead: dict[int, Hash]) -> list[list[Hash]]:
    rows = [hashes]
    while len(rows[-1]) > 1:
        below = rows[-1]
        pairs = zip(below[::2], below[1::2], strict=False)
        # This is `node_hash`, written out: half of all hashes of an audit are made here.
        rows.append([sha256(b"\1" + left + right).digest() for left, right in pairs])
        if len(rows) == TILE + 1:
            for index, hash_given in instead.items():
                rows[TILE][index] = hash_given
    return rows


def _check_nodes(batch: LeafRange, rows: list[list[Hash]]) -> Iterable[Finding]:
    for level in (TILE, SIZE_LEVEL) if batch.tables else ():
        expected = rows[level] if level < len(rows) else []
        stored = batch.nodes.get(level, [])
        for index in range(max(len(expected), len(stored))):
            at = (batch.first >> level) + index
            if index >= len(stored):
                yield Finding("tree", f"node {at} on level {level} is missing", at << level)
            elif index >= len(expected) or stored[index] != expected[index]:
                text = f"the stored hash of node {at} on level {level} is not that of its leaves"
                yield Finding("tree", text, at << level)


def _check_checkpoints(
    batch: LeafRange, rows: list[list[Hash]]
) -> tuple[list[tuple[int, Hash, Hash]], list[Finding]]:
    signed, findings = [], []
    for size, note in batch.checkpoints:
        try:
            checkpoint = batch.keys.open(note)
        except FileError as error:
            findings.append(Finding("checkpoints", f"checkpoint {size}: {error}", size - 1))
            continue
        within = size - batch.first
        if _is_partly_hidden(batch, size):
            continue
        if checkpoint.size != size or within > len(batch.leaves):
            text = f"checkpoint {size} is over {checkpoint.size} leaves"
            findings.append(Finding("checkpoints", text, size - 1))
            continue
        part = range_hash(0, within, lambda level, index: rows[level][index])
        signed.append((size, part, checkpoint.root))
    return signed, findings


def _is_partly_hidden(batch: LeafRange, size: int) -> bool:
    whole = size >> TILE << TILE
    return any(whole <= number < size for number in batch.hidden)


def _check_entries(
    stored: Sequence[tuple[int, int]] | None, expected: Sequence[tuple[int, int]]
) -> list[Finding]:
    """Compare the stored entries with those of the leaves; report the first that differ."""
    if stored is None or list(stored) == list(expected):
        return []
    expected_rows = set(expected)
    return [
        Finding(
            "tables",
            f"entry {number} "
            f"{'is missing' if (number, leaf) in expected_rows else 'is not in the log'}",
            leaf,
            entry=number,
        )
        for number, leaf in sorted(set(stored) ^ expected_rows)[:20]
    ]


__all__ = ["SIZE", "SIZE_LEVEL", "LeafRange", "RangeOutcome", "check_leaves", "fold"]
