"""The expert's functions compiled by numba, and its tables as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from casino.analysis import dd_index
from casino.analysis.dd_index import TrickTable
from casino.analysis.numba_support import borrow, compiled, register_for_numba
from casino.bots import rule_bot
from casino.solver.evaluation import rollout
from casino.solver.expert_bot import Expert
from casino.solver.policy import play_policy, tables
from casino.solver.policy.play_policy import ROOM, WEIGHED, InfoState
from casino.solver.policy.tables import Buckets, PolicyTables

for module in (dd_index, rule_bot, tables, rollout):
    register_for_numba(module)
# A call passes the tables' 16 arrays, which takes longer than many of these functions.
register_for_numba(play_policy, forceinline=True)


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
def policy_tables(strict: bool, file: Path | None = None) -> PolicyTables:
    """Return the expert's tables as arrays."""
    plain = tables.policy_tables(strict, file)
    return plain._replace(
        buckets=Buckets(*(np.array(row, np.int16) for row in plain.buckets)),
        open_cards=in_arrays(plain.open_cards, _bytes(plain.open_cards.tricks)),
        equity=np.array(plain.equity, np.int64),
        bids=_bytes(plain.bids),
        takes=_bytes(plain.takes),
        drawn=_bytes(plain.drawn),
        endgame=_bytes(plain.endgame),
        leads=_bytes(plain.leads),
    )


def _bytes(row: Any) -> NDArray[np.uint8]:
    return np.frombuffer(row, np.uint8)


# Compiled callers call this function too: inlined, it would be compiled again in each of them.
@compiled
def card_values(
    policy: PolicyTables,
    info: InfoState,
    equities: NDArray[np.int64],
    effort: int,
    key: int,
    pool: NDArray[np.int64],
    values: NDArray[np.int64],
) -> None:
    """Run `play_policy.card_values` in compiled code."""
    play_policy.card_values(borrow(policy), info, equities, effort, key, pool, values)


class CompiledExpert(Expert):
    """The expert with compiled card play: the same decisions in a fraction of the time."""

    def values(
        self, _: PolicyTables, info: InfoState, equities: Sequence[int], key: int
    ) -> list[int]:
        """Return each card's value and the total weight, using the compiled `card_values`."""
        values, pool = np.zeros(WEIGHED + 1, np.int64), np.zeros(ROOM, np.int64)
        policy = policy_tables(info.strict, self.file)
        card_values(policy, info, np.array(equities, np.int64), self.effort, key, pool, values)
        return values.tolist()
