"""The table of open positions against the slow way, and what must be true of all of them."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casino.analysis.double_dummy import best_tricks, trick_table, tricks_after_lead
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
