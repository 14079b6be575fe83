"""What a table keeps from one run of the casino to the next."""

from __future__ import annotations

from pathlib import Path

import pytest

from casino import fairness
from casino.table.domain.commands import (
    CloseBetting,
    CloseReveals,
    OpenCut,
    PlaceBet,
    SetTableSettings,
)
from casino.table.runtime.recovery import last_game_number, load_transfer
from casino.table.runtime.seed_chains import SeedKeeper
from tests.table.casino_harness import CasinoHarness, audited, open_game, plan

GAME = "t1-000001"
MASTER = bytes(range(32))


def test_next_chain_begins_after_last_seed(tmp_path: Path) -> None:
    places: list[tuple[int, int]] = []
    harness = CasinoHarness(tmp_path / "a.db", [plan()])
    harness.house.service.seeds = SeedKeeper(lambda: MASTER, lambda: bytes(12), 3)
    for _ in range(4):
        open_game(harness.house.service)
        running = harness.state.running
        assert running is not None
        places.append(running.position)
        harness.house.run_headless(1)
    harness.house.close()
    assert places == [(1, 1), (1, 2), (1, 3), (2, 1)]


def at_table(path: Path, *players: str, tables: int = 1) -> CasinoHarness:
    harness = CasinoHarness(path / "a.db", [plan(f"t{n}") for n in range(1, tables + 1)])
    for player in players:
        harness.chips(player)
    return harness


def test_pending_terms_survive_restart(tmp_path: Path) -> None:
    harness = at_table(tmp_path)
    service = harness.house.service
    dear = harness.state.rules._replace(stake_cents=2_000)
    service.submit(SetTableSettings("t1", dear)).result(30)
    waiting = harness.state.coming
    assert [rules.stake_cents for _, rules in waiting] == [2_000]
    harness.plans = [harness.plans[0]._replace(rules=dear)]
    harness.restart()
    assert harness.state.coming == waiting
    harness.house.run_headless(waiting[0][0])
    assert harness.state.rules.stake_cents == 2_000
    harness.restart()
    assert harness.state.coming == ()
    assert harness.state.rules.stake_cents == 2_000
    harness.house.close()
    assert [one for one in audited(harness.path).findings if one.severity == "error"] == []


def test_silent_players_are_remembered_after_restart(tmp_path: Path) -> None:
    harness = at_table(tmp_path, "ann", "ben")
    service = harness.house.service
    open_game(service)
    texts = {}
    for player in ("ann", "ben"):
        texts[player] = fairness.make_contribution("", player.encode().ljust(16, b"."))
        seal = fairness.commitment_to(GAME, player, texts[player])
        service.submit(PlaceBet("t1", GAME, "b", player, 0, 500, seal)).result(30)
    service.submit(CloseBetting("t1", GAME)).result(30)
    service.submit(CloseReveals("t1", GAME)).result(30)
    harness.house.run_headless(4)
    service.submit(OpenCut("t1", GAME, "ben", texts["ben"])).result(30)
    before = harness.state
    assert [seal.player for seal in before.late[GAME]] == ["ann"]
    assert set(before.silences) == {"ann", "ben"}
    harness.restart()
    assert harness.state.late == before.late
    assert harness.state.silences == before.silences
    harness.house.close()


@pytest.mark.parametrize("games", [1, 2, 3, 5, 8])
def test_table_is_read_up_to_its_last_event(tmp_path: Path, games: int) -> None:
    harness = at_table(tmp_path)
    harness.house.run_headless(games)
    log = harness.house.service.ledger.reader()
    rested = load_transfer(log, harness.state.rules)
    assert (rested.before_game.number, rested.events) == (games, ())
    assert last_game_number(log, "t1") == games
    assert last_game_number(log, "t2") == 0
    open_game(harness.house.service)
    within = load_transfer(log, harness.state.rules)
    assert within.events
    assert last_game_number(log, "t1") == games + 1
    log.close()
    harness.house.close()
