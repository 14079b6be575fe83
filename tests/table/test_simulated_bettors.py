"""Simulated spectators: each habit, each seed."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from casino import config
from casino.ecarte import CHALLENGER, HOUSE, Seat
from casino.table.domain.settings import TableSettings
from casino.table.runtime.casino import TablePlan, run_simulated
from casino.table.runtime.simulated_bettors import HABITS, STAR, SimulatedBettors, names
from tests.table.casino_harness import log_of

GAMES = [f"t1-{number:06d}" for number in range(1, 41)]


def sides(habit: str, winner: Seat | None) -> list[Seat | None]:
    crowd = SimulatedBettors(["Odette*"], (habit,), 100, 900, bytes(32))
    return [wager.side for game in GAMES for wager in crowd.plan_bets(game, winner)]


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
    taken = sides(habit, winner)
    assert set(taken) == due
    assert len(taken) == len(GAMES)


def test_wagers_depend_only_on_seed_and_game() -> None:
    crowd = SimulatedBettors(names(9), tuple(HABITS), 100, 900, bytes(32))
    wagers = crowd.plan_bets("t1-000001", HOUSE)
    assert wagers == crowd.plan_bets("t1-000001", HOUSE)
    assert wagers != crowd.plan_bets("t1-000002", HOUSE)
    assert wagers != crowd._replace(seed=bytes(31) + b"1").plan_bets("t1-000001", HOUSE)
    assert [wager.at_permille for wager in wagers] == sorted(wager.at_permille for wager in wagers)
    assert len({(wager.player, wager.bet_id) for wager in wagers}) == len(wagers)
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
