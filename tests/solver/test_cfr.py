"""The solver's kernel: walks that add up, strategies that make sense, the same from one seed."""

from __future__ import annotations

import numpy as np
import pytest

from casino.analysis.enumeration import hand_classes
from casino.bots.heuristics import follow, lead
from casino.ecarte import Laws, card_set, legal_replies, reply_wins
from casino.solver.policy.abstraction import BUCKETS, bucket_of
from casino.solver.policy.infosets import ANSWER, BIDS, MOST, SPEAK
from casino.solver.training import cfr, deal_solver
from casino.solver.training.cfr import Solver, iterate, observe
from casino.solver.training.deal_solver import (
    DealScore,
    ScoreEquities,
    even_leaves,
    leaf_values,
    measure,
    new_solver,
)

LAST = DealScore(4, 4, False)
BOTH, ELDER, NO_SEAT = 3, 1, 0


def solver(seed: int = 1) -> Solver:
    """The last deal of a game, where the point decides."""
    return new_solver(leaf_values(LAST, ScoreEquities(Laws()), even_leaves()), LAST.king, seed)


@pytest.fixture(scope="module")
def solved() -> Solver:
    """The same after some iterations."""
    found = solver()
    for first in range(0, 30_000, 10_000):
        iterate(found, BOTH, first, 10_000)
    return found


def word_shares(found: Solver, context: int, strong: bool) -> float:
    """How often the second word is said with good hands, or with bad ones.

    Spades are trumps, the seven is turned up. Good are three trumps with the king and another
    king; bad are hands without a trump, a king or a queen.
    """
    said = np.zeros(2)
    for hand in hand_classes(0).hands.tolist():
        trumps, kings = hand & 255, (hand & 0x80808080).bit_count()
        good = trumps.bit_count() >= 3 and trumps >> 7 and kings > 1
        bad = not trumps and not hand & 0xC0C0C0C0
        if good if strong else bad:
            said += found.total[2 * (context * BUCKETS + bucket_of(found.buckets, hand, 0)) :][:2]
    return float(said[1] / said.sum())


def test_the_same_seed_solves_the_same() -> None:
    """To the last bit; another seed does not."""
    totals = []
    for seed in (1, 1, 2):
        one = solver(seed)
        iterate(one, BOTH, 0, 300)
        totals.append(one.total.tobytes())
    assert totals[0] == totals[1] != totals[2]


def test_nobody_learns_where_nobody_should() -> None:
    """A walk without learners changes no regret; one with a single learner only its rows."""
    one = solver()
    iterate(one, BOTH, 0, 200)
    before = one.regret.copy()
    iterate(one, NO_SEAT, 0, 200)
    assert (one.regret == before).all()
    iterate(one, ELDER, 200, 200)
    dealer = slice(2 * ANSWER * BUCKETS, 2 * BIDS * BUCKETS)
    elder = slice(2 * SPEAK * BUCKETS, 2 * ANSWER * BUCKETS)
    assert (one.regret[dealer] == before[dealer]).all()
    assert (one.regret[elder] != before[elder]).any()


def test_what_a_deal_is_worth_is_a_chance(solved: Solver) -> None:
    """At 4-4 the elder wins a little more than half of the deals."""
    assert 0.5 < iterate(solved._replace(regret=solved.total), NO_SEAT, 0, 20_000) < 0.58


def test_every_deal_ends_in_one_cell(solved: Solver) -> None:
    """As many as were dealt, and the solver itself is not touched."""
    before = solved.total.copy()
    cells = measure(solved, 5_000)
    assert cells.sum() == 5_000
    assert (solved.total == before).all()


def test_good_hands_stand_and_bad_ones_propose(solved: Solver) -> None:
    """At 4-4 nothing is won by an exchange with a hand that makes the point."""
    for context in (SPEAK, ANSWER):
        assert word_shares(solved, context, strong=False) > 0.85
        assert word_shares(solved, context, strong=True) < 0.4


def test_numbers_are_never_less_than_nothing(solved: Solver) -> None:
    """The sums of strategies are weights."""
    assert np.isfinite(solved.regret).all()
    assert (solved.total >= 0).all()
    assert len(solved.total) == deal_solver.NUMBERS


def test_learning_does_not_lose_to_what_it_learned_from() -> None:
    """A best response to an unskilled dealer wins more than two unskilled players do."""
    even = solver(4)
    fair = iterate(even, NO_SEAT, 0, 20_000)
    iterate(even, ELDER, 0, 20_000)
    assert iterate(even, NO_SEAT, 0, 20_000) > fair + 0.02


def test_hands_after_an_exchange_are_counted(solved: Solver) -> None:
    """Each with the number of cards its side took; every number is taken by somebody."""
    seen = np.zeros((2, MOST, BUCKETS), np.int64)
    observe(solved._replace(regret=solved.total.copy()), 20_000, seen)
    assert seen.sum() > 5_000
    assert seen[0].sum() == seen[1].sum()
    assert (seen.sum(axis=2) > 0).all()
    assert (seen.sum(axis=(0, 1)) > 0).sum() > BUCKETS // 10


def test_the_rule_of_thumb_plays_a_deal_out() -> None:
    """Trick by trick as plain Python does."""
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
