"""Open positions solved: how many tricks the leader takes when both see all cards.

Only the order of the live cards in each suit, who holds them, and who leads matter. A
position of n cards on each side is therefore the number of live cards in each of the four
suits, trumps first, and a row of 2n marks that say which cards are the leader's. There are
81,501 of them up to five cards a side; one byte for each, under each law of play, is the
whole table. It is built from the bottom in milliseconds, by `tricks_after_lead` alone.

Compiled functions take the table as their first argument; `tables()` gives it.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from casino.analysis import dd_index
from casino.analysis.dd_index import LENGTH_BITS, MAX_CARDS
from casino.analysis.numba_support import compiled
from casino.ecarte.cards import Card, CardSet, Suit, count, lowest
from casino.ecarte.rules import legal_replies, reply_wins


class TrickTable(NamedTuple):
    """The table of tricks for one law of play, and what finds a position's place in it."""

    strict: bool
    suits: NDArray[np.uint16]  # [leader's byte << 8 | other's]: marks << 4 | number of cards
    starts: NDArray[np.int32]  # where the positions with these numbers of cards begin
    ranks: NDArray[np.uint8]  # the place of a row of marks among those as long
    tricks: NDArray[np.uint8]


@compiled
def table_index(tables: TrickTable, leader: CardSet, other: CardSet, trumps: Suit) -> int:
    """Where the table holds the position in which `leader` is to lead.

    Both sides hold the same number of cards, at most five. An unsigned index spares compiled code
    the test for negative ones.
    """
    marks = np.int64(1)
    lengths = np.int64(0)
    for suit in range(4):
        shift = 8 * (suit ^ trumps)
        code = np.int64(tables.suits[(leader >> shift & 255) << 8 | other >> shift & 255])
        length = code & 15
        marks = marks << length | code >> LENGTH_BITS
        lengths = 9 * lengths + length
    start = tables.starts[np.uint64(lengths)]
    return start + tables.ranks[np.uint64(marks)]  # type: ignore[no-any-return]


@compiled
def best_tricks(tables: TrickTable, leader: CardSet, other: CardSet, trumps: Suit) -> int:
    """How many tricks the leader takes if both sides play their best with open cards."""
    at = np.uint64(table_index(tables, leader, other, trumps))
    return tables.tricks[at]  # type: ignore[no-any-return]


@compiled
def tricks_after_lead(
    tables: TrickTable, leader: CardSet, other: CardSet, lead: Card, trumps: Suit
) -> int:
    """How many tricks the leader takes if he leads this card."""
    left = leader ^ 1 << lead
    size = count(left)
    least = size + 1
    replies = legal_replies(other, lead, trumps, tables.strict)
    while replies:
        reply = lowest(replies)
        replies &= replies - 1
        kept = other ^ 1 << reply
        if reply_wins(lead, reply, trumps):
            taken = size - best_tricks(tables, kept, left, trumps)
        else:
            taken = 1 + best_tricks(tables, left, kept, trumps)
        least = min(least, taken)
    return least


@cache
def trick_table(strict: bool = True) -> TrickTable:
    """The table under the strict (R5.2) or the ordinary law of play (R5.4)."""
    starts, size = dd_index.shape_offsets()
    empty = TrickTable(
        strict,
        np.array(dd_index.suit_codes(), np.uint16),
        np.array(starts, np.int32),
        np.array(dd_index.mark_ranks(), np.uint8),
        np.zeros(size, np.uint8),
    )
    shapes = [shape for n in range(1, MAX_CARDS + 1) for shape in dd_index.shapes(2 * n)]
    _fill(empty, np.array(shapes, np.int64))
    return empty


@compiled
def _fill(tables: TrickTable, shapes: NDArray[np.int64]) -> None:
    """Solve every position of these shapes, which are in order of their number of cards."""
    for at in range(len(shapes)):
        shape = shapes[at]
        size = shape.sum()
        for marks in range(1 << size):
            if 2 * count(marks) == size:
                _solve(tables, shape, marks)


@compiled
def _solve(tables: TrickTable, shape: NDArray[np.int64], marks: int) -> None:
    """Solve one position, once all those with fewer cards are solved."""
    leader = 0
    other = 0
    for at in range(4):
        suit = 3 - at
        full = (1 << shape[suit]) - 1
        leader |= (marks & full) << 8 * suit
        other |= (~marks & full) << 8 * suit
        marks >>= shape[suit]
    most = 0
    untried = leader
    while untried:
        lead = lowest(untried)
        untried &= untried - 1
        most = max(most, tricks_after_lead(tables, leader, other, lead, 0))
    tables.tricks[table_index(tables, leader, other, 0)] = most
