"""Double-dummy solver: how many tricks the leader takes when both hands are open.

Only the order of the live cards in each suit, their owners and the leader matter (see `dd_index`),
which leaves 81,501 positions of up to five cards a side. The table for a law of play has one byte
for each position. It is filled from the smallest positions up, in milliseconds.

Compiled functions take the table as their first argument; `trick_table()` returns it.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from casino.analysis import dd_index
from casino.analysis.dd_index import LENGTH_BITS, MAX_CARDS
from casino.analysis.numba_support import compiled
from casino.ecarte import legal_replies, reply_wins
from casino.ecarte.cards import Card, CardSet, Suit, count, lowest


class TrickTable(NamedTuple):
    """The leader's tricks in every position under one law of play, and the index into them."""

    strict: bool
    suits: NDArray[np.uint16]  # [leader's byte << 8 | other's]: marks << 4 | number of cards
    starts: NDArray[np.int32]  # offset of a shape's positions
    ranks: NDArray[np.uint8]  # rank of a row of marks among rows of its length
    tricks: NDArray[np.uint8]


@compiled
def table_index(table: TrickTable, leader: CardSet, other: CardSet, trumps: Suit) -> int:
    """Return the table index of a position in which `leader` is to lead.

    Both sides must have the same number of cards, at most five.
    """
    # numba omits its test for negative indices if they are unsigned.
    marks = np.int64(1)
    lengths = np.int64(0)
    for suit in range(4):
        shift = 8 * (suit ^ trumps)
        code = np.int64(table.suits[(leader >> shift & 255) << 8 | other >> shift & 255])
        length = code & 15
        marks = marks << length | code >> LENGTH_BITS
        lengths = 9 * lengths + length
    start = table.starts[np.uint64(lengths)]
    return start + table.ranks[np.uint64(marks)]  # type: ignore[no-any-return]


@compiled
def best_tricks(table: TrickTable, leader: CardSet, other: CardSet, trumps: Suit) -> int:
    """Return the leader's tricks if both sides play perfectly with open cards."""
    at = np.uint64(table_index(table, leader, other, trumps))
    return table.tricks[at]  # type: ignore[no-any-return]


@compiled
def tricks_after_lead(
    table: TrickTable, leader: CardSet, other: CardSet, lead: Card, trumps: Suit
) -> int:
    """Return the leader's tricks after this lead and the best reply to it."""
    left = leader ^ 1 << lead
    size = count(left)
    fewest = size + 1
    replies = legal_replies(other, lead, trumps, table.strict)
    while replies:
        reply = lowest(replies)
        replies &= replies - 1
        kept = other ^ 1 << reply
        if reply_wins(lead, reply, trumps):
            taken = size - best_tricks(table, kept, left, trumps)
        else:
            taken = 1 + best_tricks(table, left, kept, trumps)
        fewest = min(fewest, taken)
    return fewest


@cache
def trick_table(strict: bool = True) -> TrickTable:
    """Return the table under the strict (R5.2) or the ordinary (R5.4) law of play."""
    starts, size = dd_index.shape_offsets()
    empty = TrickTable(
        strict,
        np.array(dd_index.suit_codes(), np.uint16),
        np.array(starts, np.int32),
        np.array(dd_index.mark_ranks(), np.uint8),
        np.zeros(size, np.uint8),
    )
    # Smallest first: `_solve` looks up positions with one card less.
    shapes = [shape for n in range(1, MAX_CARDS + 1) for shape in dd_index.shapes(2 * n)]
    _fill(empty, np.array(shapes, np.int64))
    return empty


@compiled
def _fill(table: TrickTable, shapes: NDArray[np.int64]) -> None:
    for at in range(len(shapes)):
        shape = shapes[at]
        size = shape.sum()
        for marks in range(1 << size):
            if 2 * count(marks) == size:
                _solve(table, shape, marks)


@compiled
def _solve(table: TrickTable, shape: NDArray[np.int64], marks: int) -> None:
    """Solve one position, assuming that all positions with fewer cards are solved."""
    leader = 0
    other = 0
    for at in range(4):
        suit = 3 - at
        full = (1 << shape[suit]) - 1
        leader |= (marks & full) << 8 * suit
        other |= (~marks & full) << 8 * suit
        marks >>= shape[suit]
    best = 0
    untried = leader
    while untried:
        lead = lowest(untried)
        untried &= untried - 1
        best = max(best, tricks_after_lead(table, leader, other, lead, 0))
    table.tricks[table_index(table, leader, other, 0)] = best
