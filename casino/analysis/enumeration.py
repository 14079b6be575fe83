"""Enumeration: one hand against every hand the opponent may hold, with open cards.

Five cards and the turn-up leave 26 cards, or 65,780 opposing hands. The result is six counts of the
opposing hands against which the holder takes 0 to 5 tricks.

The 169,911 hands with a given turn-up form 31,913 classes. Two hands are in the same class if
swapping plain suits turns one into the other; the representative has its best plain suits first.
The turned card is out of play, so every turn-up has the same classes, tricks and order. All classes
against all 65,780 hands take half a second.
"""

from __future__ import annotations

from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from casino.analysis.dd_index import (
    LENGTH_BITS,
    MAX_CARDS,
    TrickTable,
    best_tricks,
    tricks_after_lead,
)
from casino.analysis.numba_support import compiled
from casino.ecarte import Card, CardSet, Suit, cards_in, count, lowest, suit_of

ALL_CARDS = (1 << 32) - 1


def unseen_cards(hand: CardSet, turn_up: Card) -> CardSet:
    """Return the cards that the opponent may hold."""
    return ALL_CARDS & ~hand & ~(1 << turn_up)


def opponent_hands(hand: CardSet, turn_up: Card) -> NDArray[np.int64]:
    """Return every five-card hand that the opponent may hold, as card sets."""
    bits = np.array([1 << card for card in cards_in(unseen_cards(hand, turn_up))], np.int64)
    choices = np.array(list(combinations(range(len(bits)), MAX_CARDS)))
    return bits[choices].sum(axis=1)  # type: ignore[no-any-return]


@compiled
def count_tricks(
    table: TrickTable, hand: CardSet, free: CardSet, trumps: Suit, leads: bool
) -> NDArray[np.int64]:
    """Count the opposing hands drawn from `free` against which the holder takes 0 to 5 tricks.

    `leads` is true if the holder leads first. Opposing cards that lie between the same two of the
    holder's cards are equivalent, so counting suit by suit takes a few thousand lookups instead of
    65,780.
    """
    suits = (
        _by_number(table, hand, free, trumps, leads),
        _by_number(table, hand, free, trumps ^ 1, leads),
        _by_number(table, hand, free, trumps ^ 2, leads),
        _by_number(table, hand, free, trumps ^ 3, leads),
    )
    counts = np.zeros(MAX_CARDS + 1, np.int64)
    for first in range(MAX_CARDS + 1):
        for second in range(MAX_CARDS + 1 - first):
            for third in range(MAX_CARDS + 1 - first - second):
                fourth = MAX_CARDS - first - second - third
                _count_shape(table, suits, (first, second, third, fourth), counts)
    # The counts are of the leader's tricks; the follower takes the others.
    return counts if leads else counts[::-1].copy()


class SuitRows(NamedTuple):
    """The possible marks of one suit, grouped by the opponent's number of cards in it.

    The rows for k cards are `ends[k]` to `ends[k + 1]`; `times` is the number of sets of k cards
    that have these marks.
    """

    held: int
    marks: NDArray[np.int64]
    times: NDArray[np.int64]
    ends: NDArray[np.int64]


@compiled
def _by_number(
    table: TrickTable, hand: CardSet, free: CardSet, suit: Suit, leads: bool
) -> SuitRows:
    own, theirs = hand >> 8 * suit & 255, free >> 8 * suit & 255
    marks, times = np.zeros(256, np.int64), np.zeros(256, np.int64)
    ends = np.zeros(MAX_CARDS + 2, np.int64)
    end = 0
    for number in range(MAX_CARDS + 1):
        ends[number] = end
        chosen = theirs
        while True:
            if count(chosen) == number:
                code = table.suits[own << 8 | chosen if leads else chosen << 8 | own]
                at = ends[number]
                while at < end and marks[at] != code >> LENGTH_BITS:
                    at += 1
                marks[at] = code >> LENGTH_BITS
                times[at] += 1
                end = max(end, at + 1)
            if chosen == 0:
                break
            # The next smaller subset of `theirs`.
            chosen = (chosen - 1) & theirs
    ends[MAX_CARDS + 1] = end
    return SuitRows(count(own), marks, times, ends)


@compiled
def _count_shape(
    table: TrickTable,
    suits: tuple[SuitRows, SuitRows, SuitRows, SuitRows],
    numbers: tuple[int, int, int, int],
    counts: NDArray[np.int64],
) -> None:
    a, b, c, d = suits
    len_b, len_c, len_d = b.held + numbers[1], c.held + numbers[2], d.held + numbers[3]
    start = table.starts[(((a.held + numbers[0]) * 9 + len_b) * 9 + len_c) * 9 + len_d]
    for at_a in range(a.ends[numbers[0]], a.ends[numbers[0] + 1]):
        row_a = 1 << a.held + numbers[0] | a.marks[at_a]
        for at_b in range(b.ends[numbers[1]], b.ends[numbers[1] + 1]):
            row_b = row_a << len_b | b.marks[at_b]
            times_b = a.times[at_a] * b.times[at_b]
            for at_c in range(c.ends[numbers[2]], c.ends[numbers[2] + 1]):
                row_c = (row_b << len_c | c.marks[at_c]) << len_d
                times_c = times_b * c.times[at_c]
                for at_d in range(d.ends[numbers[3]], d.ends[numbers[3] + 1]):
                    index = start + table.ranks[np.uint64(row_c | d.marks[at_d])]
                    counts[table.tricks[np.uint64(index)]] += times_c * d.times[at_d]


@compiled
def count_tricks_by_lead(
    table: TrickTable, hand: CardSet, others: NDArray[np.int64], trumps: Suit, leads: bool
) -> NDArray[np.int64]:
    """Count, for each lead, the hands of `others` against which the holder takes 0 to 5 tricks.

    Rows 0 to 31 are the cards led, row 32 is the best lead. If the opponent leads, a card's row
    covers only the hands that contain the card.
    """
    counts = np.zeros((33, MAX_CARDS + 1), np.int64)
    for at in range(len(others)):
        leader = hand if leads else others[at]
        follower = others[at] if leads else hand
        taken = best_tricks(table, leader, follower, trumps)
        counts[32, taken if leads else MAX_CARDS - taken] += 1
        untried = leader
        while untried:
            lead = lowest(untried)
            untried &= untried - 1
            taken = tricks_after_lead(table, leader ^ 1 << lead, follower, lead, trumps)
            counts[lead, taken if leads else MAX_CARDS - taken] += 1
    return counts


NUMBER_OF_CLASSES: Final = 31_913


class HandClasses(NamedTuple):
    """A representative of each hand class, and the class sizes."""

    hands: NDArray[np.int64]
    sizes: NDArray[np.int64]


def hand_classes(turn_up: Card) -> HandClasses:
    """Return all hand classes with this card turned up, those with the most trumps first."""
    classes = HandClasses(
        np.zeros(NUMBER_OF_CLASSES, np.int64), np.zeros(NUMBER_OF_CLASSES, np.int64)
    )
    trumps = suit_of(turn_up)
    plain = np.array([suit for suit in range(4) if suit != trumps])
    at = 0
    for number in range(MAX_CARDS, -1, -1):
        at = _collect(classes, at, number, turn_up, plain)
    return classes


@compiled
def count_class_tricks(
    table: TrickTable, hands: NDArray[np.int64], turn_up: Card, leads: bool
) -> NDArray[np.int64]:
    """Return, for each hand, the counts of opposing hands against which it takes 0 to 5 tricks."""
    counts = np.zeros((len(hands), MAX_CARDS + 1), np.int64)
    for at in range(len(hands)):
        free = ALL_CARDS & ~hands[at] & ~(1 << turn_up)
        counts[at] = count_tricks(table, hands[at], free, turn_up >> 3, leads)
    return counts


@compiled
def _collect(
    classes: HandClasses, at: int, number: int, turn_up: Card, plain: NDArray[np.int64]
) -> int:
    trumps = turn_up >> 3
    for trump_cards in range(255, -1, -1):
        if count(trump_cards) != number or trump_cards >> (turn_up & 7) & 1:
            continue
        for first in range(255, -1, -1):
            if count(first) > MAX_CARDS - number:
                continue
            for second in range(first, -1, -1):
                left = MAX_CARDS - number - count(first) - count(second)
                for third in range(second if left >= 0 else -1, -1, -1):
                    if count(third) == left:
                        classes.hands[at] = (
                            trump_cards << 8 * trumps
                            | first << 8 * plain[0]
                            | second << 8 * plain[1]
                            | third << 8 * plain[2]
                        )
                        classes.sizes[at] = _ways(first, second, third)
                        at += 1
    return at


@compiled
def _ways(first: int, second: int, third: int) -> int:
    """Return the number of distinct orders of three plain suits, given in descending order."""
    if first == third:
        return 1
    return 3 if first == second or second == third else 6
