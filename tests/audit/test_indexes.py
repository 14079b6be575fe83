"""The rows that find leaves weigh the same on both sides, whichever way they are added up."""

from __future__ import annotations

from random import Random

import pytest

from casino.audit.checks.indexes import (
    MODULUS,
    IndexBuilder,
    answers_hash_sum,
    hash_sum,
    rows_of,
    split_ranges,
    stored_hash_sum,
)
from casino.events.types import Event, SeatChanged
from casino.ledger.entries import Entry
from casino.ledger.storage.base import LISTED, MENTION, IndexRow
from tests.audit.test_log import seat

RANGE = 1 << 16


def leaves(random: Random, number: int) -> dict[int, Event]:
    """Leaves of several ranges, some with two owners, some listed."""
    made: dict[int, Event] = {}
    for n in sorted(random.sample(range(3 * RANGE), number)):
        one, other = sorted(random.sample(["ann", "ben", "c|d", "é", "1"], 2))
        moved = ((f"wallet/{one}", -1), (f"wallet/{other}", 1))
        entry = Entry(at=5, entry=1, move="grant", postings=moved)
        made[n] = seat(one, "left") if n % 2 else entry
    return made


def found_by(all_leaves: dict[int, Event]) -> int:
    """What the leaves weigh, range by range."""
    total = 0
    for first in range(0, 3 * RANGE, RANGE):
        finders = IndexBuilder()
        for number, leaf in all_leaves.items():
            if first <= number < first + RANGE:
                finders.add_owners(number, leaf)
                if leaf.listed:
                    finders.add_kind(number, leaf)
        total += finders.hash_sum()
    return total % MODULUS


Rows = dict[str, list[tuple[str, int]]]


def stored(all_leaves: dict[int, Event]) -> Rows:
    """The rows as a file has them: by table, name and number."""
    rows: Rows = {MENTION: [], LISTED: []}
    for number, leaf in all_leaves.items():
        for row in rows_of(leaf, number):
            rows[row.table].append((row.name, row.first))
    return {table: sorted(found) for table, found in rows.items()}


def weight_of(rows: Rows) -> int:
    """What the rows of both tables weigh together."""
    return sum(stored_hash_sum(table, found) for table, found in rows.items()) % MODULUS


@pytest.mark.parametrize("number", [0, 1, 2, 50, 400])
def test_what_is_stored_weighs_what_the_leaves_do(number: int) -> None:
    """Over several ranges, for names that hold whatever a name may."""
    made = leaves(Random(number), number)
    assert weight_of(stored(made)) == found_by(made)


def test_every_row_that_is_another_weighs_another() -> None:
    """One that is missing, twice there, of another leaf, of another name, of another table."""
    made = leaves(Random(3), 60)
    rows = stored(made)
    due = found_by(made)
    mentions, listed = rows[MENTION], rows[LISTED]
    name, number = mentions[20]
    for other in (
        mentions[:20] + mentions[21:],
        sorted([*mentions, (name, number)]),
        sorted([*mentions[:20], (name, number + 1), *mentions[21:]]),
        sorted([*mentions[:20], (name + "x", number), *mentions[21:]]),
    ):
        assert weight_of({MENTION: other, LISTED: listed}) != due
    moved = sorted([*listed, (name, number)])
    assert weight_of({MENTION: mentions[:20] + mentions[21:], LISTED: moved}) != due


def test_subjects_weigh_row_by_row() -> None:
    """They reach over ranges, and are added up as games end."""
    rows = [IndexRow("subject", f"t1-{n:06}", n * RANGE, n * RANGE + 9) for n in range(4)]
    assert hash_sum(rows) == hash_sum(rows[::-1]) == sum(hash_sum([row]) for row in rows) % MODULUS
    assert hash_sum(rows[1:]) != hash_sum(rows)


def test_answers_weigh_the_same_in_ranges_and_as_a_whole() -> None:
    """A leaf side is added up range by range, the table beside it at once."""
    bound = [(n, f"{n:064x}") for n in (1, 7, RANGE - 1, RANGE, RANGE + 5, 2 * RANGE)]
    whole = answers_hash_sum(bound)
    assert sum(map(answers_hash_sum, (bound[:3], bound[3:5], bound[5:]))) % MODULUS == whole
    for at in range(len(bound)):
        assert answers_hash_sum(bound[:at] + bound[at + 1 :]) != whole
    assert answers_hash_sum([]) == 0


def test_a_seat_is_listed_and_an_entry_is_not() -> None:
    """So that both kinds of rows are looked at above."""
    assert SeatChanged.listed and not Entry.listed


@pytest.mark.parametrize("size", [0, 1, RANGE - 1, RANGE, RANGE + 1, 4 * RANGE, 9 * RANGE + 5])
@pytest.mark.parametrize("parts", [1, 2, 3, 64])
def test_parts_of_whole_ranges_hold_every_leaf_once(size: int, parts: int) -> None:
    """No more of them than asked for; each but the last ends where a range does."""
    spans = split_ranges(size, parts)
    assert len(spans) <= parts
    assert [end for _, end in spans[:-1]] == [first for first, _ in spans[1:]]
    assert not any(first % RANGE for first, _ in spans)
    assert (spans[0][0], spans[-1][1]) == (0, size) if size else not spans
