"""Double-dummy solver, which fills the table of `dd_index` from the smallest positions up.

Compiled functions take the table as their first argument; `trick_table()` returns it.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from casino.analysis import dd_index
from casino.analysis.dd_index import MAX_CARDS, TrickTable, table_index, tricks_after_lead
from casino.analysis.numba_support import compiled, register_for_numba
from casino.ecarte import count, lowest

register_for_numba(dd_index)


def in_arrays(table: TrickTable, tricks: NDArray[np.uint8]) -> TrickTable:
    """Return a table for compiled code: the index converted to arrays, with these tricks."""
    return TrickTable(
        table.strict,
        np.array(table.suits, np.uint16),
        np.array(table.starts, np.int32),
        np.array(table.ranks, np.uint8),
        tricks,
    )


@cache
def trick_table(strict: bool = True) -> TrickTable:
    """Return the table under the strict (R5.2) or the ordinary (R5.4) law of play."""
    index, size = dd_index.empty_table(strict)
    empty = in_arrays(index, np.zeros(size, np.uint8))
    # Smallest first: `_solve` looks up positions with one card less on each side.
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


@register_jitable
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
        best = max(best, tricks_after_lead(table, leader ^ 1 << lead, other, lead, 0))
    table.tricks[table_index(table, leader, other, 0)] = best
