"""The three things done with a set of cards that bare arithmetic is slow at.

A compiler of numeric Python does not know these methods of ints; it is taught one machine
instruction for each of these functions, so that code built on them runs both ways.
"""

from __future__ import annotations

from casino.ecarte.cards import Card, CardSet


def count(some: CardSet) -> int:
    """How many cards are in a set."""
    return some.bit_count()


def lowest(some: CardSet) -> Card:
    """The least card of a set that is not empty; of one suit, its lowest card."""
    return (some & -some).bit_length() - 1


def highest(some: CardSet) -> Card:
    """The greatest card of a set that is not empty; of one suit, its highest card."""
    return some.bit_length() - 1
