"""The table of open positions: its layout, and its numbers against the slow way."""

from __future__ import annotations

from itertools import combinations
from math import comb
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casino.analysis.dd_index import (
    LENGTH_BITS,
    MAX_CARDS,
    mark_ranks,
    shape_offsets,
    shapes,
    suit_codes,
)
from casino.analysis.double_dummy import best_tricks, table_index, trick_table, tricks_after_lead
from casino.ecarte.cards import SUITS, card, card_set
from tests.analysis import naive

LAWS = pytest.mark.parametrize("strict", [True, False], ids=["strict", "ordinary"])


def bits(names: frozenset[str]) -> int:
    return card_set(map(card, names))


@LAWS
def test_the_table_holds_every_position(strict: bool) -> None:
    law = trick_table(strict)
    assert law.tricks.size == 81_501
    assert law.tricks[0] == 0
    assert law.tricks.max() == 5


@LAWS
@pytest.mark.parametrize(("size", "times"), [(1, 200), (2, 300), (3, 300), (4, 150), (5, 60)])
def test_the_table_agrees_with_the_slow_way(strict: bool, size: int, times: int) -> None:
    rng, law = Random(size), trick_table(strict)
    for _ in range(times):
        leader, other, trump = naive.position(rng, size)
        mine, theirs, trumps = bits(leader), bits(other), SUITS.index(trump)
        each = {lead: naive.after_lead(leader, other, lead, trump, strict) for lead in leader}
        most = max(each.values())
        assert best_tricks(law, mine, theirs, trumps) == most
        for lead, taken in each.items():
            assert tricks_after_lead(law, mine, theirs, card(lead), trumps) == taken


@settings(deadline=None)
@given(
    st.permutations(range(32)),
    st.integers(1, 5),
    st.permutations(range(4)),
    st.integers(0, 3),
    st.booleans(),
)
def test_the_names_of_the_suits_do_not_matter(
    pack: list[int], size: int, names: list[int], trumps: int, strict: bool
) -> None:
    law = trick_table(strict)
    leader, other = pack[:size], pack[size : 2 * size]

    def renamed(some: list[int]) -> int:
        return card_set(8 * names[one >> 3] | one & 7 for one in some)

    before = best_tricks(law, card_set(leader), card_set(other), trumps)
    assert best_tricks(law, renamed(leader), renamed(other), names[trumps]) == before


@LAWS
@settings(deadline=None)
@given(pack=st.permutations(range(32)), trumps=st.integers(0, 3))
def test_the_best_trumps_take_every_trick(strict: bool, pack: list[int], trumps: int) -> None:
    law = trick_table(strict)
    best = card_set(8 * trumps + rank for rank in range(3, 8))
    others = card_set([one for one in pack if one >> 3 != trumps][:5])
    assert best_tricks(law, best, others, trumps) == 5
    assert best_tricks(law, others, best, trumps) == 0


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
