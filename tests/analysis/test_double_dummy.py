"""The double-dummy table: its layout, and its values against the naive solver."""

from __future__ import annotations

from itertools import combinations
from math import comb
from random import Random

import pytest

from casino.analysis.dd_index import (
    MAX_CARDS,
    TrickTable,
    best_tricks,
    empty_table,
    mark_ranks,
    shape_offsets,
    shapes,
    suit_codes,
    tricks_after_lead,
)
from casino.analysis.double_dummy import trick_table
from casino.analysis.numba_support import compiled
from casino.ecarte.cards import SUITS, card, card_set
from tests.analysis import naive

LAWS = pytest.mark.parametrize("strict", [True, False], ids=["strict", "ordinary"])


@compiled
def compiled_tricks(
    table: TrickTable, leader: int, other: int, lead: int, trumps: int
) -> tuple[int, int]:
    after = tricks_after_lead(table, leader ^ 1 << lead, other, lead, trumps)
    return best_tricks(table, leader, other, trumps), after


def bits(names: frozenset[str]) -> int:
    return card_set(map(card, names))


@LAWS
def test_table_holds_every_position(strict: bool) -> None:
    law = trick_table(strict)
    assert law.tricks.size == 81_501
    assert law.tricks[0] == 0
    assert law.tricks.max() == 5


@LAWS
@pytest.mark.parametrize(("size", "times"), [(1, 200), (2, 300), (3, 300), (4, 150), (5, 60)])
def test_table_agrees_with_naive_solver(strict: bool, size: int, times: int) -> None:
    rng, law = Random(size), trick_table(strict)
    plain = empty_table(strict)[0]._replace(tricks=law.tricks.tobytes())
    for _ in range(times):
        leader, other, trump = naive.position(rng, size)
        mine, theirs, trumps = bits(leader), bits(other), SUITS.index(trump)
        each = {lead: naive.after_lead(leader, other, lead, trump, strict) for lead in leader}
        most = max(each.values())
        assert best_tricks(plain, mine, theirs, trumps) == most
        for lead, taken in each.items():
            led = card(lead)
            assert tricks_after_lead(plain, mine ^ 1 << led, theirs, led, trumps) == taken
            assert compiled_tricks(law, mine, theirs, led, trumps) == (most, taken)


@pytest.mark.parametrize("cards", range(MAX_CARDS + 1))
def test_balanced_marks_have_distinct_ranks(cards: int) -> None:
    found = mark_ranks()
    rows = [sum(1 << at for at in chosen) for chosen in combinations(range(2 * cards), cards)]
    numbers = sorted(found[1 << 2 * cards | row] for row in rows)
    assert numbers == list(range(comb(2 * cards, cards)))


def test_shape_offsets_are_contiguous() -> None:
    found, size = shape_offsets()
    at = 0
    for cards in range(MAX_CARDS + 1):
        for a, b, c, d in shapes(2 * cards):
            assert found[((a * 9 + b) * 9 + c) * 9 + d] == at
            at += comb(2 * cards, cards)
    assert at == size == 81_501


def test_suit_code_starts_at_lowest_live_card() -> None:
    found = suit_codes()
    for leader, other in ((0b1000_0001, 0b0001_0000), (0b101, 0b010), (0b1000_0001, 0b10)):
        assert found[leader << 8 | other] == 0b101 << 4 | 3
    assert found[0b0110 << 8 | 0b1001] == 0b0110 << 4 | 4
    assert found[0] == 0
