"""Limits that players set for themselves; stricter ones apply at once, looser ones a day later.

>>> now = PlayerLimits(day_stake_cents=1000)
>>> tighten = change(now, PlayerLimits(day_stake_cents=500), at_ms=0)
>>> loosen = change(now, PlayerLimits(day_stake_cents=2000), at_ms=0)
>>> tighten.from_ms, loosen.from_ms == DAY_MS
(0, True)
"""

from __future__ import annotations

from typing import Final, NamedTuple

from casino.errors import RefusalReason, Refused

DAY_MS: Final = 86_400_000
NO_LIMIT: Final = 0

ON_BREAK: Final = RefusalReason(
    "on_break", "over_limit", "you are taking a break: bet again when it is over"
)
OVER_OWN_STAKE: Final = RefusalReason(
    "over_own_stake",
    "over_limit",
    "you have set yourself a limit of {most_cents:chips} chips staked a day: "
    "bet less, or wait until tomorrow",
)
OVER_OWN_LOSS: Final = RefusalReason(
    "over_own_loss",
    "over_limit",
    "you have set yourself a limit of {most_cents:chips} chips lost a day: "
    "bet less, or wait until tomorrow",
)


class PlayerLimits(NamedTuple):
    """A player's own limits. 0 means no limit; no bets are taken before `break_until_ms`."""

    day_stake_cents: int = NO_LIMIT
    day_loss_cents: int = NO_LIMIT
    break_until_ms: int = 0


class Change(NamedTuple):
    """New limits, and the time from which they apply."""

    limits: PlayerLimits
    from_ms: int


class Day(NamedTuple):
    """Cents that a player has staked and lost since midnight UTC."""

    stake_cents: int = 0
    loss_cents: int = 0


def change(now: PlayerLimits, asked: PlayerLimits, at_ms: int) -> Change:
    """Return the new limits; they apply at once, or after 24 hours if any of them is looser."""
    looser = (
        _looser(now.day_stake_cents, asked.day_stake_cents)
        or _looser(now.day_loss_cents, asked.day_loss_cents)
        or (asked.break_until_ms < now.break_until_ms and now.break_until_ms > at_ms)
    )
    return Change(asked, at_ms + DAY_MS if looser else at_ms)


def check(limits: PlayerLimits, day: Day, risk_cents: int, at_ms: int) -> None:
    """Raise `Refused` during a player's break, or if risking `risk_cents` exceeds a daily limit."""
    if at_ms < limits.break_until_ms:
        raise Refused(ON_BREAK, until_ms=limits.break_until_ms)
    for over, limit_cents, used_cents in (
        (OVER_OWN_STAKE, limits.day_stake_cents, day.stake_cents + risk_cents),
        (OVER_OWN_LOSS, limits.day_loss_cents, day.loss_cents + risk_cents),
    ):
        if limit_cents != NO_LIMIT and used_cents > limit_cents:
            raise Refused(over, most_cents=limit_cents)


def _looser(now_cents: int, asked_cents: int) -> bool:
    if now_cents == NO_LIMIT:
        return False
    return asked_cents == NO_LIMIT or asked_cents > now_cents
