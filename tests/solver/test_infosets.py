"""Where decisions stand in the tables: each in a place of its own."""

from __future__ import annotations

from itertools import product

import pytest

from casino.solver.policy import infosets
from casino.solver.policy.abstraction import KINDS

TOOK = range(1, 6)


def test_contexts_tell_apart_what_is_public() -> None:
    words = {infosets.speak_context(0, 0), infosets.answer_context(0, 0)}
    words |= {infosets.speak_context(1, took) for took in TOOK}
    words |= {infosets.answer_context(2, took) for took in TOOK}
    assert words == set(range(infosets.WORDS))
    takes = {infosets.elder_takes_context(0, 0)}
    takes |= {infosets.elder_takes_context(1, took) for took in TOOK}
    takes |= {infosets.dealer_takes_context(n, took) for n, took in product((0, 1), TOOK)}
    assert takes == set(range(infosets.TAKES))


@pytest.mark.parametrize(("took", "group"), [(1, 0), (2, 0), (3, 1), (4, 2), (5, 2)])
def test_numbers_are_grouped(took: int, group: int) -> None:
    assert infosets.group(took) == group


def test_every_score_has_a_number_of_its_own() -> None:
    found = {
        infosets.game_of(elder, dealer, 5, king)
        for elder, dealer, king in product(range(5), range(5), (False, True))
    }
    assert found == set(range(infosets.games_to(5)))


def test_rows_do_not_overlap() -> None:
    words = [
        infosets.word_row(game, context, KINDS)
        for game, context in product(range(infosets.games_to(5)), range(infosets.WORDS))
    ]
    assert words == list(range(0, infosets.games_to(5) * infosets.WORDS * KINDS, KINDS))
    takes = [
        infosets.take_row(game, context, KINDS)
        for game, context in product(range(infosets.games_to(5)), range(infosets.TAKES))
    ]
    assert takes == list(range(0, infosets.games_to(5) * infosets.TAKES * KINDS, KINDS))
    drawn = [
        infosets.drawn_row(dealer, took, KINDS) for dealer, took in product((False, True), TOOK)
    ]
    assert drawn == list(range(0, 10 * KINDS, KINDS))
