"""What hands are worth when the expert plays them, counted from its games against itself.

The elder's tricks are counted by two numbers that cost nothing: his tricks with open cards, and
those by the rule of thumb. The solver of the exchanges reads its worths from these counts.
"""

from __future__ import annotations

from typing import Any, Final

from casino.analysis.compiled import compiled
from casino.analysis.double_dummy import Tables, tables, tricks
from casino.ecarte.cards import CardSet, Suit
from casino.ecarte.record import read_record
from casino.ecarte.replay import replay
from casino.expert.cfr import thumb_tricks
from casino.expert.solve import Leaves, even_leaves
from casino.simulate.series import SERIES_GAMES, Run, play_series

DOUBT: Final = 5.0
"""So many deals are assumed of every kind, half of them as with open cards, half by the rule."""


def counted_leaves(games: int, seed: int) -> Leaves:
    """How likely 0 to 5 tricks are with the expert at both ends, by so many of its games."""
    counts: Any = DOUBT * even_leaves()
    run = Run(games, seed, "expert", "expert")
    for series in range(-(-games // SERIES_GAMES)):
        for line in play_series(run, series, recording=True).lines.splitlines():
            for deal in replay(read_record(line)).deals:
                if sum(deal.tricks) == deal.hand_size:
                    trumps, elder = deal.turn_up >> 3, 1 - deal.dealer
                    mine = with_trumps_first(deal.kept[elder], trumps)
                    yours = with_trumps_first(deal.kept[deal.dealer], trumps)
                    counts[(*_both(tables(), mine, yours), deal.tricks[elder])] += 1
    found: Leaves = counts / counts.sum(axis=2, keepdims=True)
    return found


def with_trumps_first(hand: CardSet, trumps: Suit) -> CardSet:
    """A hand with the trumps and the spades having traded places."""
    kept = hand & ~(255 | 255 << 8 * trumps)
    return kept | (hand & 255) << 8 * trumps | hand >> 8 * trumps & 255


@compiled
def _both(tables: Tables, elder: CardSet, dealer: CardSet) -> tuple[int, int]:
    """The elder's tricks with open cards, and by the rule of thumb."""
    return tricks(tables, elder, dealer, 0), thumb_tricks(elder, dealer)
