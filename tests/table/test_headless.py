"""Nights without people: whatever is under way is taken up, and a night is a night however cut."""

from __future__ import annotations

from pathlib import Path

import pytest

from casino.table.domain.commands import CloseBetting, DealCards
from casino.table.domain.state import TableState
from tests.table.nights import Evening, audited, log_of, plan
from tests.table.test_pacing import bet
from tests.table.test_pacing import evening_with as opened_with

GAME = "t1-000001"


def at_phase(path: Path, phase: str) -> tuple[Evening, TableState]:
    evening = opened_with(path, "ann")
    clerk = evening.house.service
    if phase in ("sealed", "locked"):
        clerk.submit(bet(GAME, "ann")).result(30)
    if phase in ("locked", "closed", "dealt"):
        clerk.submit(CloseBetting("t1", GAME)).result(30)
    if phase == "dealt":
        clerk.submit(DealCards("t1", evening.state.turn)).result(30)
    return evening, evening.state


@pytest.mark.parametrize("phase", ["open", "sealed", "locked", "closed", "dealt"])
def test_a_headless_night_takes_up_whatever_is_under_way(tmp_path: Path, phase: str) -> None:
    evening, _ = at_phase(tmp_path, phase)
    evening.house.run_headless(3)
    assert evening.house.finished == 3
    assert evening.state.number == 3
    evening.house.close()
    report = audited(evening.path)
    assert report.games == 3
    assert [one for one in report.findings if one.severity == "error"] == []


def test_two_houses_of_one_seed_play_one_night_however_it_is_cut(tmp_path: Path) -> None:
    told: list[list[bytes]] = []
    for name, nights in (("one", (12,)), ("three", (5, 3, 4))):
        for games in nights:
            evening = Evening(tmp_path / name, [plan(spectators=4)])
            evening.house.run_headless(games)
            evening.house.close()
        ended = (body for body in log_of(tmp_path / name) if b'"type":"game_over"' in body)
        told.append([body.split(b'"at":')[0] + body.split(b",", 1)[1] for body in ended])
    assert told[0] == told[1]
    assert len(told[0]) == 12
