"""One hand against every hand the other side may hold, with open cards and no exchange.

Five cards and the turn-up leave 26 cards and 65,780 hands for the other side. A hand's
tricks against all of them are one row of six counts: how often the holder takes 0 to 5.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from casino.analysis.compiled import compiled
from casino.analysis.double_dummy import MOST_CARDS, Tables, after_lead, tricks
from casino.ecarte.bits import count, lowest
from casino.ecarte.cards import Card, CardSet, Suit, members

EVERY_CARD = (1 << 32) - 1


def unseen(hand: CardSet, turn_up: Card) -> CardSet:
    """The cards that the other side may hold."""
    return EVERY_CARD & ~hand & ~(1 << turn_up)


def opponents(hand: CardSet, turn_up: Card) -> NDArray[np.int64]:
    """Every hand of five the other side may hold, as bit sets."""
    bits = np.array([1 << card for card in members(unseen(hand, turn_up))], np.int64)
    choices = np.array(list(combinations(range(len(bits)), MOST_CARDS)))
    return bits[choices].sum(axis=1)  # type: ignore[no-any-return]


@compiled
def trick_counts(
    tables: Tables, hand: CardSet, free: CardSet, trumps: Suit, leads: bool
) -> NDArray[np.int64]:
    """How many of the hands of five made of `free` cards leave the holder 0 to 5 tricks.

    `leads` says whether the holder leads to the first trick. The hands are walked through
    suit by suit: those with the same number of cards in each suit stand together, so that
    in the innermost loop only the row of marks changes.
    """
    marks = np.zeros((4, 256), np.int64)
    ends = np.zeros((4, 8), np.int64)
    held = np.zeros(4, np.int64)
    for at in range(4):
        shift = 8 * (at ^ trumps)
        mine = hand >> shift & 255
        held[at] = count(mine)
        _by_number(tables.suits, mine, free >> shift & 255, leads, marks[at], ends[at])
    counts = np.zeros(MOST_CARDS + 1, np.int64)
    numbers = np.zeros(4, np.int64)
    for first in range(MOST_CARDS + 1):
        for second in range(MOST_CARDS + 1 - first):
            for third in range(MOST_CARDS + 1 - first - second):
                numbers[0] = first
                numbers[1] = second
                numbers[2] = third
                numbers[3] = MOST_CARDS - first - second - third
                _count_shape(tables, marks, ends, held, numbers, counts)
    return counts if leads else counts[::-1].copy()


@compiled
def _by_number(
    suits: NDArray[np.uint16],
    hand: int,
    free: int,
    leads: bool,
    marks: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> None:
    """One suit's marks for every choice of the free cards, fewest cards first.

    The choices of k cards stand from `ends[k]` up to `ends[k + 1]`.
    """
    at = 0
    for number in range(MOST_CARDS + 1):
        ends[number] = at
        chosen = free
        while True:
            if count(chosen) == number:
                code = suits[hand << 8 | chosen] if leads else suits[chosen << 8 | hand]
                marks[at] = code >> 4
                at += 1
            if chosen == 0:
                break
            chosen = (chosen - 1) & free
    ends[MOST_CARDS + 1] = at


@compiled
def _count_shape(
    tables: Tables,
    marks: NDArray[np.int64],
    ends: NDArray[np.int64],
    held: NDArray[np.int64],
    numbers: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> None:
    """Count the tricks of the leader for one number of the other's cards in each suit.

    The six counts of the innermost loop share one int, ten bits each: no suit of eight has
    more than 70 choices of a number of its cards.
    """
    length = held + numbers
    shape = ((length[0] * 9 + length[1]) * 9 + length[2]) * 9 + length[3]
    start = tables.starts[shape]
    inner = marks[3, ends[3, numbers[3]] : ends[3, numbers[3] + 1]]
    for a in range(ends[0, numbers[0]], ends[0, numbers[0] + 1]):
        row_a = 1 << length[0] | marks[0, a]
        for b in range(ends[1, numbers[1]], ends[1, numbers[1] + 1]):
            row_b = row_a << length[1] | marks[1, b]
            for c in range(ends[2, numbers[2]], ends[2, numbers[2] + 1]):
                row_c = (row_b << length[2] | marks[2, c]) << length[3]
                packed = np.int64(0)
                for mark in inner:
                    place = start + tables.ranks[np.uint64(row_c | mark)]
                    packed += 1 << 10 * np.int64(tables.tricks[np.uint64(place)])
                for taken in range(MOST_CARDS + 1):
                    counts[taken] += packed >> 10 * taken & 1023


@compiled
def lead_counts(
    tables: Tables, hand: CardSet, others: NDArray[np.int64], trumps: Suit, leads: bool
) -> NDArray[np.int64]:
    """The counts of tricks for each card led, rows 0 to 31, and for the best lead, row 32.

    A row counts the hands in `others` against which the holder takes 0 to 5 tricks; if the
    other side leads, a card's row counts those that hold it.
    """
    counts = np.zeros((33, MOST_CARDS + 1), np.int64)
    for at in range(len(others)):
        leader = hand if leads else others[at]
        follower = others[at] if leads else hand
        taken = tricks(tables, leader, follower, trumps)
        counts[32, taken if leads else MOST_CARDS - taken] += 1
        untried = leader
        while untried:
            lead = lowest(untried)
            untried &= untried - 1
            taken = after_lead(tables, leader, follower, lead, trumps)
            counts[lead, taken if leads else MOST_CARDS - taken] += 1
    return counts
