"""A player's own limits."""

from __future__ import annotations

import pytest

from casino.errors import Refused
from casino.player_limits import DAY_MS, Day, PlayerLimits, change, check

NOW = 1_700_000_000_000


@pytest.mark.parametrize(
    ("now", "asked", "waits"),
    [
        (PlayerLimits(), PlayerLimits(500), False),
        (PlayerLimits(500), PlayerLimits(400), False),
        (PlayerLimits(500), PlayerLimits(500), False),
        (PlayerLimits(500), PlayerLimits(501), True),
        (PlayerLimits(500), PlayerLimits(), True),
        (PlayerLimits(0, 500), PlayerLimits(0, 501), True),
        (PlayerLimits(0, 500), PlayerLimits(300, 500), False),
        (PlayerLimits(500, 0), PlayerLimits(400, 0, NOW + 5), False),
        (PlayerLimits(0, 0, NOW + 9), PlayerLimits(0, 0, NOW + 5), True),
        (PlayerLimits(0, 0, NOW - 9), PlayerLimits(0, 0, 0), False),
        (PlayerLimits(500, 500), PlayerLimits(100, 501), True),
    ],
)
def test_a_limit_is_lowered_at_once_and_raised_after_a_day(
    now: PlayerLimits, asked: PlayerLimits, waits: bool
) -> None:
    assert change(now, asked, NOW) == (asked, NOW + DAY_MS if waits else NOW)


@pytest.mark.parametrize(
    ("limits", "day", "risk", "code"),
    [
        (PlayerLimits(), Day(10**9, 10**9), 10**9, ""),
        (PlayerLimits(1000), Day(), 1000, ""),
        (PlayerLimits(1000), Day(), 1001, "over_limit"),
        (PlayerLimits(1000), Day(900), 101, "over_limit"),
        (PlayerLimits(0, 1000), Day(5000, 900), 100, ""),
        (PlayerLimits(0, 1000), Day(0, 900), 101, "over_limit"),
        (PlayerLimits(0, 0, NOW + 1), Day(), 1, "over_limit"),
        (PlayerLimits(0, 0, NOW), Day(), 1, ""),
    ],
)
def test_bet_beyond_the_players_own_limits_is_refused(
    limits: PlayerLimits, day: Day, risk: int, code: str
) -> None:
    if code:
        with pytest.raises(Refused) as refusal:
            check(limits, day, risk, NOW)
        assert refusal.value.code == code
    else:
        check(limits, day, risk, NOW)
