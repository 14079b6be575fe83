"""Headless runs: reproducible leaf by leaf, resumed after a crash, clean in the audit."""

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
from tests.table.casino_harness import HABITS, CasinoHarness, audited, log_of, plan

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
    """Return a table with simulated spectators so poor that they soon need a refill."""
    return TablePlan(rules, spectators=number, habits=HABITS, bankroll_cents=9_000)


@pytest.mark.parametrize("rules", TABLES.values(), ids=TABLES)
def test_headless_run_audits_clean_under_any_laws(rules: TableSettings, tmp_path: Path) -> None:
    path = tmp_path / "casino.db"
    assert run_simulated(path, [crowd(rules)], seed=3, games=6) == 6
    report = audited(path)
    assert report.games == 6
    assert report.findings == []


@pytest.mark.parametrize("reason", ["opening chips", "refill"])
@pytest.mark.parametrize("seat", ["house", "challenger"])
def test_bot_cannot_use_name_of_a_person(seat: str, reason: str, tmp_path: Path) -> None:
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


RUN_LEAVES = ("run_started", "run_stopped", "answers")


def test_l13_crash_at_any_command_changes_no_leaf(tmp_path: Path) -> None:
    """A run restarted after every step writes the same leaves as an uninterrupted one.

    Only the leaves of the restarts are added, so the numbers in answers differ.
    """
    runs = []
    for name, crashes in (("whole", False), ("torn", True)):
        harness = CasinoHarness(tmp_path / name, [plan(spectators=3)])
        while harness.state.number < 2:
            before = harness.state
            while (seen := harness.state) == before:
                harness.advance()
            if crashes:
                harness.restart()
                now = harness.state
                assert now._replace(turn=0) == seen._replace(turn=0)
                assert now.turn >= seen.turn
        harness.house.close()
        told = map(_without_time, log_of(tmp_path / name)[1:])
        runs.append([leaf for leaf in told if leaf["type"] not in RUN_LEAVES])
    assert runs[0] == runs[1]
    assert audited(tmp_path / "torn").is_clean


def _without_time(body: bytes) -> dict[str, object]:
    leaf: dict[str, object] = orjson.loads(body)
    del leaf["at"]
    return leaf


@pytest.mark.parametrize("tables", [1, 4])
def test_headless_run_commits_many_games_at_once(tmp_path: Path, tables: int) -> None:
    """A round of games is one commit, but each game has its checkpoint (L7).

    There are also a first and a last commit, and those that open the casino.
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


def test_interrupted_headless_run_resumes_from_stored_state(tmp_path: Path) -> None:
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


def test_failing_disk_pause_is_not_cut_short_by_wakeup(
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
