"""Set up the game solved at each score, from the last deal of a game backwards.

A *game* here is one deal at a score: the points of elder and dealer (including a king turned up),
and whether the turn-up is a king. A deal only leads to higher scores, which are solved first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from casino.analysis.double_dummy import trick_table
from casino.ecarte import Laws
from casino.solver.policy import tables as tables_file
from casino.solver.policy.compiled_tables import buckets
from casino.solver.policy.infosets import BIDS, BUCKETS, MOST, TAKES
from casino.solver.training.cfr import FIELDS, Solver, iterate
from casino.solver.training.equity import score_after_deal

CELLS: Final = 324
KING: Final = 7
NUMBERS: Final = BUCKETS * (2 * BIDS + MOST * TAKES)

# Probabilities of 0 to 5 tricks for the elder, by double-dummy and by rule-of-thumb tricks.
Leaves = NDArray[np.float64]


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


class ScoreEquities:
    """The elder's win probability at each score solved so far."""

    def __init__(self, laws: Laws) -> None:
        self.laws = laws
        self.known: dict[DealScore, float] = {}

    def before(self, elder: int, dealer: int) -> float:
        """Return the elder's win probability before the turn-up."""
        turned = self.known.get(DealScore(elder, dealer + 1, True), 0.0)
        return (7 * self.known[DealScore(elder, dealer, False)] + turned) / 8

    def after(self, elder: int, dealer: int) -> float:
        """Return the elder's win probability after a deal that ended at this score."""
        if max(elder, dealer) >= self.laws.target:
            return float(elder > dealer)
        if self.laws.deal == "house":
            return self.before(elder, dealer)
        # The deal passes to the other side.
        return 1 - self.before(dealer, elder)


def outcomes(score: DealScore, laws: Laws) -> Iterator[tuple[int, int, int, tuple[int, int]]]:
    """Yield each outcome: vulnerable side, king's holder, elder's tricks and next score."""
    for vulnerable in range(3):
        for king in range(3):
            for taken in range(6):
                role = (vulnerable + 1) % 3
                after = score_after_deal(score[:2], role, king, taken, laws)
                yield vulnerable, king, taken, after


def leaf_values(score: DealScore, equities: ScoreEquities, leaves: Leaves) -> Any:
    """Return the value of each cell to the elder."""
    by_tricks = np.zeros((3, 3, 6))
    for vulnerable, king, taken, after in outcomes(score, equities.laws):
        by_tricks[vulnerable, king, taken] = equities.after(*after)
    return np.einsum("vkt,ct->vkc", by_tricks, leaves.reshape(36, 6)).reshape(-1).astype(np.float32)


def even_leaves() -> Leaves:
    """Return trick probabilities that trust double-dummy and rule-of-thumb tricks equally."""
    leaves = np.zeros((6, 6, 6))
    for cards_open in range(6):
        for by_rule in range(6):
            leaves[cards_open, by_rule, cards_open] += 0.5
            leaves[cards_open, by_rule, by_rule] += 0.5
    return leaves


def shipped_leaves() -> Leaves:
    """Return the trick probabilities that the shipped tables were solved with."""
    return np.array(tables_file.shipped_leaves()).reshape(6, 6, 6)


def new_solver(leaf: NDArray[np.float32], king: bool, seed: int) -> Solver:
    """Return a solver with no regrets, at a score with or without a king turned up."""
    return Solver(
        buckets(),
        trick_table(),
        leaf,
        np.zeros(CELLS, np.int64),
        np.zeros(NUMBERS, np.float32),
        np.zeros(NUMBERS, np.float32),
        np.zeros((48, FIELDS), np.int64),
        np.zeros((48, MOST), np.float32),
        np.zeros((48, MOST), np.float32),
        # Never zero: xorshift would stay there.
        np.array([(seed * 2654435761 + 12345) % (2**32 - 1) + 1], np.int64),
        np.zeros(32, np.int64),
        KING if king else 0,
    )


def measure(solver: Solver, trials: int) -> NDArray[np.int64]:
    """Return how often each cell is reached when the average strategies play `trials` deals."""
    solver.cells[:] = 0
    iterate(solver._replace(regret=solver.total), 0, 0, trials)
    return solver.cells.copy()
