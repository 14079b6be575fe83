"""The layout of the table: every position has a place of its own, and no place is left over."""

from __future__ import annotations

from itertools import combinations
from math import comb
from random import Random

import pytest

from casino.analysis.dd_index import (
    LENGTH_BITS,
    MAX_CARDS,
    mark_ranks,
    shape_offsets,
    shapes,
    suit_codes,
)
from casino.analysis.double_dummy import table_index, trick_table


@pytest.mark.parametrize("cards", range(MAX_CARDS + 1))
def test_every_balanced_row_of_marks_has_a_rank_of_its_own(cards: int) -> None:
    found = mark_ranks()
    rows = [sum(1 << at for at in chosen) for chosen in combinations(range(2 * cards), cards)]
    numbers = sorted(found[1 << 2 * cards | row] for row in rows)
    assert numbers == list(range(comb(2 * cards, cards)))


def test_the_positions_of_each_shape_begin_where_those_before_it_end() -> None:
    found, size = shape_offsets()
    at = 0
    for cards in range(MAX_CARDS + 1):
        for a, b, c, d in shapes(2 * cards):
            assert found[((a * 9 + b) * 9 + c) * 9 + d] == at
            at += comb(2 * cards, cards)
    assert at == size == 81_501


def test_a_suit_is_marked_from_its_lowest_live_card_up() -> None:
    found = suit_codes()
    for leader, other in ((0b1000_0001, 0b0001_0000), (0b101, 0b010), (0b1000_0001, 0b10)):
        assert found[leader << 8 | other] == 0b101 << LENGTH_BITS | 3
    assert found[0b0110 << 8 | 0b1001] == 0b0110 << LENGTH_BITS | 4
    assert found[0] == 0


def test_a_place_is_found_from_the_lists_alone() -> None:
    random, by_suit, begin, rank = Random(5), suit_codes(), shape_offsets()[0], mark_ranks()
    for _ in range(400):
        size, trumps = random.randint(1, MAX_CARDS), random.randrange(4)
        drawn = random.sample(range(32), 2 * size)
        leader, other = (sum(1 << one for one in some) for some in (drawn[:size], drawn[size:]))
        marks, shape = 1, 0
        for suit in (0, 1, 2, 3):
            shift = 8 * (suit ^ trumps)
            code = by_suit[(leader >> shift & 255) << 8 | other >> shift & 255]
            length = code & (1 << LENGTH_BITS) - 1
            marks, shape = marks << length | code >> LENGTH_BITS, 9 * shape + length
        assert begin[shape] + rank[marks] == table_index(trick_table(), leader, other, trumps)
