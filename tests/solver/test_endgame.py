"""Open hands looked up without a compiler: the very numbers of the compiled table."""

from __future__ import annotations

from random import Random

import pytest

from casino.analysis import double_dummy
from casino.ecarte.cards import PACK, card_set
from casino.solver.evaluation.endgame import OpenCards, after_lead, leader_takes
from casino.solver.policy import tables

LAWS = pytest.mark.parametrize("strict", [True, False], ids=["strict", "ordinary"])


def spots(seed: int, number: int) -> list[tuple[int, int, int]]:
    rng = Random(seed)
    found = []
    for _ in range(number):
        size = rng.randrange(1, 6)
        dealt = rng.sample(PACK, 2 * size)
        found.append((card_set(dealt[:size]), card_set(dealt[size:]), rng.randrange(4)))
    return found


def table_of(strict: bool) -> OpenCards:
    return tables.policy_tables(strict).open_cards


@LAWS
def test_the_shipped_tricks_are_those_worked_out(strict: bool) -> None:
    packed = tables.load_packed()
    shipped = packed.strict if strict else packed.ordinary
    assert shipped == double_dummy.trick_table(strict).tricks.tobytes()


@LAWS
def test_plain_and_compiled_look_ups_agree(strict: bool) -> None:
    table, compiled = table_of(strict), double_dummy.trick_table(strict)
    for leader, other, trumps in spots(1, 2_000):
        assert leader_takes(table, leader, other, trumps) == double_dummy.best_tricks(
            compiled, leader, other, trumps
        )
        for lead in range(32):
            if leader >> lead & 1:
                kept = leader ^ 1 << lead
                assert after_lead(
                    table, kept, other, lead, trumps, strict
                ) == double_dummy.tricks_after_lead(compiled, leader, other, lead, trumps)
