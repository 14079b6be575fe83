"""Pack a solution into a table file: one byte per decision, ints for probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from casino.analysis.double_dummy import trick_table
from casino.analysis.enumeration import hand_classes
from casino.ecarte import Laws, multiplier
from casino.solver.policy.abstraction import BUCKETS, bucket_of, buckets
from casino.solver.policy.infosets import BIDS, MIXES, MOST, STEPS, TAKES, game_of, games_to
from casino.solver.policy.play_policy import DRAWN_STEPS, WHOLE
from casino.solver.policy.tables import OUTCOMES, PackedTables
from casino.solver.training.deal_solver import DealScore, Leaves, outcomes, scores

Totals = NDArray[np.float32]
_PRIOR: Final = 0.002  # weight of the strategy pooled over all scores, for rarely visited choices
_DOUBT: Final = 4.0  # pseudo-count of hands, which draws ratios of rare buckets to 1


def pack_tables(
    totals: Mapping[DealScore, Totals],
    cells: Mapping[DealScore, NDArray[np.int64]],
    seen: NDArray[np.int64],
    leaves: Leaves,
    laws: Laws,
    endgame: bytes,
    leads: bytes,
) -> PackedTables:
    """Return all tables of a solved game. `endgame` and `leads` describe the card play."""
    games = games_to(laws.target)
    bids = np.zeros((games, BIDS * BUCKETS), np.uint8)
    takes = np.zeros((games, TAKES * BUCKETS), np.uint8)
    everywhere = np.sum(
        [visits / max(1.0, float(visits.max())) for visits in totals.values()], axis=0
    )
    for score, total in totals.items():
        number = _game(score.elder, score.dealer, laws, score.king)
        both = total + everywhere * (_PRIOR * float(total.max()) / len(totals))
        bids[number] = _bids(both[: 2 * BIDS * BUCKETS].reshape(-1, 2))
        takes[number] = _takes(both[2 * BIDS * BUCKETS :].reshape(-1, MOST))
    strict, ordinary = (trick_table(law).tricks.tobytes() for law in (True, False))
    equity = _ends(cells, leaves, laws).astype("<i4").tobytes()
    parts = (bids.tobytes(), takes.tobytes(), _drawn(seen).tobytes())
    return PackedTables(laws.target, *parts, strict, ordinary, equity, endgame, leads)


def _bids(totals: Totals) -> Any:
    """Return the frequencies of choices in sixteenths; omit those of 1/16 or less."""
    whole = totals.sum(axis=1)
    share = np.divide(totals[:, 1], whole, out=np.ones(len(totals)), where=whole > 0)
    steps = np.rint(share * STEPS)
    steps[steps <= 1] = 0
    steps[steps >= STEPS - 1] = STEPS
    return steps.astype(np.uint8)


def _takes(totals: Totals) -> Any:
    order = np.argsort(-totals, axis=1, kind="stable")
    rows = np.arange(len(totals))
    best, second = order[:, 0], order[:, 1]
    most, next_most = totals[rows, best], totals[rows, second]
    both = most + next_most
    share = np.divide(next_most, both, out=np.zeros(len(totals)), where=both > 0)
    # One byte stores two numbers from 1 to 5 and a frequency of at most 7/16.
    steps = np.minimum(np.rint(share * STEPS), MIXES - 1)
    steps[steps <= 1] = 0
    second = np.where(steps > 0, second, best)
    return ((best * MOST + second) * MIXES + steps).astype(np.uint8)


def _drawn(seen: NDArray[np.int64]) -> Any:
    table = buckets()
    classes = hand_classes(0)
    usual = np.zeros(BUCKETS)
    for hand, size in zip(classes.hands.tolist(), classes.sizes.tolist(), strict=True):
        usual[bucket_of(table, hand, 0)] += size
    usual /= usual.sum()
    expected = seen.sum(axis=2, keepdims=True) * usual
    ratio = (seen + _DOUBT) / (expected + _DOUBT)
    return np.minimum(255, np.rint(DRAWN_STEPS * ratio)).astype(np.uint8)


def _ends(cells: Mapping[DealScore, NDArray[np.int64]], leaves: Leaves, laws: Laws) -> Any:
    ends = np.zeros((games_to(laws.target), OUTCOMES))
    for score in scores(laws.target):
        counted = cells[score].reshape(3, 3, 36)
        tricks = np.einsum("vkc,ct->vkt", counted / counted.sum(), leaves.reshape(36, 6))
        row = np.zeros(OUTCOMES)
        for vulnerable, king, taken, after in outcomes(score, laws):
            row += tricks[vulnerable, king, taken] * _end(ends, after, laws)
        ends[_game(score.elder, score.dealer, laws, score.king)] = row
    return np.rint(ends * WHOLE)


def _end(ends: NDArray[np.float64], after: Sequence[int], laws: Laws) -> NDArray[np.float64]:
    elder, dealer = after
    row = np.zeros(OUTCOMES)
    if elder >= laws.target:
        row[multiplier(dealer) - 1] = 1
    elif dealer >= laws.target:
        row[OUTCOMES // 2 + multiplier(elder) - 1] = 1
    elif laws.deal == "house":
        row = _before(ends, elder, dealer, laws)
    else:
        # The elder deals next.
        row = np.roll(_before(ends, dealer, elder, laws), OUTCOMES // 2)
    return row


def _before(ends: NDArray[np.float64], elder: int, dealer: int, laws: Laws) -> Any:
    turned = np.zeros(OUTCOMES)
    if dealer + 1 < laws.target:
        turned = ends[_game(elder, dealer + 1, laws, True)]
    else:
        turned[OUTCOMES // 2 + multiplier(elder) - 1] = 1
    return (7 * ends[_game(elder, dealer, laws, False)] + turned) / 8


def _game(elder: int, dealer: int, laws: Laws, king: bool) -> int:
    return game_of(elder, dealer, laws.target, king, laws.target)
