"""What a house, its seeds and its witnesses keep of a table from one run to the next."""

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
from casino.table.domain.settings import PaceSettings
from casino.table.runtime.recovery import last_game_number, load_transfer
from casino.table.runtime.seed_chains import SeedKeeper
from tests.table.nights import Evening, audited, open_game, plan

GAME = "t1-000001"
MASTER = bytes(range(32))


def test_a_chain_is_used_to_its_last_seed_and_then_the_next_begins(tmp_path: Path) -> None:
    places: list[tuple[int, int]] = []
    evening = Evening(tmp_path / "a.db", [plan()])
    evening.house.service.seeds = SeedKeeper(lambda: MASTER, lambda: bytes(12), 3)
    for _ in range(4):
        open_game(evening.house.service)
        running = evening.state.running
        assert running is not None
        places.append(running.position)
        evening.house.run_headless(1)
    evening.house.close()
    assert places == [(1, 1), (1, 2), (1, 3), (2, 1)]


def at_table(path: Path, *players: str, tables: int = 1) -> Evening:
    evening = Evening(path / "a.db", [plan(f"t{n}") for n in range(1, tables + 1)])
    for player in players:
        evening.chips(player)
    return evening


def test_terms_that_wait_are_read_again_as_waiting(tmp_path: Path) -> None:
    evening = at_table(tmp_path)
    clerk = evening.house.service
    dear = evening.state.rules._replace(stake_cents=2_000)
    clerk.submit(SetTableSettings("t1", dear)).result(30)
    waiting = evening.state.coming
    assert [rules.stake_cents for _, rules in waiting] == [2_000]
    evening.plans = [evening.plans[0]._replace(rules=dear._replace(pace=PaceSettings()))]
    evening.again()
    assert evening.state.coming == waiting
    evening.house.run_headless(waiting[0][0])
    assert evening.state.rules.stake_cents == 2_000
    evening.again()
    assert evening.state.coming == ()
    assert evening.state.rules.stake_cents == 2_000
    evening.house.close()
    assert [one for one in audited(evening.path).findings if one.severity == "error"] == []


def test_who_was_silent_a_while_ago_is_remembered(tmp_path: Path) -> None:
    evening = at_table(tmp_path, "ann", "ben")
    clerk = evening.house.service
    open_game(clerk)
    texts = {}
    for player in ("ann", "ben"):
        texts[player] = fairness.make_contribution("", player.encode().ljust(16, b"."))
        seal = fairness.commitment_to(GAME, player, texts[player])
        clerk.submit(PlaceBet("t1", GAME, "b", player, 0, 500, seal)).result(30)
    clerk.submit(CloseBetting("t1", GAME)).result(30)
    clerk.submit(CloseReveals("t1", GAME)).result(30)
    evening.house.run_headless(4)
    clerk.submit(OpenCut("t1", GAME, "ben", texts["ben"])).result(30)
    before = evening.state
    assert [seal.player for seal in before.late[GAME]] == ["ann"]
    assert set(before.silences) == {"ann", "ben"}
    evening.again()
    assert evening.state.late == before.late
    assert evening.state.silences == before.silences
    evening.house.close()


@pytest.mark.parametrize("games", [1, 2, 3, 5, 8])
def test_everybodys_table_is_read_as_far_as_it_has_gone(tmp_path: Path, games: int) -> None:
    evening = at_table(tmp_path)
    evening.house.run_headless(games)
    log = evening.house.service.ledger.reader()
    rested = load_transfer(log, evening.state.rules)
    assert (rested.number, rested.events) == (games, ())
    assert last_game_number(log, "t1") == games
    assert last_game_number(log, "t2") == 0
    open_game(evening.house.service)
    within = load_transfer(log, evening.state.rules)
    assert within.events
    assert last_game_number(log, "t1") == games + 1
    log.close()
    evening.house.close()
