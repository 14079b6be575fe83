"""Index of the double-dummy table: maps a position to its entry.

A position with n cards a side is identified by the number of live cards in each suit, trumps first,
and by 2n bits, the *marks*, which are set for the leader's cards. All tables are plain lists, so
that the expert can read its tables without numba.
"""

from __future__ import annotations

from itertools import product
from math import comb
from typing import Final

MAX_CARDS: Final = 5
LENGTH_BITS: Final = 4


def shapes(size: int) -> list[tuple[int, ...]]:
    """Return every distribution of `size` live cards over four suits of eight."""
    return [shape for shape in product(range(9), repeat=4) if sum(shape) == size]


def count_positions(n: int) -> int:
    """Return the number of positions with n cards a side."""
    return len(shapes(2 * n)) * comb(2 * n, n)


def shape_offsets() -> tuple[list[int], int]:
    """Return the offset of each shape's positions in the table, and the table's size."""
    offsets = [0] * 9**4
    size = 0
    for n in range(MAX_CARDS + 1):
        for shape in shapes(2 * n):
            offsets[int("".join(map(str, shape)), 9)] = size
            size += comb(2 * n, n)
    return offsets, size


def mark_ranks() -> list[int]:
    """Return the rank of each balanced bit string of marks; indices have an extra leading 1."""
    ranks = [0] * (2 << 2 * MAX_CARDS)
    for n in range(MAX_CARDS + 1):
        balanced = [1 << 2 * n | m for m in range(1 << 2 * n) if m.bit_count() == n]
        for rank, marks in enumerate(balanced):
            ranks[marks] = rank
    return ranks


def suit_codes() -> list[int]:
    """Return the marks and length of one suit, indexed by the leader's and the other's cards."""
    codes = [0] * (1 << 16)
    for live in range(256):
        bits = [1 << rank for rank in range(8) if live >> rank & 1]
        for marks in range(1 << len(bits)):
            leader = sum(bit for at, bit in enumerate(bits) if marks >> at & 1)
            codes[leader << 8 | live ^ leader] = marks << LENGTH_BITS | len(bits)
    return codes
