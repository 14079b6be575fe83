"""Open hands looked up without a compiler: the very numbers of the compiled table."""

from __future__ import annotations

from random import Random

import pytest

from casino.analysis import dd_index, double_dummy
from casino.ecarte.cards import PACK, SUITS, card, card_set, cards, cards_in, format_card
from casino.solver.evaluation.endgame import OpenCards, after_lead, leader_takes, taken_after_reply
from casino.solver.policy import tables
from tests.analysis import naive

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


@LAWS
def test_a_naive_solver_finds_the_same(strict: bool) -> None:
    table = table_of(strict)
    for leader, other, trumps in spots(3, 60):
        mine, yours = (frozenset(map(format_card, cards_in(some))) for some in (leader, other))
        expected = naive.tricks(mine, yours, SUITS[trumps], strict)
        assert leader_takes(table, leader, other, trumps) == expected


def test_the_best_lead_takes_what_the_table_says() -> None:
    table = table_of(True)
    for leader, other, trumps in spots(2, 500):
        leads = [one for one in range(32) if leader >> one & 1]
        best = max(after_lead(table, leader ^ 1 << one, other, one, trumps, True) for one in leads)
        assert best == leader_takes(table, leader, other, trumps)


def test_a_reply_that_wins_takes_the_lead() -> None:
    table = table_of(True)
    left, kept = card_set(cards("7H")), card_set(cards("8H"))
    led = card("QS")
    assert taken_after_reply(table, left, kept, led, card("KS"), 1) == 0
    assert taken_after_reply(table, left, kept, led, card("7S"), 1) == 1
    assert taken_after_reply(table, kept, left, led, card("KS"), 1) == 1


def test_the_layout_has_a_place_for_every_position() -> None:
    starts, size = dd_index.shape_offsets()
    assert size == 81_501
    assert len(set(starts)) > 400
    assert sum(dd_index.count_positions(n) for n in range(dd_index.MAX_CARDS + 1)) == size
    assert [dd_index.count_positions(n) for n in range(3)] == [1, 20, 210]
    ranks = dd_index.mark_ranks()
    for n in range(dd_index.MAX_CARDS + 1):
        rows = [1 << 2 * n | m for m in range(1 << 2 * n) if m.bit_count() == n]
        assert [ranks[row] for row in rows] == list(range(len(rows)))
    assert set(dd_index.shapes(2)) == {
        tuple(2 * (at == place) for at in range(4)) for place in range(4)
    } | {
        tuple(int(at in pair) for at in range(4))
        for pair in ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
    }
