"""Limits of players and tables, as tables of cases and in the real service."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from casino.player_limits import DAY_MS, PlayerLimits
from casino.table.domain.commands import LimitKey, SetLimit
from casino.table.domain.limit_state import DayTally, limits_at, with_change
from tests.table.casino_harness import CasinoHarness, open_game, plan
from tests.table.service_helpers import ask, bet

LOSS: Final = "day_loss_cents"
STAKE: Final = "day_stake_cents"
BREAK: Final = "break_until_ms"
RAISED = [(0, LOSS, 100), (1, LOSS, 900)]
WISHES = [
    # changes as (at, key, value), then a time and the limits in force
    ("nothing is limited at first", [], 0, PlayerLimits()),
    ("a first limit holds at once", [(5, LOSS, 900)], 5, PlayerLimits(0, 900)),
    ("a lower one at once", [(5, LOSS, 900), (6, LOSS, 100)], 6, PlayerLimits(0, 100)),
    ("a higher one not yet", [(5, LOSS, 100), (6, LOSS, 900)], DAY_MS, PlayerLimits(0, 100)),
    ("one a day later", [(5, LOSS, 100), (6, LOSS, 900)], DAY_MS + 6, PlayerLimits(0, 900)),
    ("none at all after a day", [(5, LOSS, 100), (6, LOSS, 0)], DAY_MS + 6, PlayerLimits()),
    ("a newer wish", [*RAISED, (2, LOSS, 50)], DAY_MS + 9, PlayerLimits(0, 50)),
    ("one that comes late", [*RAISED, (DAY_MS + 2, LOSS, 950)], DAY_MS + 9, PlayerLimits(0, 900)),
    ("each kind by itself", [*RAISED, (2, STAKE, 70)], DAY_MS + 1, PlayerLimits(70, 900)),
    ("a break", [(0, BREAK, 500)], 1, PlayerLimits(0, 0, 500)),
    ("a break is not cut short", [(0, BREAK, 500), (1, BREAK, 0)], 499, PlayerLimits(0, 0, 500)),
    ("a longer break at once", [(0, BREAK, 500), (1, BREAK, 800)], 2, PlayerLimits(0, 0, 800)),
]


@pytest.mark.parametrize(("wished", "at", "due"), [row[1:] for row in WISHES],
                         ids=[str(row[0]) for row in WISHES])  # fmt: skip
def test_limits_in_force_follow_from_changes(
    wished: list[tuple[int, LimitKey, int]], at: int, due: PlayerLimits
) -> None:
    wishes: tuple = ()  # type: ignore[type-arg]
    for when, key, value in wished:
        wishes = with_change(wishes, SetLimit("ann", key, value), when)
    assert limits_at(wishes, at) == due


def test_tally_covers_one_day() -> None:
    tally = (
        DayTally()
        .after_entry(5, "grant", 9_000)
        .after_entry(6, "hold", -300)
        .after_entry(7, "settle", 500)
    )
    assert tally == DayTally(0, 300, -200)
    assert tally.after_entry(DAY_MS, "hold", -30) == DayTally(1, 30, 30)


@pytest.fixture
def harness(harness: CasinoHarness) -> CasinoHarness:
    open_game(harness.house.service)
    return harness


@pytest.mark.parametrize("crash", [False, True])
def test_own_limit_applies_at_the_table(harness: CasinoHarness, crash: bool) -> None:
    harness.submit(SetLimit("ann", LOSS, 1_000))
    assert ask(harness, bet("b1", cents=200)) == ""
    if crash:
        harness.restart()
    assert ask(harness, bet("b2", cents=200)) == "over_limit"
    assert ask(harness, bet("b3", cents=100)) == ""
    harness.clock.now += DAY_MS
    assert ask(harness, bet("b4", cents=200)) == ""


def test_table_has_a_daily_limit(tmp_path: Path) -> None:
    harness = CasinoHarness(tmp_path / "a.db", [plan(day_cents=1_000)])
    harness.chips("ann")
    open_game(harness.house.service)
    assert [ask(harness, bet(f"b{n}", cents=150)) for n in range(3)] == ["", "", "over_limit"]
