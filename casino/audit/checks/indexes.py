"""Check the index rows stored in the file against the leaves.

Rows are compared as sums of hashes, so neither side is held in memory or sorted. Only where the
sums differ are the leaves read again to find the wrong rows.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from typing import Final

from casino.audit.checks.withholding import LAST
from casino.audit.report import Finding
from casino.events.codec import decode_or_none
from casino.events.types import Event
from casino.ledger.entries import AnswersGiven
from casino.ledger.log_reader import LogReader
from casino.ledger.storage.base import ALL, LISTED, MENTION, SUBJECT, IndexRow, LogQueries
from casino.ledger.tlog.merkle import TILE
from casino.ledger.transaction import answers_hash

MODULUS: Final = 1 << 128

RANGE_LEVEL: Final = 2 * TILE  # leaves are read in ranges of two to this power

ANSWERS: Final = "answers"

FINDERS: Final = (MENTION, LISTED)  # the tables that index single leaves, the longest first

_MOST: Final = 20
_MAX_ANSWERS: Final = 200


def hash_sum(rows: Iterable[IndexRow]) -> int:
    """Return the sum of the hashes of some rows; it changes if any row does."""
    total = 0
    for table, name, first, last in rows:
        total += _hash(f"{table}|{first}|{last}|{name}")
    return total % MODULUS


class IndexBuilder:
    """Builds the index rows of one range of leaves, except those of subjects.

    All rows of one name in a range are hashed together: a log has millions of them.
    """

    def __init__(self) -> None:
        self.mentions: defaultdict[str, list[int]] = defaultdict(list)
        self.listed: defaultdict[str, list[int]] = defaultdict(list)

    def add_owners(self, number: int, leaf: Event) -> None:
        """Index a leaf by its owners."""
        for owner in leaf.owners:
            self.mentions[owner].append(number)

    def add_kind(self, number: int, leaf: Event) -> None:
        """Index a leaf by its kind."""
        self.listed[leaf.kind].append(number)

    def hash_sum(self) -> int:
        """Return the sum of the hashes of all rows."""
        total = 0
        for table, names in ((MENTION, self.mentions), (LISTED, self.listed)):
            for name, numbers in names.items():
                total += _weight_of(table, name, array("q", numbers))
        return total % MODULUS


def _weight_of(table: str, name: str, numbers: array[int]) -> int:
    return _hash(f"{table}|{name}|", numbers.tobytes())


def _hash(text: str, then: bytes = b"") -> int:
    data = text.encode(errors="surrogatepass") + then
    return int.from_bytes(sha256(data).digest()[:16])


def stored_hash_sum(table: str, rows: Iterable[tuple[str, int]]) -> int:
    """Return the sum of the hashes of a table's stored rows, read in order of name and number."""
    total = 0
    for name, group_rows in groupby(rows, itemgetter(0)):
        numbers, first = array("q", [number for _, number in group_rows]), 0
        while first < len(numbers):
            end = bisect_left(numbers, (numbers[first] >> RANGE_LEVEL) + 1 << RANGE_LEVEL)
            total += _weight_of(table, name, numbers[first:end])
            first = end
    return total % MODULUS


def rows_of(leaf: Event, number: int) -> Iterator[IndexRow]:
    """Yield the rows that index one leaf, except its subject's."""
    for owner in leaf.owners:
        yield IndexRow(MENTION, owner, number, None)
    if leaf.listed:
        yield IndexRow(LISTED, leaf.kind, number, None)


def game_span(game: str, first: int, last: int | None) -> IndexRow:
    """Return the row that indexes the leaves of a game."""
    return IndexRow(SUBJECT, game, first, last)


def answers_hash_sum(bound: Iterable[tuple[int, str]]) -> int:
    """Return the sum of the hashes of the leaves that bind answers, in their order."""
    ranges = groupby(bound, lambda item: item[0] >> RANGE_LEVEL)
    return sum(_hash(f"answers|{list(group_items)}") for _, group_items in ranges) % MODULUS


def stored_range_hash_sum(store: LogQueries, table: str, first: int, end: int) -> int:
    """Return the sum of the hashes of the rows a store keeps for whole ranges.

    These rows never change, so a running casino may keep writing.
    """
    if table == ANSWERS:
        return answers_hash_sum(_answers_of(store, first, end))
    return stored_hash_sum(table, store.single_leaf_rows(table, first, end))


def split_ranges(size: int, parts: int) -> list[tuple[int, int]]:
    """Split `size` leaves into at most `parts` whole ranges, each given by its first leaf and its
    end.

    >>> split_ranges(200_000, 2)
    [(0, 131072), (131072, 200000)]
    """
    ranges = -(-size >> RANGE_LEVEL)
    step = max(1, -(-ranges // parts)) << RANGE_LEVEL
    return [(first, min(first + step, size)) for first in range(0, size, step)]


def check_indexes(
    log: LogReader, expected_sum: int, stored: int, running: set[str]
) -> Iterator[Finding]:
    """Compare the stored rows with the rows expected; differences are located one by one.

    `stored` is the hash sum of the rows of single leaves.
    """
    if (stored + hash_sum(log.store.subjects())) % MODULUS == expected_sum:
        return
    expected: set[IndexRow] = set()
    spans: dict[str, tuple[int, int]] = {}
    over: set[str] = set()
    for stored_leaf in log.leaves():
        leaf, number = decode_or_none(stored_leaf.body), stored_leaf.n
        if leaf is not None:
            expected.update(rows_of(leaf, number))
            if leaf.kind in LAST and leaf.subject is not None:
                over.add(leaf.subject)
            if leaf.late:
                game = leaf.subject or ""
                expected.update([game_span(game, number, number)] if game in over else [])
            elif leaf.subject is not None:
                first, _ = spans.get(leaf.subject, (number, 0))
                spans[leaf.subject] = first, number
    for game, (first, last) in spans.items():
        expected.add(game_span(game, first, None if game in running else last))
    yield from _differing(expected, set(log.store.index_rows()), "what the leaves say")


def check_answers(log: LogReader, expected_sum: int, stored: int) -> Iterator[Finding]:
    """Check every stored answer against the hash in the leaf that binds it (L21)."""
    if stored == expected_sum:
        return
    expected = {
        (stored_leaf.n, leaf.hash)
        for stored_leaf in log.leaves()
        if isinstance(leaf := decode_or_none(stored_leaf.body), AnswersGiven)
    }
    answer_by_leaf = dict(expected)
    wrong = {number for number, _ in expected ^ set(_answers_of(log.store))}
    for index in sorted(wrong)[:_MAX_ANSWERS]:
        text = "an answer is kept that no leaf binds"
        if index in answer_by_leaf:
            text = "an answer to one of its commands is not the one that was given"
        yield Finding("commands", text, index)


def _answers_of(store: LogQueries, first: int = 0, end: int = ALL) -> Iterator[tuple[int, str]]:
    for bound, rows in groupby(store.answers(first, end), itemgetter(0)):
        yield bound, answers_hash(answered for _, answered in rows)


def _differing(expected: set[IndexRow], rows: set[IndexRow], must: str) -> Iterator[Finding]:
    for row in sorted(expected ^ rows, key=lambda row: (row.first, row.table))[:_MOST]:
        fault = "is missing" if row in expected else f"is not {must}"
        yield Finding("tables", f"{row.table} {row.name} {fault}", row.first)
