"""What the file stores to find leaves by, against what the leaves say.

Rows are compared as a sum of hashes, so that neither side needs to be held or sorted; only where
the sums differ are the leaves read once more, to say which rows are wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from typing import Final

from casino.audit.findings import Finding
from casino.audit.shut import LAST
from casino.bank.eventlog import EventLog
from casino.bank.leaves import AnswersGiven
from casino.bank.store import LookUp
from casino.bank.transaction import answers_hash
from casino.events.kinds import Event
from casino.events.reading import read_if_sound

MODULUS: Final = 1 << 128
_MOST: Final = 20
_MOST_ANSWERS: Final = 200


def weight(rows: Iterable[LookUp]) -> int:
    """The sum of hashes over rows: another one if any row differs."""
    total = 0
    for row in rows:
        said = f"{row.table}|{row.first}|{row.last}|{row.name}".encode(errors="surrogatepass")
        total += int.from_bytes(sha256(said).digest()[:16])
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


def bound_by(leaf: AnswersGiven, number: int) -> LookUp:
    """The answers that a leaf binds, as a row."""
    return LookUp("answers", leaf.hash, number, None)


def check_look_ups(log: EventLog, due: int, running: set[str]) -> Iterator[Finding]:
    """The rows stored are those due; those that are not are found one by one."""
    if weight(log.store.look_ups()) == due:
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
    if weight(_answers_of(log)) == due:
        return
    expected = {
        bound_by(leaf, stored.n)
        for stored in log.leaves()
        if isinstance(leaf := read_if_sound(stored.body), AnswersGiven)
    }
    said = {row.first for row in expected}
    wrong = {row.first for row in expected ^ set(_answers_of(log))}
    for place in sorted(wrong)[:_MOST_ANSWERS]:
        text = "an answer is kept that no leaf binds"
        if place in said:
            text = "an answer to one of its commands is not the one that was given"
        yield Finding("commands", text, place)


def _answers_of(log: EventLog) -> Iterator[LookUp]:
    """The answers stored, by the leaves that must bind them."""
    for bound, rows in groupby(log.store.answers(), itemgetter(0)):
        yield LookUp("answers", answers_hash(answered for _, answered in rows), bound, None)


def _differing(expected: set[LookUp], found: set[LookUp], must: str) -> Iterator[Finding]:
    """The rows that are in one of two sets only."""
    for row in sorted(expected ^ found, key=lambda row: (row.first, row.table))[:_MOST]:
        what = "is missing" if row in expected else f"is not {must}"
        yield Finding("tables", f"{row.table} {row.name} {what}", row.first)
