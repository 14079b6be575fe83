"""Best responses: what they learn is better than nothing, and what is measured adds up."""

from __future__ import annotations

import numpy as np
import pytest

from bench import best_response, card_response
from casino.solver.policy import compiled_tables as arrays
from casino.solver.policy import tables
from casino.solver.policy.abstraction import KINDS
from casino.solver.policy.infosets import MOST, TAKES, WORDS, game_of
from casino.solver.training.deal_solver import CELLS, new_solver


def test_strategies_are_shares() -> None:
    """Of two words and of five numbers, each row adds up to one."""
    both = best_response.strategies(tables.load_packed(), game_of(0, 0, 5, False))
    words = both[: 2 * WORDS * KINDS].reshape(-1, 2)
    takes = both[2 * WORDS * KINDS :].reshape(-1, MOST)
    assert len(takes) == TAKES * KINDS
    assert np.allclose(words.sum(axis=1), 1) and np.allclose(takes.sum(axis=1), 1)
    assert both.min() >= 0


def test_what_is_learned_is_better_and_leaves_the_other_side_alone() -> None:
    """Against a dealer who refuses everything, an elder who loses by standing proposes."""
    leaf = np.zeros((3, 3, 36), np.float32)
    leaf[0] = -1.0  # the elder stood
    solver = new_solver(leaf.reshape(CELLS), False, 3)
    both = np.full(len(solver.regret), 1.0, np.float32)
    dealer = best_response.of_dealer()
    both[: 2 * WORDS * KINDS][dealer[: 2 * WORDS * KINDS]] = np.tile([1, 0], 4 * KINDS)
    found = best_response.learned(solver, both, 0, 30_000)
    assert (found[dealer] == both[dealer]).all()
    worse, _ = best_response.worth_of(solver, both, 2_000_000)
    better, error = best_response.worth_of(solver, found, 2_000_000)
    assert worse == pytest.approx(-0.5, abs=0.01) and better > -0.1 > worse and error < 0.01


def test_a_hand_that_cannot_lose_gains_nothing() -> None:
    """Five highest trumps: every plan makes every point; the expert's does as well."""
    hand = 0b11111000
    others = [sum(1 << one for one in range(at, at + 5)) for at in range(8, 28)]
    levels = tuple(np.zeros((11, len(others)), np.int64) for _ in range(4))
    levels[0][0] = levels[1][0] = others
    levels[2][0] = np.arange(len(others)) & 1
    for leads in (True, False):
        place = card_response.Place(0, 0, len(others), card_response.NO_LED)
        found = card_response._both(arrays.policy_tables(True), levels, place, hand, leads)
        assert found.tolist() == [[10, 10], [10, 10]]


def test_the_plan_is_never_worse_where_it_was_found() -> None:
    """At most is more than at least, and neither less than nothing where it counts."""
    found = card_response.gains(True, 3, 60, 5)
    assert len(found) == 3 and all(most >= 0 for most, _ in found)
    exact = card_response.gains(False, 2, 40, 6)
    assert all(-1 <= least <= 1 for _, least in exact)
