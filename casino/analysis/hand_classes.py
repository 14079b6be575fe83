"""The hands that differ: 31,913 classes for all 169,911 hands with one turn-up.

Two hands are in the same class if swapping plain suits turns one into the other; the class is
represented by the hand whose better plain suits come first. The turned card changes only the
names of the trumps, for it is out of play: every turn-up has the same classes, with the
same tricks, in the same order. All of them against all 65,780 hands take half a second.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from casino.analysis.dd_index import MOST_CARDS
from casino.analysis.double_dummy import TrickTable
from casino.analysis.enumeration import EVERY_CARD, trick_counts
from casino.analysis.numba_support import compiled
from casino.ecarte.bits import count
from casino.ecarte.cards import Card, suit_of

NUMBER_OF_CLASSES: Final = 31_913


class Classes(NamedTuple):
    """One hand of each class, and how many hands it stands for."""

    hands: NDArray[np.int64]
    sizes: NDArray[np.int64]


def hand_classes(turn_up: Card) -> Classes:
    """All classes of hands with this card turned up, the most trumps first."""
    found = Classes(np.zeros(NUMBER_OF_CLASSES, np.int64), np.zeros(NUMBER_OF_CLASSES, np.int64))
    trumps = suit_of(turn_up)
    plain = np.array([suit for suit in range(4) if suit != trumps])
    at = 0
    for number in range(MOST_CARDS, -1, -1):
        at = _collect(found, at, number, turn_up, plain)
    return found


@compiled
def counts_of(
    tables: TrickTable, hands: NDArray[np.int64], turn_up: Card, leads: bool
) -> NDArray[np.int64]:
    """How many of 65,780 hands leave each of some hands 0 to 5 tricks, a row for each."""
    counts = np.zeros((len(hands), MOST_CARDS + 1), np.int64)
    for at in range(len(hands)):
        free = EVERY_CARD & ~hands[at] & ~(1 << turn_up)
        counts[at] = trick_counts(tables, hands[at], free, turn_up >> 3, leads)
    return counts


@compiled
def _collect(found: Classes, at: int, number: int, turn_up: Card, plain: NDArray[np.int64]) -> int:
    """Write the classes with this number of trumps from place `at` on; the place after them."""
    trumps = turn_up >> 3
    for trump_cards in range(255, -1, -1):
        if count(trump_cards) != number or trump_cards >> (turn_up & 7) & 1:
            continue
        for first in range(255, -1, -1):
            if count(first) > MOST_CARDS - number:
                continue
            for second in range(first, -1, -1):
                left = MOST_CARDS - number - count(first) - count(second)
                for third in range(second if left >= 0 else -1, -1, -1):
                    if count(third) == left:
                        found.hands[at] = (
                            trump_cards << 8 * trumps
                            | first << 8 * plain[0]
                            | second << 8 * plain[1]
                            | third << 8 * plain[2]
                        )
                        found.sizes[at] = _ways(first, second, third)
                        at += 1
    return at


@compiled
def _ways(first: int, second: int, third: int) -> int:
    """In how many ways three plain suits can have these cards, sorted, among them."""
    if first == third:
        return 1
    return 3 if first == second or second == third else 6
