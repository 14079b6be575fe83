"""Counterfactual regret minimisation (CFR) over the exchange stage of a deal, compiled by numba.

A *game* here is one deal at a score: the points of elder and dealer (including a king turned up),
and whether the turn-up is a king. A deal only leads to higher scores, which are solved first.

Uses external sampling: an iteration traverses one deal per side, trying all of that side's choices
and sampling the opponent's. Later iterations weigh more (linear CFR). A deal that reaches play is
valued by lookup (see `leaf_values`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from casino.analysis.dd_index import TrickTable, best_tricks
from casino.analysis.numba_support import borrow, compiled
from casino.ecarte import NO_CARD, CardSet, Laws, score_after_deal
from casino.solver.evaluation.rollout import ANSWERS, DEALER_TAKES, SPEAKS, tricks_by_rule
from casino.solver.policy import tables
from casino.solver.policy.compiled_tables import policy_tables
from casino.solver.policy.play_policy import next_word
from casino.solver.policy.tables import BIDS, BUCKETS, MAX_TAKEN, TAKES, Buckets, Rows

FIELDS = 15
(DECISION, ELDER, DEALER, EXCHANGES, ELDER_TOOK, DEALER_TOOK, TOP) = range(7)
# Fields of a frame; the first seven describe the deal.
(ROW, CHOICES, ORDER, AT, TRIED, DRAWN, ENTERED, VULNERABLE) = range(7, FIELDS)
LAST = 47  # this frame records the depth of the last walk
WHOLE = 32
UNSEEN = np.zeros((0, MAX_TAKEN, BUCKETS), np.int64)  # empty: no hands are counted
HOPELESS = np.float32(-0.3)  # times the weight: below this regret, try a choice in 1 of 16 visits


Real: TypeAlias = Any  # single precision; type checkers keep numpy's and Python's floats apart


class Solver(NamedTuple):
    """The state of solving the exchange stage at one score.

    `leaf` is each outcome bin's value to the elder once play begins; `bins` counts visits to bins.
    `regret` and `total` hold two numbers for each context and bucket in which a side proposes or
    answers, then five for each in which it exchanges. `frames`, `share` and `value` are the stack
    of decisions on the current path, with each choice's probability and value. `rng` is the
    random generator's state.
    """

    buckets: Buckets
    tables: TrickTable
    leaf: NDArray[np.float32]
    bins: NDArray[np.int64]
    regret: NDArray[np.float32]
    total: NDArray[np.float32]
    frames: NDArray[np.int64]
    share: NDArray[np.float32]
    value: NDArray[np.float32]
    rng: NDArray[np.int64]
    deck: NDArray[np.int64]
    turned: int


@register_jitable(forceinline=True)
def _random(rng: NDArray[np.int64]) -> int:
    rng[0] = next_word(rng[0])
    return int(rng[0])


@register_jitable(forceinline=True)
def _leaf(solver: Solver, elder: CardSet, dealer: CardSet, vulnerable: int) -> Real:
    king = (elder >> 7 & 1) + 2 * (dealer >> 7 & 1)
    open_cards = best_tricks(solver.tables, elder, dealer, 0)
    by_rule = tricks_by_rule(elder, dealer, 0, NO_CARD, 0)
    index = (vulnerable * 3 + king) * 36 + open_cards * 6 + by_rule
    solver.bins[index] += 1
    return solver.leaf[index]


@register_jitable(forceinline=True)
def _draw(deck: NDArray[np.int64], top: int, number: int) -> CardSet:
    cards = 0
    for at in range(top, top + number):
        cards |= 1 << deck[at]
    return cards


@register_jitable(forceinline=True)
def _row(solver: Solver, frame: NDArray[np.int64], hand: CardSet) -> int:
    bucket = tables.bucket_of(solver.buckets, hand, solver.turned)
    dealer = frame[DECISION] & 1 == 1
    took = frame[ELDER_TOOK] if dealer else frame[DEALER_TOOK]
    if frame[DECISION] <= ANSWERS:
        return 2 * (tables.bid_context(dealer, frame[EXCHANGES], took) * BUCKETS + bucket)
    context = tables.take_context(dealer, frame[EXCHANGES], took)
    return 2 * BIDS * BUCKETS + MAX_TAKEN * (context * BUCKETS + bucket)


@register_jitable(forceinline=True)
def _open(solver: Solver, me: int, depth: int, weight: Real) -> None:
    """Enter a decision: compute its strategy by regret matching.

    At the opponent's decision, also add to the average strategy and sample one choice.
    """
    frame = solver.frames[depth]
    who = frame[DECISION] & 1
    hand = frame[DEALER] if who else frame[ELDER]
    top = frame[TOP]
    frame[ROW] = _row(solver, frame, hand)
    choices = 2 if frame[DECISION] <= ANSWERS else min(WHOLE - top, MAX_TAKEN)
    frame[CHOICES] = choices
    frame[ORDER] = tables.discard_order(hand, 0) if frame[DECISION] > ANSWERS else 0
    frame[AT] = 0
    frame[TRIED] = 0
    row = frame[ROW]
    hopes = np.float32(0)
    for a in range(choices):
        hopes += max(solver.regret[row + a], np.float32(0))
    x = np.float32(_random(solver.rng) & 0xFFFFFF) * np.float32(2.0**-24)
    chosen = -1
    for a in range(choices):
        share = np.float32(1) / np.float32(choices)
        if hopes > 0:
            share = max(solver.regret[row + a], np.float32(0)) / hopes
        solver.share[depth, a] = share
        if me != who:
            solver.total[row + a] += weight * share
        if share > 0 and (chosen < 0 or x >= 0):
            chosen = a
        x -= share
    frame[DRAWN] = -1 if me == who else chosen


@register_jitable(forceinline=True)
def _next_choice(solver: Solver, depth: int, weight: Real) -> int:
    frame = solver.frames[depth]
    if frame[DRAWN] >= 0:
        if frame[TRIED]:
            return -1
        frame[TRIED] = 1 << frame[DRAWN]
        return int(frame[DRAWN])
    while frame[AT] < frame[CHOICES]:
        a = frame[AT]
        frame[AT] += 1
        # Regret-based pruning: skip a hopeless choice in 15 of 16 visits.
        hopeless = solver.regret[frame[ROW] + a] < HOPELESS * weight
        if hopeless and solver.share[depth, a] == 0 and _random(solver.rng) & 15:
            continue
        frame[TRIED] |= 1 << a
        return int(a)
    return -1


@register_jitable(forceinline=True)
def _close(solver: Solver, depth: int, weight: Real) -> Real:
    frame = solver.frames[depth]
    if frame[DRAWN] >= 0:
        return solver.value[depth, frame[DRAWN]]
    equity = np.float32(0)
    for a in range(frame[CHOICES]):
        if frame[TRIED] >> a & 1:
            equity += solver.share[depth, a] * solver.value[depth, a]
    # All values are the elder's, so the dealer's regrets have the opposite sign.
    sign = -weight if frame[DECISION] & 1 else weight
    for a in range(frame[CHOICES]):
        if frame[TRIED] >> a & 1:
            solver.regret[frame[ROW] + a] += sign * (solver.value[depth, a] - equity)
    return equity


@register_jitable(forceinline=True)
def _enter(solver: Solver, depth: int, a: int) -> bool:
    frame, after = solver.frames[depth], solver.frames[depth + 1]
    decision = frame[DECISION]
    for field in range(TOP + 1):
        after[field] = frame[field]
    if decision <= ANSWERS:
        after[DECISION] = decision + 1
        after[VULNERABLE] = decision if a == 0 and frame[EXCHANGES] == 0 else 2
        return a > 0
    who = decision & 1
    taken = tables.first_discards(frame[ORDER], a + 1)
    after[ELDER + who] = after[ELDER + who] ^ taken | _draw(solver.deck, frame[TOP], a + 1)
    after[ELDER_TOOK + who] = a + 1
    after[TOP] += a + 1
    after[DECISION] = SPEAKS if who else DEALER_TAKES
    after[EXCHANGES] += who
    after[VULNERABLE] = 2
    return bool(after[TOP] < WHOLE)


@register_jitable(forceinline=True)
def _walk(solver: Solver, me: int, weight: Real) -> Real:
    depth = 0
    _open(solver, me, 0, weight)
    while True:
        a = _next_choice(solver, depth, weight)
        if a >= 0:
            if _enter(solver, depth, a):
                solver.frames[depth, ENTERED] = a
                depth += 1
                _open(solver, me, depth, weight)
            else:
                after = solver.frames[depth + 1]
                solver.frames[LAST, 0] = depth
                solver.value[depth, a] = _leaf(
                    solver, after[ELDER], after[DEALER], after[VULNERABLE]
                )
            continue
        equity = _close(solver, depth, weight)
        if depth == 0:
            return equity
        depth -= 1
        solver.value[depth, solver.frames[depth, ENTERED]] = equity


@compiled
def iterate(
    solver: Solver, learners: int, first: int, number: int, seen: NDArray[np.int64]
) -> float:
    """Run `number` iterations and return the mean value of a deal to the elder.

    `learners` is a bit mask of the sides that learn: 1 the elder, 2 the dealer. With 0, both sides
    play by `regret` and nothing is learned. `first` is the number of the first iteration. `seen`
    counts the hands held after an exchange, by side, cards taken and bucket, unless it is `UNSEEN`.
    """
    lent = borrow(solver)
    total = 0.0
    walks = 0
    for at in range(first, first + number):
        for me in range(3):
            if learners >> me & 1 == 0 and (learners > 0 or me < 2):
                continue
            _deal(lent)
            # Linear CFR: iteration t has weight t.
            total += _walk(lent, me, np.float32(at + 1 if learners else 0))
            walks += 1
            if len(seen) > 0:
                _observe(lent, seen)
    return total / walks


@register_jitable
def _observe(solver: Solver, seen: NDArray[np.int64]) -> None:
    for depth in range(solver.frames[LAST, 0] + 1):
        frame = solver.frames[depth]
        if frame[DECISION] == SPEAKS and frame[EXCHANGES] > 0:
            for who in range(2):
                bucket = tables.bucket_of(solver.buckets, frame[ELDER + who], solver.turned)
                seen[who, frame[ELDER_TOOK + who] - 1, bucket] += 1


@register_jitable(forceinline=True)
def _deal(solver: Solver) -> None:
    deck = solver.deck
    # The score fixes the turn-up; the other 31 cards are shuffled.
    deck[0] = solver.turned
    for card in range(1, WHOLE):
        deck[card] = card - 1 if card <= solver.turned else card
    for at in range(1, WHOLE):
        other = at + (_random(solver.rng) * (WHOLE - at) >> 32)
        deck[at], deck[other] = deck[other], deck[at]
    root = solver.frames[0]
    root[:] = 0
    root[ELDER] = _draw(deck, 1, 5)
    root[DEALER] = _draw(deck, 6, 5)
    root[TOP] = 11


BINS: Final = 324
KING: Final = 7
NUMBERS: Final = BUCKETS * (2 * BIDS + MAX_TAKEN * TAKES)

# Probabilities of 0 to 5 tricks for the elder, by double-dummy and by rule-of-thumb tricks,
# as an array or, row by row, as a list.
Leaves: TypeAlias = Any


class DealScore(NamedTuple):
    """The score at which a deal is solved, and whether the turn-up is a king."""

    elder: int
    dealer: int
    king: bool


def scores(target: int) -> list[DealScore]:
    """Return every score at which a deal can begin, highest totals first."""
    deals = [
        DealScore(elder, dealer, king)
        for elder in range(target)
        for dealer in range(target)
        for king in (False, True)
        if dealer or not king
    ]
    return sorted(deals, key=lambda deal: (-deal.elder - deal.dealer, deal))


def outcomes(score: DealScore, laws: Laws) -> Iterator[tuple[int, int, int, tuple[int, int]]]:
    """Yield each outcome of a deal: vulnerable side, king's holder, elder's tricks, next score."""
    for vulnerable in range(3):
        for king in range(3):
            for taken in range(6):
                role = (vulnerable + 1) % 3
                after = score_after_deal(score[:2], role, king, taken, laws)
                yield vulnerable, king, taken, after


def leaf_values(score: DealScore, laws: Laws, rows: Rows, leaves: Leaves) -> Any:
    """Return each outcome bin's value to the elder; `rows` come from `tables.ends_before`."""
    by_tricks = np.zeros((3, 3, 6))
    for vulnerable, king, taken, after in outcomes(score, laws):
        wins = tables.ends_after(*after, laws, rows)[:3]
        by_tricks[vulnerable, king, taken] = sum(wins) / tables.EIGHTHS
    return (
        np.einsum("vkt,ct->vkc", by_tricks, np.reshape(leaves, (36, 6)))
        .reshape(-1)
        .astype(np.float32)
    )


def new_solver(leaf: NDArray[np.float32], king: bool, seed: int) -> Solver:
    """Return a solver without regrets, for a score with or without a king turned up."""
    return Solver(
        policy_tables(True).buckets,
        policy_tables(True).open_cards,
        leaf,
        np.zeros(BINS, np.int64),
        np.zeros(NUMBERS, np.float32),
        np.zeros(NUMBERS, np.float32),
        np.zeros((48, FIELDS), np.int64),
        np.zeros((48, MAX_TAKEN), np.float32),
        np.zeros((48, MAX_TAKEN), np.float32),
        # Never zero: xorshift would stay there.
        np.array([(seed * 2654435761 + 12345) % (2**32 - 1) + 1], np.int64),
        np.zeros(32, np.int64),
        KING if king else 0,
    )


def measure(solver: Solver, trials: int) -> NDArray[np.int64]:
    """Return how often `trials` deals between the average strategies reach each outcome bin."""
    solver.bins[:] = 0
    iterate(solver._replace(regret=solver.total), 0, 0, trials, UNSEEN)
    return solver.bins.copy()
