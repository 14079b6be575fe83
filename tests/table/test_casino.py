"""Whole nights without people: they come again leaf for leaf, go on after a crash, audit clean."""

from __future__ import annotations

import threading
from pathlib import Path
from unittest.mock import Mock, call

import orjson
import pytest

from casino.betting import BettingRules
from casino.ecarte import Laws
from casino.errors import InputError
from casino.ledger.ledger import grant, open_log
from casino.table.domain.settings import TableSettings
from casino.table.runtime.casino import (
    GAMES_A_ROUND,
    START_MS,
    Casino,
    SimulatedClock,
    TablePlan,
    run_simulated,
)
from tests.table.nights import HABITS, Evening, audited, log_of, plan

TABLES = {
    "by default": TableSettings("t1"),
    "long": TableSettings("t1", laws=Laws(target=7), house="novice", challenger="regle"),
    "of old": TableSettings(
        "t1", gallery=BettingRules("single", "last_in_first_out", "gross", 300, 100)
    ),
    "loose": TableSettings(
        "t1", laws=Laws(play="ordinary", enforcement="claims"), slip_permille=400
    ),
    "for love": TableSettings("t1", stake_cents=0, house_cover_cents=0),
    "rematch": TableSettings("t1", laws=Laws(first_dealer="loser", packets=(2, 3))),
    "house deals": TableSettings("t1", laws=Laws(deal="house"), slip_permille=300),
    "poor bots": TableSettings("t1", refill_cents=0, stake_cents=5_000),
}


def crowd(rules: TableSettings, number: int = 7) -> TablePlan:
    """A table with simulated spectators, who are poor and soon have to bring more chips."""
    return TablePlan(rules, spectators=number, habits=HABITS, bankroll_cents=9_000)


@pytest.mark.parametrize("rules", TABLES.values(), ids=TABLES)
def test_a_night_of_any_laws_audits_clean(rules: TableSettings, tmp_path: Path) -> None:
    path = tmp_path / "casino.db"
    assert run_simulated(path, [crowd(rules)], seed=3, games=6) == 6
    report = audited(path)
    assert report.games == 6
    assert report.findings == []


@pytest.mark.parametrize("reason", ["opening chips", "refill"])
@pytest.mark.parametrize("seat", ["house", "challenger"])
def test_no_bot_sits_down_under_the_name_of_a_person(
    seat: str, reason: str, tmp_path: Path
) -> None:
    path, clock = tmp_path / "casino.db", SimulatedClock()
    without = plan(house="expert", challenger="regle")
    house = Casino(path, [without], clock)
    grant(house.service.ledger, "novice", 20_000, "enter/novice", reason).result()
    house.close()
    said = f"^table t2, {seat}: a person here is called novice: choose another bot$"
    with pytest.raises(InputError, match=said):
        Casino(path, [without, plan("t2", 0, **{seat: "novice"})], clock)
    log = open_log(path)
    assert log.balance("wallet/novice") == 20_000
    log.close()
    assert b'"t2"' not in b"".join(log_of(path))
    again = Casino(path, [without], clock)
    again.run_headless(1)
    again.close()


OF_RUNS = ("run_started", "run_stopped", "answers")


def test_l13_a_crash_at_any_command_changes_no_leaf(tmp_path: Path) -> None:
    """A night closed and opened again after every single step is the night without a crash.

    Only that runs began and ended is told besides, so that the numbers in answers are others.
    """
    evenings = []
    for name, crashes in (("whole", False), ("torn", True)):
        evening = Evening(tmp_path / name, [plan(spectators=3)])
        while evening.state.number < 2:
            before = evening.state
            while (seen := evening.state) == before:
                evening.go()
            if crashes:
                evening.again()
                now = evening.state
                assert now._replace(turn=0) == seen._replace(turn=0)
                assert now.turn >= seen.turn
        evening.house.close()
        told = map(_timeless, log_of(tmp_path / name)[1:])
        evenings.append([leaf for leaf in told if leaf["type"] not in OF_RUNS])
    assert evenings[0] == evenings[1]
    assert audited(tmp_path / "torn").is_clean


def _timeless(body: bytes) -> dict[str, object]:
    leaf: dict[str, object] = orjson.loads(body)
    del leaf["at"]
    return leaf


@pytest.mark.parametrize("tables", [1, 4])
def test_a_night_commits_many_games_at_once(tmp_path: Path, tables: int) -> None:
    """A round of games is one commit, and yet each of them has its checkpoint (L7).

    Besides those there are a first and a last commit, and those that open the house.
    """
    plans = [crowd(TABLES["by default"]._replace(name=f"t{n}")) for n in range(tables)]
    path, games = tmp_path / "casino.db", 3 * GAMES_A_ROUND
    assert run_simulated(path, plans, seed=4, games=games) == games
    leaves = [orjson.loads(body) for body in log_of(path)]
    # The opening of a run and each table's terms are commits without an answer to bind.
    assert [leaf["type"] for leaf in leaves].count("answers") <= games // GAMES_A_ROUND + 3
    log = open_log(path)
    sizes = [checkpoint.size for checkpoint in log.checkpoints()]
    log.close()
    settled = [n for n, leaf in enumerate(leaves) if leaf["type"] == "game_over"]
    covered = [next(size for size in sizes if size > number) for number in settled]
    assert len(set(covered)) == games
    assert audited(path).findings == []


def test_a_night_that_is_interrupted_goes_on_where_it_was_stored(tmp_path: Path) -> None:
    path, plans = tmp_path / "casino.db", [crowd(TABLES["by default"])]
    clock = SimulatedClock()
    house = Casino(path, plans, clock, lambda: START_MS, 3)
    turns = []

    def after_turn() -> None:
        turns.append(clock.now)
        if len(turns) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        house.run_headless(100, after_turn)
    house.close()
    played = house.finished
    assert played == 2 * GAMES_A_ROUND
    assert run_simulated(path, plans, seed=3, games=5) == 5
    opened = [leaf for leaf in map(orjson.loads, log_of(path)) if leaf["type"] == "game_opened"]
    assert [leaf["number"] for leaf in opened] == list(range(1, played + 6))
    assert audited(path).findings == []


def test_a_table_waits_for_a_failing_disk_although_it_is_woken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = Casino(tmp_path / "casino.db", [plan()], SimulatedClock())
    house.close()
    woken, closing, runner = threading.Event(), Mock(), Mock(table="t1")

    def step(now: int) -> int:
        woken.set()
        return now + 1_000

    runner.step.side_effect = step
    closing.is_set.side_effect = [False, False, False, True]
    monkeypatch.setattr(house, "_closing", closing)
    house._run(runner, woken, Mock())
    assert closing.wait.mock_calls == [call(1.0)] * 3
