"""Headless runs: a game in any phase is continued, and splitting a run changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from casino.table.domain.commands import CloseBetting, DealCards
from casino.table.domain.state import TableState
from tests.table.casino_harness import CasinoHarness, audited, log_of, plan
from tests.table.test_pacing import bet
from tests.table.test_pacing import harness_with as opened_with

GAME = "t1-000001"


def at_phase(path: Path, phase: str) -> tuple[CasinoHarness, TableState]:
    harness = opened_with(path, "ann")
    service = harness.house.service
    if phase in ("sealed", "locked"):
        service.submit(bet(GAME, "ann")).result(30)
    if phase in ("locked", "closed", "dealt"):
        service.submit(CloseBetting("t1", GAME)).result(30)
    if phase == "dealt":
        service.submit(DealCards("t1", harness.state.turn)).result(30)
    return harness, harness.state


@pytest.mark.parametrize("phase", ["open", "sealed", "locked", "closed", "dealt"])
def test_headless_run_continues_a_game_in_any_phase(tmp_path: Path, phase: str) -> None:
    harness, _ = at_phase(tmp_path, phase)
    harness.house.run_headless(3)
    assert harness.house.finished == 3
    assert harness.state.number == 3
    harness.house.close()
    report = audited(harness.path)
    assert report.games == 3
    assert [one for one in report.findings if one.severity == "error"] == []


def test_headless_runs_with_same_seed_match_however_split(tmp_path: Path) -> None:
    told: list[list[bytes]] = []
    for name, nights in (("one", (12,)), ("three", (5, 3, 4))):
        for games in nights:
            harness = CasinoHarness(tmp_path / name, [plan(spectators=4)])
            harness.house.run_headless(games)
            harness.house.close()
        ended = (body for body in log_of(tmp_path / name) if b'"type":"game_over"' in body)
        told.append([body.split(b'"at":')[0] + body.split(b",", 1)[1] for body in ended])
    assert told[0] == told[1]
    assert len(told[0]) == 12
