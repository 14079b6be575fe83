"""Nights without people: whatever is under way is taken up, and a night is a night however cut."""

from __future__ import annotations

from pathlib import Path

import pytest

from casino.table.domain.commands import CloseBetting, DealCards, OpenGame
from casino.table.domain.state import TableState
from casino.table.runtime.casino import Casino
from tests.table.nights import HABITS, PACE, Evening, audited, log_of, plan
from tests.table.test_pacing import bet, due
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


def test_spectators_of_many_tables_are_many_people(tmp_path: Path) -> None:
    plans = [plan(f"t{number}", spectators=30) for number in range(1, 5)]
    house = Casino(tmp_path / "a.db", plans, lambda: 1_700_000_000_000, None, 3)
    names = [name for croupier in house.croupiers for name in croupier.names]
    assert len(names) == len(set(names)) == 120
    assert len({table.table for table in house.croupiers}) == 4
    assert HABITS
    house.close()


@pytest.mark.parametrize("crash", [False, True])
def test_a_game_is_opened_by_the_next_seed_of_its_chain(tmp_path: Path, crash: bool) -> None:
    evening = Evening(tmp_path / "a.db", [plan()])
    evening.go(steps=1)
    if crash:
        evening.again()
    evening.croupier.step(evening.clock.now)
    evening.clock.now += PACE.game_ms
    running = evening.state.running
    seeds = evening.house.service.seeds
    if running is None:
        assert due(evening)[0] == OpenGame("t1", seeds.next_seed(evening.state))
        evening.croupier.step(evening.clock.now)
        running = evening.state.running
    assert running is not None
    assert evening.state.chain is not None
    assert running.server_seed == seeds.seed("t1", evening.state.chain, 1)
    evening.house.close()
