"""Calibration of the expert: outcomes of card play, counted in its games against itself.

For each pair of hands, the elder's tricks are tallied by two predictors that are cheap to compute:
its double-dummy tricks, and its tricks by the rule of thumb. These counts are the leaf values of
the exchange solver. The expert's card play uses counts of how the rest of a deal went from each
position, and of which cards were led first.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from casino.analysis.dd_index import TrickTable, best_tricks, count_positions, table_index
from casino.analysis.double_dummy import trick_table
from casino.analysis.numba_support import borrow, compiled
from casino.ecarte import NO_CARD, PACK, CardSet, Suit, card_set, read_record, replay, reply_wins
from casino.simulate.series import SERIES_GAMES, Run, play_series
from casino.solver.expert_bot import EFFORT, draws_key
from casino.solver.policy.compiled_tables import policy_tables
from casino.solver.policy.infosets import BUCKETS, HAND, LEADS, lead_index
from casino.solver.policy.play_policy import (
    NO_ROW,
    REST,
    ROOM,
    SURE,
    WEIGHED,
    WHOLE,
    InfoState,
    PolicyTables,
    best_card,
    card_values,
)
from casino.solver.policy.tables import ENDGAME_POSITIONS
from casino.solver.training.cfr import thumb_tricks
from casino.solver.training.deal_solver import Leaves, even_leaves

DOUBT: Final = 5.0  # prior deals of every kind, half double-dummy, half by the rule of thumb
MEAN_COUNTS: Final = 12.0  # weight of the mean of similar positions, in deals
LEAST: Final = 12  # minimum probability, in 255ths, of a card that was never led


class Calibration(NamedTuple):
    """The counted statistics: `leaves` for the solver, `endgame` and `leads` for `PolicyTables`."""

    leaves: Leaves
    endgame: bytes
    leads: bytes


def calibrate(games: int, seed: int) -> Calibration:
    """Count the outcomes of `games` games of the expert against itself."""
    leaves: Any = DOUBT * even_leaves()
    ends = np.zeros((ENDGAME_POSITIONS, REST + 1), np.int64)
    run = Run(games, seed, "expert", "expert")
    for series in range(-(-games // SERIES_GAMES)):
        for line in play_series(run, series, recording=True).lines.splitlines():
            for deal in replay(read_record(line)).deals:
                if sum(deal.tricks) == deal.hand_size:
                    trumps, elder = deal.turn_up >> 3, 1 - deal.dealer
                    hands = (deal.kept[elder], deal.kept[deal.dealer])
                    mine, yours = (swap_trumps(hand, trumps) for hand in hands)
                    leaves[(*_both(trick_table(), mine, yours), deal.tricks[elder])] += 1
                    played = np.array([hand for hand in deal.history if hand < len(PACK)], np.int64)
                    _play(trick_table(), *hands, played, trumps, ends)
    equity = leaves / leaves.sum(axis=2, keepdims=True)
    return Calibration(equity, rest_odds(ends), lead_odds(policy_tables(True)))


def rest_odds(ends: NDArray[np.int64]) -> bytes:
    """Return the odds of taking at least 1, 2, 3 or 4 tricks, from counts of 0 to 4.

    Rare positions have too few counts of their own, so the mean over all positions with the same
    numbers of cards and double-dummy tricks is added.
    """
    sizes = np.repeat(range(REST + 1), [count_positions(size) for size in range(REST + 1)])
    tricks = trick_table().tricks[:ENDGAME_POSITIONS]
    shares = np.zeros((ENDGAME_POSITIONS, REST + 1))
    for size in range(REST + 1):
        for took in range(size + 1):
            alike = (sizes == size) & (tricks == took)
            usual = ends[alike].sum(axis=0) + (np.arange(REST + 1) == took) / 2
            counts = ends[alike] + MEAN_COUNTS * usual / usual.sum()
            shares[alike] = counts / counts.sum(axis=1, keepdims=True)
    least = shares[:, ::-1].cumsum(axis=1)[:, -2::-1]
    parts: bytes = np.rint(SURE * least).astype(np.uint8).tobytes()
    return parts


def lead_odds(tables: PolicyTables, hands: Sequence[CardSet] = ()) -> bytes:
    """Return the odds that each bucket of hands leads each of its cards first.

    Each hand leads once, with the seven of spades turned up, as if only the point mattered and
    nothing were known of the decisions before play. The default is all 169,911 hands.
    """
    chosen = hands or [card_set(cards) for cards in combinations(range(1, len(PACK)), HAND)]
    counts = np.zeros(BUCKETS * LEADS, np.int64)
    _lead(tables, np.array(chosen, np.int64), counts)
    rows = counts.reshape(BUCKETS, LEADS)
    shares = (rows + 1 / HAND) / (rows.sum(axis=1, keepdims=True) + 1)
    parts: bytes = np.rint(LEAST + (255 - LEAST) * shares).astype(np.uint8).tobytes()
    return parts


@compiled
def _lead(tables: PolicyTables, hands: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
    lent = borrow(tables)
    equities, values = np.zeros(12, np.int64), np.zeros(WEIGHED + 1, np.int64)
    # Only the point counts: three tricks or more win.
    equities[3:6] = equities[9:12] = WHOLE
    pool = np.zeros(ROOM, np.int64)
    for at in range(len(hands)):
        hand = hands[at]
        unseen = 0xFFFFFFFF & ~(hand | 1)
        info = InfoState(
            hand, NO_CARD, 0, True, 0, 0, HAND, unseen, 1, 0, False, False, NO_ROW, False, NO_ROW
        )
        values[:] = 0
        card_values(lent, info, equities, EFFORT, draws_key(at), pool, values)
        counts[lead_index(lent.buckets, hand, 0, best_card(info, values))] += 1


def swap_trumps(hand: CardSet, trumps: Suit) -> CardSet:
    """Return a hand with trumps and spades swapped."""
    kept = hand & ~(255 | 255 << 8 * trumps)
    return kept | (hand & 255) << 8 * trumps | hand >> 8 * trumps & 255


@compiled
def _both(tables: TrickTable, elder: CardSet, dealer: CardSet) -> tuple[int, int]:
    return best_tricks(tables, elder, dealer, 0), thumb_tricks(elder, dealer)


@compiled
def _play(
    table: TrickTable,
    elder: CardSet,
    dealer: CardSet,
    played: NDArray[np.int64],
    trumps: Suit,
    ends: NDArray[np.int64],
) -> None:
    """Count the leader's tricks from each position in which the points were still open."""
    leader, other = elder, dealer
    places = np.zeros(len(played), np.int64)
    takers = np.zeros(len(played), np.int64)
    tricks = len(played) // 2
    role = 0
    taken = [0, 0]
    for trick in range(tricks):
        places[trick] = -1
        if trick > 0 and (max(taken) < 3 or min(taken) == 0):
            places[trick] = table_index(table, leader, other, trumps)
        led, reply = played[2 * trick], played[2 * trick + 1]
        leader, other = leader & ~(1 << led), other & ~(1 << reply)
        takers[trick] = role
        if reply_wins(led, reply, trumps):
            leader, other, role = other, leader, 1 - role
        taken[role] += 1
        takers[tricks + trick] = role
    for trick in range(tricks):
        if places[trick] >= 0:
            own = 0
            for later in range(trick, tricks):
                own += takers[tricks + later] == takers[trick]
            ends[places[trick], own] += 1
