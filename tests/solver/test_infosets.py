"""Where decisions stand in the tables: each in a place of its own."""

from __future__ import annotations

from itertools import product

import pytest

from casino.solver.policy import infosets
from casino.solver.policy.abstraction import BUCKETS

TOOK = range(1, 6)


def test_contexts_tell_apart_what_is_public() -> None:
    """First decisions, and later ones by what the other side took; no two share a number."""
    bids = {infosets.bid_context(False, 0, 0), infosets.bid_context(True, 0, 0)}
    bids |= {infosets.bid_context(False, 1, took) for took in TOOK}
    bids |= {infosets.bid_context(True, 2, took) for took in TOOK}
    assert bids == set(range(infosets.BIDS))
    takes = {infosets.take_context(False, 0, 0)}
    takes |= {infosets.take_context(False, 1, took) for took in TOOK}
    takes |= {infosets.take_context(True, n, took) for n, took in product((0, 1), TOOK)}
    assert takes == set(range(infosets.TAKES))


def test_a_first_decision_knows_of_no_cards_taken() -> None:
    """Whatever number is handed in."""
    assert len({infosets.bid_context(False, 0, took) for took in TOOK}) == 1
    assert len({infosets.bid_context(True, 0, took) for took in TOOK}) == 1
    assert len({infosets.take_context(False, 0, took) for took in TOOK}) == 1


def test_later_exchanges_are_one() -> None:
    """The second and the fifth are treated alike."""
    for took in TOOK:
        assert infosets.bid_context(False, 1, took) == infosets.bid_context(False, 4, took)
        assert infosets.take_context(True, 1, took) == infosets.take_context(True, 4, took)
        assert infosets.take_context(True, 0, took) != infosets.take_context(True, 1, took)


@pytest.mark.parametrize(("took", "group"), [(1, 0), (2, 0), (3, 1), (4, 2), (5, 2)])
def test_numbers_are_grouped(took: int, group: int) -> None:
    """Few, three, many."""
    assert infosets.group(took) == group


def test_every_score_has_a_number_of_its_own() -> None:
    """With and without a king."""
    found = {
        infosets.game_of(elder, dealer, 5, king)
        for elder, dealer, king in product(range(5), range(5), (False, True))
    }
    assert found == set(range(infosets.games_to(5)))


def test_a_longer_game_begins_where_a_short_one_does() -> None:
    """A player who lacks six or seven points of seven stands at nothing."""
    assert infosets.game_of(0, 0, 7, False) == infosets.game_of(2, 1, 7, False)
    assert infosets.game_of(2, 2, 7, False) == infosets.game_of(0, 0, 5, False)
    assert infosets.game_of(6, 3, 7, True) == infosets.game_of(4, 1, 5, True)
    assert infosets.game_of(10, 10, 11, False) == infosets.game_of(4, 4, 5, False)


def test_rows_do_not_overlap() -> None:
    """Each game and context begins a row of all kinds after the one before."""
    bids = [
        infosets.bid_row(game, context, BUCKETS)
        for game, context in product(range(infosets.games_to(5)), range(infosets.BIDS))
    ]
    assert bids == list(range(0, infosets.games_to(5) * infosets.BIDS * BUCKETS, BUCKETS))
    takes = [
        infosets.take_row(game, context, BUCKETS)
        for game, context in product(range(infosets.games_to(5)), range(infosets.TAKES))
    ]
    assert takes == list(range(0, infosets.games_to(5) * infosets.TAKES * BUCKETS, BUCKETS))
    drawn = [
        infosets.drawn_row(dealer, took, BUCKETS) for dealer, took in product((False, True), TOOK)
    ]
    assert drawn == list(range(0, 10 * BUCKETS, BUCKETS))
