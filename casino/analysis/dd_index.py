"""The double-dummy table: how many tricks the leader takes when both hands are open.

Only the order of the cards in play within each suit, their owners and the leader matter, which
leaves 81,501 positions with up to five cards a side. A position with n cards a side is identified
by its *shape*, the number of cards in play in each suit, trumps first, and by 2n bits, the *marks*,
which are set for the leader's cards. The expert's table file holds the tricks.

The functions run on lists in plain Python, so that the expert needs no compiler, and on arrays in
compiled code.
"""

from __future__ import annotations

from itertools import product
from math import comb
from typing import Any, Final, NamedTuple, Protocol

from casino.ecarte import Card, CardSet, Suit, count, legal_replies, lowest, reply_wins

MAX_CARDS: Final = 5


class IntSequence(Protocol):
    """A table of ints: a list or bytes in plain Python, an array in compiled code."""

    def __getitem__(self, at: int, /) -> int: ...


class TrickTable(NamedTuple):
    """The leader's tricks in every position under one law of play, and the index to find them."""

    strict: bool
    suits: IntSequence  # [leader's byte << 8 | other's]: marks << 4 | number of cards
    starts: IntSequence  # offset of a shape's positions
    ranks: Any  # rank of a row of marks among rows of its length
    tricks: Any


def table_index(
    table: TrickTable, leader: CardSet, other: CardSet, trumps: Suit, swapped: int = 0
) -> int:
    """Return the table index of a position in which `leader` is to lead.

    Both sides must have the same number of cards, at most five. `swapped` is a mask of marks to
    invert, which exchanges the owners of those cards.
    """
    marks, lengths = 1, 0
    for suit in (trumps, trumps ^ 1, trumps ^ 2, trumps ^ 3):
        code = table.suits[(leader >> 8 * suit & 255) << 8 | other >> 8 * suit & 255] & 65535
        length = code & 15
        marks = marks << length | code >> 4
        lengths = 9 * lengths + length
    return table.starts[lengths] + table.ranks[marks ^ swapped]  # type: ignore[no-any-return]


def best_tricks(table: TrickTable, leader: CardSet, other: CardSet, trumps: Suit) -> int:
    """Return the leader's tricks if both sides play perfectly with open cards."""
    return table.tricks[table_index(table, leader, other, trumps)] & 7  # type: ignore[no-any-return]


def tricks_after_lead(
    table: TrickTable, leader: CardSet, other: CardSet, led: Card, trumps: Suit
) -> int:
    """Return the leader's tricks if it leads `led`, keeps `leader`, and gets the best reply."""
    left = count(leader)
    fewest = left + 1
    replies = legal_replies(other, led, trumps, table.strict)
    while replies:
        reply = lowest(replies)
        replies &= replies - 1
        kept = other ^ 1 << reply
        if reply_wins(led, reply, trumps):
            taken = left - best_tricks(table, kept, leader, trumps)
        else:
            taken = 1 + best_tricks(table, leader, kept, trumps)
        fewest = min(fewest, taken)
    return fewest


def empty_table(strict: bool) -> TrickTable:
    """Return a table with an index of Python lists but no tricks."""
    return TrickTable(strict, suit_codes(), shape_offsets(), mark_ranks(), ())


def shapes(size: int) -> list[tuple[int, ...]]:
    """Return every distribution of `size` cards over four suits of eight."""
    return [shape for shape in product(range(9), repeat=4) if sum(shape) == size]


def count_positions(n: int) -> int:
    """Return the number of positions with n cards a side."""
    return len(shapes(2 * n)) * comb(2 * n, n)


def shape_offsets() -> list[int]:
    """Return the offset of each shape's positions in the table."""
    offsets = [0] * 9**4
    size = 0
    for n in range(MAX_CARDS + 1):
        for shape in shapes(2 * n):
            offsets[int("".join(map(str, shape)), 9)] = size
            size += comb(2 * n, n)
    return offsets


def mark_ranks() -> list[int]:
    """Return the rank of each balanced bit string of marks; indices have an extra leading 1."""
    ranks = [0] * (2 << 2 * MAX_CARDS)
    for n in range(MAX_CARDS + 1):
        balanced = [1 << 2 * n | m for m in range(1 << 2 * n) if m.bit_count() == n]
        for rank, marks in enumerate(balanced):
            ranks[marks] = rank
    return ranks


def suit_codes() -> list[int]:
    """Return the marks and length of a suit, indexed by both sides' cards (see `TrickTable`)."""
    codes = [0] * (1 << 16)
    for live in range(256):
        bits = [1 << rank for rank in range(8) if live >> rank & 1]
        for marks in range(1 << len(bits)):
            leader = sum(bit for at, bit in enumerate(bits) if marks >> at & 1)
            codes[leader << 8 | live ^ leader] = marks << 4 | len(bits)
    return codes
