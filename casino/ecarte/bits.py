"""The three operations on a set of cards for which plain arithmetic is slow.

A compiler of numeric Python does not know these methods of ints; it is taught one machine
instruction for each of these functions, so that code built on them runs both ways.
"""

from __future__ import annotations

from casino.ecarte.cards import Card, CardSet


def count(some: CardSet) -> int:
    """How many cards are in a set."""
    return some.bit_count()


def lowest(some: CardSet) -> Card:
    """The least card of a non-empty set; the lowest card if all are of one suit."""
    return (some & -some).bit_length() - 1


def highest(some: CardSet) -> Card:
    """The greatest card of a non-empty set; the highest card if all are of one suit."""
    return some.bit_length() - 1
