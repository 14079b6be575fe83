"""The double-dummy table against the naive solver."""

from __future__ import annotations

from random import Random

import pytest

from casino.analysis.dd_index import TrickTable, best_tricks, empty_table, tricks_after_lead
from casino.analysis.numba_support import compiled
from casino.ecarte.cards import SUITS, card, card_set
from tests.analysis import naive
from tools.double_dummy import trick_table

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
@pytest.mark.parametrize(("size", "times"), [(1, 200), (2, 300), (3, 300), (4, 150), (5, 60)])
def test_table_agrees_with_naive_solver(strict: bool, size: int, times: int) -> None:
    rng, law = Random(size), trick_table(strict)
    plain = empty_table(strict)._replace(tricks=law.tricks.tobytes())
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
