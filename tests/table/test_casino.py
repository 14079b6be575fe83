"""Headless runs: reproducible leaf by leaf, resumed after a crash, clean in the audit."""

from __future__ import annotations

import threading
from multiprocessing import active_children
from pathlib import Path
from unittest.mock import Mock, call

import orjson
import pytest

from casino import config
from casino.betting import BettingRules
from casino.ecarte import CHALLENGER, HOUSE, Laws, Seat
from casino.errors import InputError
from casino.ledger.ledger import grant
from casino.ledger.storage.location import open_log
from casino.table.domain.commands import CloseBetting, DealCards, TableCommand
from casino.table.domain.settings import TableSettings
from casino.table.domain.state import ChainState, TableState
from casino.table.runtime import casino
from casino.table.runtime.casino import (
    GAMES_A_ROUND,
    START_MS,
    Casino,
    SimulatedClock,
    TablePlan,
    run_simulated,
)
from casino.table.runtime.headless import plan_game, planner
from casino.table.runtime.simulated_bettors import STAR, SimulatedBettors, names
from tests.table.casino_harness import (
    GAME,
    HABITS,
    CasinoHarness,
    audited,
    bet,
    log_of,
    open_game,
    plan,
    seal_of,
)

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
    """Only the leaves of the restarts are added, so the numbers in answers differ."""
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
        leaves = map(orjson.loads, log_of(tmp_path / name)[1:])
        runs.append([{**leaf, "at": 0} for leaf in leaves if leaf["type"] not in RUN_LEAVES])
    assert runs[0] == runs[1]
    assert audited(tmp_path / "torn").is_clean


@pytest.mark.parametrize("tables", [1, 4])
def test_headless_run_commits_many_games_at_once(tmp_path: Path, tables: int) -> None:
    """A round of games is one commit, but each game has its checkpoint (L7)."""
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
    woken, closing = threading.Event(), Mock()
    runner = Mock(table="t1", woken=woken)

    def step(now: int) -> int:
        woken.set()
        return now + 1_000

    runner.step.side_effect = step
    closing.is_set.side_effect = [False, False, False, True]
    monkeypatch.setattr(house, "_closing", closing)
    house._run(runner, Mock())
    assert closing.wait.mock_calls == [call(1.0)] * 3


BET, LOCK = bet("b1", seal=seal_of("ann")), CloseBetting("t1", GAME)
PHASES: dict[str, tuple[TableCommand, ...]] = {
    "open": (),
    "sealed": (BET,),
    "locked": (BET, LOCK),
    "closed": (LOCK,),
    "dealt": (LOCK, DealCards("t1", 0)),
}


@pytest.mark.parametrize("commands", PHASES.values(), ids=PHASES)
def test_headless_run_continues_a_game_in_any_phase(
    harness: CasinoHarness, commands: tuple[TableCommand, ...]
) -> None:
    open_game(harness.house.service)
    for command in commands:
        is_deal = isinstance(command, DealCards)
        harness.submit(DealCards("t1", harness.state.turn) if is_deal else command)
    harness.house.run_headless(3)
    assert harness.house.finished == 3
    assert harness.state.number == 3
    report = harness.audit()
    assert report.games == 3 and report.is_clean


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


def test_failed_worker_falls_back_to_local_computation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    table = TableState(TableSettings("t1"), chain=ChainState(1, 99, "", 1))
    with planner(is_worth_it=True) as foreseen:
        begun = foreseen(table, bytes(32))
        for process in active_children():
            process.kill()
            process.join()
        later = foreseen(table, bytes(32))
        assert begun() == later() == plan_game(table, bytes(32))


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


GAMES = [f"t1-{number:06d}" for number in range(1, 41)]


@pytest.mark.parametrize(
    ("habit", "winner", "due"),
    [
        ("loyal", CHALLENGER, {HOUSE}),
        ("rebel", HOUSE, {CHALLENGER}),
        ("balancer", HOUSE, {None}),
        ("follower", CHALLENGER, {CHALLENGER}),
        ("follower", HOUSE, {HOUSE}),
        ("follower", None, {HOUSE, CHALLENGER}),
        ("contrary", CHALLENGER, {HOUSE}),
        ("contrary", None, {HOUSE, CHALLENGER}),
        ("flat", HOUSE, {HOUSE, CHALLENGER}),
    ],
)
def test_habit_bets_on_expected_sides(
    habit: str, winner: Seat | None, due: set[Seat | None]
) -> None:
    crowd = SimulatedBettors(["Odette*"], (habit,), 100, 900, bytes(32))
    taken = [wager.side for game in GAMES for wager in crowd.plan_bets(game, winner)]
    assert set(taken) == due
    assert len(taken) == len(GAMES)


def test_wagers_depend_only_on_seed_and_game() -> None:
    crowd = SimulatedBettors(names(9), HABITS, 100, 900, bytes(32))
    wagers = crowd.plan_bets("t1-000001", HOUSE)
    assert wagers == crowd.plan_bets("t1-000001", HOUSE)
    assert wagers != crowd.plan_bets("t1-000002", HOUSE)
    assert wagers != crowd._replace(seed=bytes(31) + b"1").plan_bets("t1-000001", HOUSE)
    assert [wager.at_permille for wager in wagers] == sorted(wager.at_permille for wager in wagers)
    assert len({wager.player for wager in wagers}) == len(wagers)
    assert all(100 <= wager.unit_cents <= 900 for wager in wagers)


@pytest.mark.parametrize("number", [2, 3, 8, 20])
def test_default_habits_put_money_on_both_sides(number: int, tmp_path: Path) -> None:
    crowd = TablePlan(
        TableSettings("t1"), spectators=number, habits=tuple(config.Spectators().habits)
    )
    path = tmp_path / "casino.db"
    run_simulated(path, [crowd], seed=5, games=30)
    backed: dict[str, set[str]] = {}
    for leaf in map(orjson.loads, log_of(path)):
        if leaf["type"] == "bet" and STAR in leaf["player"]:
            backed.setdefault(leaf["game"], set()).add(leaf["side"])
    assert list(backed.values()).count({"house", "challenger"}) == 30
