"""What the file stores to find leaves by, against what the leaves say.

Rows are compared as a sum of hashes, so that neither side needs to be held or sorted; only where
the sums differ are the leaves read once more, to say which rows are wrong.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from typing import Final

from casino.audit.findings import Finding
from casino.audit.shut import LAST
from casino.bank.eventlog import EventLog
from casino.bank.leaves import AnswersGiven
from casino.bank.merkle import TILE
from casino.bank.store import LookUp
from casino.bank.transaction import answers_hash
from casino.events.kinds import Event
from casino.events.reading import read_if_sound

MODULUS: Final = 1 << 128

RANGE_LEVEL: Final = 2 * TILE
"""Leaves are read in ranges of two to the power of this many."""

_MOST: Final = 20
_MOST_ANSWERS: Final = 200


def weight(rows: Iterable[LookUp]) -> int:
    """The sum of hashes over rows: another one if any row differs."""
    total = 0
    for table, name, first, last in rows:
        total += _hash(f"{table}|{first}|{last}|{name}")
    return total % MODULUS


class Finders:
    """The rows that find the leaves of one range, those of subjects aside, as they are read.

    All rows of a name in a range weigh together what one row would: a log has millions of them.
    """

    def __init__(self) -> None:
        self.mentions: defaultdict[str, list[int]] = defaultdict(list)
        self.listed: defaultdict[str, list[int]] = defaultdict(list)

    def own(self, number: int, leaf: Event) -> None:
        """A leaf is found by its owners."""
        for owner in leaf.owners:
            self.mentions[owner].append(number)

    def list(self, number: int, leaf: Event) -> None:
        """A leaf is found by its kind."""
        self.listed[leaf.kind].append(number)

    def weight(self) -> int:
        """The sum of hashes over all of them."""
        total = 0
        for table, names in (("mention", self.mentions), ("listed", self.listed)):
            total += sum(_weight_of(table, name, numbers) for name, numbers in names.items())
        return total % MODULUS


def _weight_of(table: str, name: str, numbers: Sequence[int]) -> int:
    """The hash of the rows of one name in one range."""
    return _hash(f"{table}|{name}|{numbers}")


def _hash(said: str) -> int:
    """A hash of a text as a number."""
    return int.from_bytes(sha256(said.encode(errors="surrogatepass")).digest()[:16])


def stored_weight(rows: Iterable[LookUp]) -> int:
    """The sum of hashes over the rows stored, which come by their tables and names."""
    total = 0
    for (table, name), found in groupby(rows, itemgetter(0, 1)):
        if table == "subject":
            total += weight(found)
            continue
        numbers = [row[2] for row in found]
        while numbers:
            end = bisect_left(numbers, (numbers[0] >> RANGE_LEVEL) + 1 << RANGE_LEVEL)
            total += _weight_of(table, name, numbers[:end])
            del numbers[:end]
    return total % MODULUS


def rows_of(leaf: Event, number: int) -> Iterator[LookUp]:
    """The rows that find one leaf, its subject aside."""
    for owner in leaf.owners:
        yield LookUp("mention", owner, number, None)
    if leaf.listed:
        yield LookUp("listed", leaf.kind, number, None)


def span_of(game: str, first: int, last: int | None) -> LookUp:
    """The row that finds the leaves of a game."""
    return LookUp("subject", game, first, last)


def answers_weight(bound: Iterable[tuple[int, str]]) -> int:
    """The sum of hashes over leaves that bind answers, and by which hash, in their order."""
    ranges = groupby(bound, lambda one: one[0] >> RANGE_LEVEL)
    return sum(_hash(f"answers|{list(some)}") for _, some in ranges) % MODULUS


def check_look_ups(log: EventLog, due: int, running: set[str]) -> Iterator[Finding]:
    """The rows stored are those due; those that are not are found one by one."""
    if stored_weight(log.store.look_ups()) == due:
        return
    expected: set[LookUp] = set()
    spans: dict[str, tuple[int, int]] = {}
    over: set[str] = set()
    for stored in log.leaves():
        leaf = read_if_sound(stored.body)
        if leaf is not None:
            expected.update(rows_of(leaf, stored.n))
            if leaf.kind in LAST and leaf.subject is not None:
                over.add(leaf.subject)
            if leaf.late:
                game = leaf.subject or ""
                expected.update([span_of(game, stored.n, stored.n)] if game in over else [])
            elif leaf.subject is not None:
                first, _ = spans.get(leaf.subject, (stored.n, 0))
                spans[leaf.subject] = first, stored.n
    for game, (first, last) in spans.items():
        expected.add(span_of(game, first, None if game in running else last))
    yield from _differing(expected, set(log.store.look_ups()), "what the leaves say")


def check_answers(log: EventLog, due: int) -> Iterator[Finding]:
    """Every answer is the one given: the leaf that binds it has the hash of it (L21)."""
    if answers_weight(_answers_of(log)) == due:
        return
    expected = {
        (stored.n, leaf.hash)
        for stored in log.leaves()
        if isinstance(leaf := read_if_sound(stored.body), AnswersGiven)
    }
    said = dict(expected)
    wrong = {number for number, _ in expected ^ set(_answers_of(log))}
    for place in sorted(wrong)[:_MOST_ANSWERS]:
        text = "an answer is kept that no leaf binds"
        if place in said:
            text = "an answer to one of its commands is not the one that was given"
        yield Finding("commands", text, place)


def _answers_of(log: EventLog) -> Iterator[tuple[int, str]]:
    """The leaves that must bind the answers stored, and by which hash."""
    for bound, rows in groupby(log.store.answers(), itemgetter(0)):
        yield bound, answers_hash(answered for _, answered in rows)


def _differing(expected: set[LookUp], found: set[LookUp], must: str) -> Iterator[Finding]:
    """The rows that are in one of two sets only."""
    for row in sorted(expected ^ found, key=lambda row: (row.first, row.table))[:_MOST]:
        what = "is missing" if row in expected else f"is not {must}"
        yield Finding("tables", f"{row.table} {row.name} {what}", row.first)
