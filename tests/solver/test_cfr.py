"""The solver's kernel: walks that add up, strategies that make sense, the same from one seed."""

from __future__ import annotations

import numpy as np
import pytest

from casino.bots.heuristics import follow, lead
from casino.ecarte import Laws, card_set, legal_replies, reply_wins
from casino.solver.policy.abstraction import KINDS
from casino.solver.policy.infosets import MOST
from casino.solver.training import cfr
from casino.solver.training.cfr import Solver, iterate, observe
from casino.solver.training.deal_solver import (
    DealScore,
    ScoreEquities,
    even_leaves,
    leaf_values,
    new_solver,
)

LAST = DealScore(4, 4, False)
BOTH, ELDER, NO_SEAT = 3, 1, 0


def solver(seed: int = 1) -> Solver:
    return new_solver(leaf_values(LAST, ScoreEquities(Laws()), even_leaves()), LAST.king, seed)


@pytest.fixture(scope="module")
def solved() -> Solver:
    found = solver()
    for first in range(0, 30_000, 10_000):
        iterate(found, BOTH, first, 10_000)
    return found


def test_the_same_seed_solves_the_same() -> None:
    totals = []
    for seed in (1, 1, 2):
        one = solver(seed)
        iterate(one, BOTH, 0, 300)
        totals.append(one.total.tobytes())
    assert totals[0] == totals[1] != totals[2]


def test_learning_does_not_lose_to_what_it_learned_from() -> None:
    even = solver(4)
    fair = iterate(even, NO_SEAT, 0, 20_000)
    iterate(even, ELDER, 0, 20_000)
    assert iterate(even, NO_SEAT, 0, 20_000) > fair + 0.02


def test_hands_after_an_exchange_are_counted(solved: Solver) -> None:
    seen = np.zeros((2, MOST, KINDS), np.int64)
    observe(solved._replace(regret=solved.total.copy()), 20_000, seen)
    assert seen.sum() > 5_000
    assert seen[0].sum() == seen[1].sum()
    assert (seen.sum(axis=2) > 0).all()
    assert (seen.sum(axis=(0, 1)) > 0).sum() > KINDS // 10


def test_the_rule_of_thumb_plays_a_deal_out() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        dealt = [int(one) for one in rng.permutation(32)[:10]]
        elder, dealer = card_set(dealt[:5]), card_set(dealt[5:])
        assert cfr.thumb_tricks(elder, dealer) == plainly(elder, dealer)


def plainly(elder: int, dealer: int) -> int:
    hands, leader, taken = [elder, dealer], 0, 0
    for _ in range(5):
        led = lead(hands[leader], 0)
        reply = follow(hands[1 - leader], led, 0, True)
        assert legal_replies(hands[1 - leader], led, 0, True) >> reply & 1
        hands[leader] ^= 1 << led
        hands[1 - leader] ^= 1 << reply
        leader = 1 - leader if reply_wins(led, reply, 0) else leader
        taken += leader == 0
    return taken
