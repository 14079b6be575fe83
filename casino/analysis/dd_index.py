"""The layout of the table of open positions: how a position's place in it is found.

A position of n cards on each side is the number of live cards in each of the four suits, trumps
first, and a row of 2n marks that say which cards are the leader's. Everything is a plain list,
so that the table can be read without a compiler.
"""

from __future__ import annotations

from itertools import product
from math import comb
from typing import Final

MAX_CARDS: Final = 5
LENGTH_BITS: Final = 4


def shapes(size: int) -> list[tuple[int, ...]]:
    """Every way to have so many live cards in four suits of eight."""
    return [shape for shape in product(range(9), repeat=4) if sum(shape) == size]


def count_positions(n: int) -> int:
    """How many positions there are with so many cards a side."""
    return len(shapes(2 * n)) * comb(2 * n, n)


def shape_offsets() -> tuple[list[int], int]:
    """Where each shape's positions begin in the table, and the table's size."""
    found = [0] * 9**4
    at = 0
    for n in range(MAX_CARDS + 1):
        for shape in shapes(2 * n):
            found[int("".join(map(str, shape)), 9)] = at
            at += comb(2 * n, n)
    return found, at


def mark_ranks() -> list[int]:
    """For each balanced row of marks, led by a one, its place among those as long."""
    found = [0] * (2 << 2 * MAX_CARDS)
    for n in range(MAX_CARDS + 1):
        row = [1 << 2 * n | m for m in range(1 << 2 * n) if m.bit_count() == n]
        for place, marks in enumerate(row):
            found[marks] = place
    return found


def suit_codes() -> list[int]:
    """For both sides' cards of one suit, the marks of the leader's and the number of cards."""
    found = [0] * (1 << 16)
    for live in range(256):
        places = [1 << rank for rank in range(8) if live >> rank & 1]
        for chosen in range(1 << len(places)):
            leader = sum(place for at, place in enumerate(places) if chosen >> at & 1)
            found[leader << 8 | live ^ leader] = chosen << LENGTH_BITS | len(places)
    return found
