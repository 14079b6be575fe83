"""Double-dummy solver, from which the tricks in the shipped tables come.

It fills the table of `casino.analysis.dd_index` from the smallest positions up.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from casino.analysis import dd_index
from casino.analysis.dd_index import MAX_CARDS, TrickTable, table_index, tricks_after_lead
from casino.analysis.numba_support import compiled
from casino.ecarte import count, lowest
from casino.solver.policy.compiled_tables import in_arrays


@cache
def trick_table(strict: bool = True) -> TrickTable:
    """Return the table under the strict (R5.2) or the ordinary (R5.4) law of play."""
    size = sum(map(dd_index.count_positions, range(MAX_CARDS + 1)))
    table = in_arrays(dd_index.empty_table(strict), np.zeros(size, np.uint8))
    # Smallest first: `_solve` looks up positions with one card less on each side.
    shapes = [shape for n in range(1, MAX_CARDS + 1) for shape in dd_index.shapes(2 * n)]
    _fill(table, np.array(shapes, np.int64))
    return table


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
        best = max(best, tricks_after_lead(table, leader ^ 1 << lead, other, lead, 0))
    table.tricks[table_index(table, leader, other, 0)] = best


@compiled
def _fill(table: TrickTable, shapes: NDArray[np.int64]) -> None:
    for at in range(len(shapes)):
        shape = shapes[at]
        size = shape.sum()
        for marks in range(1 << size):
            if 2 * count(marks) == size:
                _solve(table, shape, marks)
