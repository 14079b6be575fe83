"""Games computed ahead in a second process: the same games and the same leaves."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from casino.table.domain.settings import TableSettings
from casino.table.domain.state import ChainState, TableState
from casino.table.runtime import casino
from casino.table.runtime.casino import TablePlan, run_simulated
from casino.table.runtime.headless.plan import plan_game
from casino.table.runtime.headless.precompute import planner
from tests.table.casino_harness import HABITS, audited, log_of

SEEDS = [bytes([number]) * 32 for number in range(40)]


def tables() -> list[TableState]:
    rules, chain = TableSettings("t1", slip_permille=200), ChainState(1, 99, "", 1)
    return [TableState(rules, number=number, chain=chain) for number in range(len(SEEDS))]


def test_worker_process_computes_same_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    with planner(is_worth_it=True) as foreseen:
        told = [foreseen(*asked) for asked in zip(tables(), SEEDS, strict=True)]
        courses = [tell() for tell in reversed(told)]
    assert courses == [plan_game(*asked) for asked in zip(tables(), SEEDS, strict=True)][::-1]


def test_failed_worker_falls_back_to_local_computation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    with planner(is_worth_it=True) as foreseen:
        told = [foreseen(*asked) for asked in zip(tables(), SEEDS, strict=True)]
        assert told[-1]() == plan_game(tables()[-1], SEEDS[-1])


def test_worker_process_changes_no_leaf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plans = [TablePlan(TableSettings(f"t{n}"), spectators=3, habits=HABITS) for n in (1, 2, 3)]
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    nights = []
    for name, least in (("one", 1), ("two", 1_000)):
        monkeypatch.setattr(casino, "LONG_NIGHT", least)
        run_simulated(tmp_path / name, plans, seed=5, games=12)
        nights.append(log_of(tmp_path / name)[1:])
    assert nights[0] == nights[1]
    assert audited(tmp_path / "one").findings == []
