"""Where decisions stand in the tables: each in a place of its own."""

from __future__ import annotations

from itertools import product

import pytest

from casino.expert import stages
from casino.expert.hands import KINDS

TOOK = range(1, 6)


def test_contexts_tell_apart_what_is_public() -> None:
    """First decisions, and later ones by what the other side took; no two share a number."""
    words = {stages.speak_context(0, 0), stages.answer_context(0, 0)}
    words |= {stages.speak_context(1, took) for took in TOOK}
    words |= {stages.answer_context(2, took) for took in TOOK}
    assert words == set(range(stages.WORDS))
    takes = {stages.elder_takes_context(0, 0)}
    takes |= {stages.elder_takes_context(1, took) for took in TOOK}
    takes |= {stages.dealer_takes_context(n, took) for n, took in product((0, 1), TOOK)}
    assert takes == set(range(stages.TAKES))


def test_a_first_decision_knows_of_no_cards_taken() -> None:
    """Whatever number is handed in."""
    assert len({stages.speak_context(0, took) for took in TOOK}) == 1
    assert len({stages.answer_context(0, took) for took in TOOK}) == 1
    assert len({stages.elder_takes_context(0, took) for took in TOOK}) == 1


def test_later_exchanges_are_one() -> None:
    """The second and the fifth are treated alike."""
    for took in TOOK:
        assert stages.speak_context(1, took) == stages.speak_context(4, took)
        assert stages.dealer_takes_context(1, took) == stages.dealer_takes_context(4, took)
        assert stages.dealer_takes_context(0, took) != stages.dealer_takes_context(1, took)


@pytest.mark.parametrize(("took", "group"), [(1, 0), (2, 0), (3, 1), (4, 2), (5, 2)])
def test_numbers_are_grouped(took: int, group: int) -> None:
    """Few, three, many."""
    assert stages.group(took) == group


def test_every_score_has_a_number_of_its_own() -> None:
    """With and without a king."""
    found = {
        stages.game_of(elder, dealer, 5, king)
        for elder, dealer, king in product(range(5), range(5), (False, True))
    }
    assert found == set(range(stages.games_to(5)))


def test_a_longer_game_begins_where_a_short_one_does() -> None:
    """A player who lacks six or seven points of seven stands at nothing."""
    assert stages.game_of(0, 0, 7, False) == stages.game_of(2, 1, 7, False)
    assert stages.game_of(2, 2, 7, False) == stages.game_of(0, 0, 5, False)
    assert stages.game_of(6, 3, 7, True) == stages.game_of(4, 1, 5, True)
    assert stages.game_of(10, 10, 11, False) == stages.game_of(4, 4, 5, False)


def test_rows_do_not_overlap() -> None:
    """Each game and context begins a row of all kinds after the one before."""
    words = [
        stages.word_row(game, context, KINDS)
        for game, context in product(range(stages.games_to(5)), range(stages.WORDS))
    ]
    assert words == list(range(0, stages.games_to(5) * stages.WORDS * KINDS, KINDS))
    takes = [
        stages.take_row(game, context, KINDS)
        for game, context in product(range(stages.games_to(5)), range(stages.TAKES))
    ]
    assert takes == list(range(0, stages.games_to(5) * stages.TAKES * KINDS, KINDS))
    drawn = [stages.drawn_row(dealer, took, KINDS) for dealer, took in product((False, True), TOOK)]
    assert drawn == list(range(0, 10 * KINDS, KINDS))
