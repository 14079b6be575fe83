"""Limits of players and tables, as tables of cases and in the real service."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Final

import pytest

from casino.errors import Refused
from casino.player_limits import (
    DAY_MS,
    DayTally,
    PlayerLimits,
    applies_from,
    check_bet,
    check_own_limits,
    limits_at,
    pending_changes,
    with_change,
)
from casino.table.domain.commands import LimitKey, SetLimit
from tests.table.casino_harness import CasinoHarness, ask, bet, open_game, plan

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
    ("one after a break", [(0, BREAK, 500), (600, BREAK, 0)], 600, PlayerLimits()),
]


@pytest.mark.parametrize(("wished", "at", "due"), [row[1:] for row in WISHES],
                         ids=[str(row[0]) for row in WISHES])  # fmt: skip
def test_limits_in_force_follow_from_changes(
    wished: list[tuple[int, LimitKey, int]], at: int, due: PlayerLimits
) -> None:
    wishes: tuple = ()  # type: ignore[type-arg]
    for when, key, value in wished:
        wishes = with_change(wishes, key, value, when)
    assert limits_at(wishes, at) == due
    later = {change.key: change.value for change in pending_changes(wishes, at)}
    assert limits_at(wishes, at + DAY_MS) == due._replace(**later)


NOW = 1_700_000_000_000


def test_setting_the_same_limit_again_does_not_wait() -> None:
    assert applies_from(PlayerLimits(500), STAKE, 500, NOW) == NOW


@pytest.mark.parametrize(
    ("limits", "stake", "loss", "code"),
    [
        (PlayerLimits(), 2 * 10**9, 2 * 10**9, ""),
        (PlayerLimits(1000), 1000, 1000, ""),
        (PlayerLimits(1000), 1001, 101, "over_limit"),
        (PlayerLimits(0, 1000), 5100, 1000, ""),
        (PlayerLimits(0, 1000), 101, 1001, "over_limit"),
        (PlayerLimits(0, 0, NOW + 1), 1, 1, "over_limit"),
        (PlayerLimits(0, 0, NOW), 1, 1, ""),
    ],
)
def test_bet_beyond_the_players_own_limits_is_refused(
    limits: PlayerLimits, stake: int, loss: int, code: str
) -> None:
    with pytest.raises(Refused) if code else nullcontext() as refusal:
        check_own_limits(limits, stake - 1, loss - 1, 1, NOW)
    assert not refusal or refusal.value.code == code


def test_a_refusal_says_what_a_limit_leaves() -> None:
    with pytest.raises(Refused, match=r"stake 1\.00 more until 00:00 UTC, .* puts 3\.00 at risk"):
        check_own_limits(PlayerLimits(500), 400, 250, 300, NOW)


def test_tally_covers_one_day() -> None:
    tally = (
        DayTally()
        .after_entry(5, "grant", 9_000)
        .after_entry(6, "hold", -300)
        .after_entry(7, "settle", 500)
    )
    assert tally == DayTally(0, 300, -200)
    assert tally.after_entry(DAY_MS, "hold", -30) == DayTally(1, 30, 30)


DAYS: list[tuple[DayTally, int, int, int, str]] = [
    # the day's tally, the table's daily limit, the new risk, the time, the refusal
    (DayTally(0, 300, 300), 0, 10**9, 5, ""),
    (DayTally(0, 300, 300), 500, 200, 5, ""),
    (DayTally(0, 300, 300), 500, 201, 5, "over_day_limit"),
    (DayTally(0, 300, -100), 500, 201, 5, "over_day_limit"),
    (DayTally(0, 300, 300), 500, 500, DAY_MS, ""),
    (DayTally(0, 300, 300), 500, 201, DAY_MS - 1, "over_day_limit"),
]


@pytest.mark.parametrize(("tally", "day_cents", "risk_cents", "now", "said"), DAYS)
def test_l19_table_limits_daily_risk_of_a_player(
    tally: DayTally, day_cents: int, risk_cents: int, now: int, said: str
) -> None:
    with pytest.raises(Refused) if said else nullcontext() as refused:
        check_bet((), tally, day_cents, risk_cents, now)
    if refused:
        assert refused.value.reason == said
        assert refused.value.values == {"most_cents": day_cents, "taken_cents": 300}


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
