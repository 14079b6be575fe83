"""Recount the shipped statistics of card play: `python -m tools.card_play 8000 2`.

They are outcomes of 8,000 games of the expert against itself. `casino solve` takes them from the
shipped tables: run it afterwards.

For each pair of hands, the elder's tricks are tallied by two predictors that are cheap to compute:
its double-dummy tricks, and its tricks by the rule of thumb. These counts are the leaf values of
the exchange solver. The expert's card play uses counts of how the rest of a deal went from each
position, and of which cards were led first.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from casino.analysis.dd_index import TrickTable, best_tricks, count_positions, table_index
from casino.ecarte import NO_CARD, PACK, CardSet, Suit, card_set, read_record, replay, reply_wins
from casino.simulate.series import SERIES_GAMES, Run, play_series
from casino.solver.evaluation.rollout import tricks_by_rule
from casino.solver.policy import tables
from casino.solver.policy.compiled_tables import CompiledExpert
from casino.solver.policy.play_policy import SURE, InfoState, best_card, derive_key
from casino.solver.policy.tables import BUCKETS, ENDGAME_POSITIONS, HAND, LEADS, REST
from casino.solver.training.cfr import Leaves

FILE: Final = Path(tables.__file__).parents[1] / tables.SHIPPED
DOUBT: Final = 5.0  # prior deals of every kind, half double-dummy, half by the rule of thumb
MEAN_COUNTS: Final = 12.0  # weight of the mean of similar positions, in deals
MIN_SHARE: Final = 12  # minimum probability, in 255ths, of a card that was never led


class Calibration(NamedTuple):
    """Statistics of card play: `leaves` for the solver, the others for `PolicyTables`."""

    leaves: Leaves
    endgame: bytes
    leads: bytes


def calibrate(games: int, seed: int) -> Calibration:
    """Count the outcomes of `games` games of the expert against itself."""
    leaves: Any = DOUBT * even_leaves()
    table = tables.policy_tables(True).open_cards
    ends = np.zeros((ENDGAME_POSITIONS, REST + 1), np.int64)
    run = Run(games, seed, "expert", "expert")
    for series in range(-(-games // SERIES_GAMES)):
        for line in play_series(run, series, recording=True).lines.splitlines():
            for deal in replay(read_record(line)).deals:
                if sum(deal.tricks) == deal.hand_size:
                    trumps, elder = deal.turn_up >> 3, 1 - deal.dealer
                    hands = (deal.kept[elder], deal.kept[deal.dealer])
                    mine, yours = (swap_trumps(hand, trumps) for hand in hands)
                    cards_open = best_tricks(table, mine, yours, 0)
                    by_rule = tricks_by_rule(mine, yours, 0, NO_CARD, 0)
                    leaves[cards_open, by_rule, deal.tricks[elder]] += 1
                    played = [action for action in deal.history if action < len(PACK)]
                    count_rests(table, *hands, played, trumps, ends)
    equity = leaves / leaves.sum(axis=2, keepdims=True)
    return Calibration(equity, rest_odds(ends), lead_odds())


def even_leaves() -> Leaves:
    """Return trick probabilities that give double-dummy and rule-of-thumb tricks equal weight."""
    leaves = np.zeros((6, 6, 6))
    for cards_open in range(6):
        for by_rule in range(6):
            leaves[cards_open, by_rule, cards_open] += 0.5
            leaves[cards_open, by_rule, by_rule] += 0.5
    return leaves


def rest_odds(ends: NDArray[np.int64]) -> bytes:
    """Return the odds of taking at least 1, 2, 3 or 4 tricks, from counts of 0 to 4.

    Rare positions have too few counts of their own, so the mean over all positions with the same
    numbers of cards and double-dummy tricks is added.
    """
    sizes = np.repeat(range(REST + 1), [count_positions(size) for size in range(REST + 1)])
    tricks = np.frombuffer(tables.policy_tables(True).open_cards.tricks, np.uint8)[
        :ENDGAME_POSITIONS
    ]
    shares = np.zeros((ENDGAME_POSITIONS, REST + 1))
    for size in range(REST + 1):
        for took in range(size + 1):
            alike = (sizes == size) & (tricks == took)
            usual = ends[alike].sum(axis=0) + (np.arange(REST + 1) == took) / 2
            counts = ends[alike] + MEAN_COUNTS * usual / usual.sum()
            shares[alike] = counts / counts.sum(axis=1, keepdims=True)
    at_least = shares[:, ::-1].cumsum(axis=1)[:, -2::-1]
    parts: bytes = np.rint(SURE * at_least).astype(np.uint8).tobytes()
    return parts


def lead_odds(hands: Iterable[CardSet] = ()) -> bytes:
    """Return the odds that each bucket of hands leads each of its cards first.

    Each hand leads once, with the seven of spades turned up, as if only the point mattered and
    nothing were known of the decisions before play. The default is all 169,911 hands.
    """
    counts = np.zeros(BUCKETS * LEADS, np.int64)
    policy, expert = tables.policy_tables(True), CompiledExpert()
    # Only the point counts: three tricks or more win.
    equities = [0, 0, 0, tables.WHOLE, tables.WHOLE, tables.WHOLE] * 2
    for at, hand in enumerate(hands or map(card_set, combinations(range(1, len(PACK)), HAND))):
        unseen = 0xFFFFFFFF & ~(hand | 1)
        info = InfoState(hand, NO_CARD, 0, True, 0, 0, HAND, unseen)
        card = best_card(info, expert.values(policy, info, equities, derive_key(at)))
        index = tables.lead_index(policy.buckets, hand, 0, card)
        counts[LEADS * tables.bucket_of(policy.buckets, hand, 0) + index] += 1
    rows = counts.reshape(BUCKETS, LEADS)
    shares = (rows + 1 / HAND) / (rows.sum(axis=1, keepdims=True) + 1)
    parts: bytes = np.rint(MIN_SHARE + (255 - MIN_SHARE) * shares).astype(np.uint8).tobytes()
    return parts


def swap_trumps(hand: CardSet, trumps: Suit) -> CardSet:
    """Return a hand with trumps and spades swapped."""
    kept = hand & ~(255 | 255 << 8 * trumps)
    return kept | (hand & 255) << 8 * trumps | hand >> 8 * trumps & 255


def count_rests(
    table: TrickTable,
    elder: CardSet,
    dealer: CardSet,
    played: Sequence[int],
    trumps: Suit,
    ends: NDArray[np.int64],
) -> None:
    """Count the leader's tricks from each position in which the points were still open."""
    hands, role, takers, leads = [elder, dealer], 0, list[int](), []
    for led, reply in zip(played[::2], played[1::2], strict=True):
        taken = takers.count(0), takers.count(1)
        if takers and (max(taken) < 3 or min(taken) == 0):
            index = table_index(table, hands[role], hands[1 - role], trumps)
            leads.append((index, role, len(takers)))
        hands[role] ^= 1 << led
        hands[1 - role] ^= 1 << reply
        if reply_wins(led, reply, trumps):
            role = 1 - role
        takers.append(role)
    for index, leader, trick in leads:
        ends[index, takers[trick:].count(leader)] += 1


def main() -> None:
    """Write the file."""
    games, seed = map(int, sys.argv[1:])
    counted = calibrate(games, seed)
    shipped = tables.load_packed()
    leaves = [round(equity, 6) for equity in np.reshape(counted.leaves, -1).tolist()]
    about = {"target": shipped.target, "seed": seed, "leaves": leaves}
    packed = shipped._replace(about=about, endgame=counted.endgame, leads=counted.leads)
    FILE.write_bytes(tables.pack(packed))


if __name__ == "__main__":
    main()
