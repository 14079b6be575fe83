"""Limits that players set for themselves, and each wallet's totals for the current day.

Each limit changes independently: a stricter one applies at once, a looser one a day later. Days are
UTC. Losses are counted from wallet entries, so chips in escrow count as lost until they are
returned.

>>> changes = with_change((), "day_loss_cents", 5000, now=0)
>>> changes = with_change(changes, "day_loss_cents", 9000, now=5)
>>> limits_at(changes, now=10).day_loss_cents, limits_at(changes, now=5 + DAY_MS).day_loss_cents
(5000, 9000)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from casino.errors import RefusalReason, Refused

DAY_MS: Final = 86_400_000
NO_LIMIT: Final = 0

ON_BREAK: Final = RefusalReason(
    "on_break", "over_limit", "you are taking a break until {until_ms:moment}: bet again afterwards"
)
OVER_OWN_STAKE: Final = RefusalReason(
    "over_own_stake",
    "over_limit",
    "you have set yourself a limit of {most_cents:chips} chips staked a day and can stake "
    "{left_cents:chips} more until 00:00 UTC, but this bet puts {risk_cents:chips} at risk, "
    "all units counted: bet less, or wait",
)
OVER_OWN_LOSS: Final = RefusalReason(
    "over_own_loss",
    "over_limit",
    "you have set yourself a limit of {most_cents:chips} chips lost a day and can lose "
    "{left_cents:chips} more until 00:00 UTC, but this bet puts {risk_cents:chips} at risk, "
    "all units counted: bet less, or wait",
)
OVER_DAY_LIMIT: Final = RefusalReason(
    "over_day_limit",
    "over_limit",
    "you may put {most_cents:chips} chips at risk here in a day and have put "
    "{taken_cents:chips}: bet less, or wait until 00:00 UTC",
)


class PlayerLimits(NamedTuple):
    """A player's own limits. 0 means no limit; no bets are taken before `break_until_ms`."""

    day_stake_cents: int = NO_LIMIT
    day_loss_cents: int = NO_LIMIT
    break_until_ms: int = 0


class LimitChange(msgspec.Struct, frozen=True):
    """A limit set at time `at`, which applies from `from_ms`."""

    at: int
    from_ms: int
    key: str
    value: int


class DayTally(NamedTuple):
    """A wallet's totals for one day: cents put into escrow, and cents lost or still at risk."""

    day: int = 0
    risked_cents: int = 0
    away_cents: int = 0

    def after_entry(self, now: int, move: str, cents: int) -> DayTally:
        """Return the tally after a wallet gains `cents`; grants and corrections do not count."""
        base = self.at(now)
        if move in ("grant", "correct"):
            return base
        # A hold takes chips from the wallet, so its cents are negative.
        risked_cents = -cents if move == "hold" else 0
        return DayTally(base.day, base.risked_cents + risked_cents, base.away_cents - cents)

    def at(self, now: int) -> DayTally:
        """Return the tally at time `now`, which is zero if a new day has begun."""
        day, _ = divmod(now, DAY_MS)
        return self if day == self.day else DayTally(day)


def applies_from(limits: PlayerLimits, key: str, value: int, now: int) -> int:
    """Return the time from which a new value of one limit applies."""
    before: int = getattr(limits, key)
    if key == "break_until_ms":
        is_looser = value < before and before > now
    else:
        is_looser = before != NO_LIMIT and (value == NO_LIMIT or value > before)
    return now + DAY_MS if is_looser else now


def with_change(
    changes: Sequence[LimitChange], key: str, value: int, now: int
) -> tuple[LimitChange, ...]:
    """Return the changes plus one made at `now`, with the time from which it applies."""
    from_ms = applies_from(limits_at(changes, now), key, value, now)
    return (*changes, LimitChange(now, from_ms, key, value))


def pending_changes(changes: Sequence[LimitChange], now: int) -> list[LimitChange]:
    """Return the changes not yet in force at `now`, at most one for each limit."""
    newest = {change.key: change for change in changes}
    return [change for change in newest.values() if change.from_ms > now]


def limits_at(changes: Sequence[LimitChange], now: int) -> PlayerLimits:
    """Return the limits in force at `now`; a change cancels earlier ones not yet in force."""
    in_force = {}
    for index, change in enumerate(changes):
        newer = (later for later in changes[index + 1 :] if later.key == change.key)
        if change.from_ms <= now and all(later.at >= change.from_ms for later in newer):
            in_force[change.key] = change.value
    return PlayerLimits(**in_force)


def check_bet(
    changes: Sequence[LimitChange], tally: DayTally, day_cents: int, risk_cents: int, now: int
) -> None:
    """Raise `Refused` if the player's own limits or the table's daily limit forbid a bet."""
    _, risked_cents, away_cents = tally.at(now)
    if day_cents != NO_LIMIT and risked_cents + risk_cents > day_cents:
        raise Refused(OVER_DAY_LIMIT, most_cents=day_cents, taken_cents=risked_cents)
    if changes:
        check_own_limits(limits_at(changes, now), risked_cents, away_cents, risk_cents, now)


def check_own_limits(
    limits: PlayerLimits, stake_cents: int, loss_cents: int, risk_cents: int, now: int
) -> None:
    """Raise `Refused` during a break, or if a new bet takes a day's totals over a limit."""
    if now < limits.break_until_ms:
        raise Refused(ON_BREAK, until_ms=limits.break_until_ms)
    for over, limit_cents, used_cents in (
        (OVER_OWN_STAKE, limits.day_stake_cents, stake_cents),
        (OVER_OWN_LOSS, limits.day_loss_cents, loss_cents),
    ):
        if limit_cents != NO_LIMIT and used_cents + risk_cents > limit_cents:
            left = max(0, limit_cents - used_cents)
            raise Refused(over, most_cents=limit_cents, left_cents=left, risk_cents=risk_cents)
