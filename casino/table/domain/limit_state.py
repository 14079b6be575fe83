"""Players' own limits, derived from their changes, and each wallet's totals for the current day.

Each limit changes independently, so one can be lowered at once while another waits a day to be
raised. Days are UTC. Losses are counted from wallet entries, so chips in escrow count as lost until
they are returned.

>>> wishes = with_change((), SetLimit("ann", "day_loss_cents", 5000), now=0)
>>> wishes = with_change(wishes, SetLimit("ann", "day_loss_cents", 9000), now=5)
>>> limits_at(wishes, now=10).day_loss_cents, limits_at(wishes, now=5 + DAY_MS).day_loss_cents
(5000, 9000)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from casino.errors import RefusalReason, Refused
from casino.player_limits import DAY_MS, NO_LIMIT, Day, PlayerLimits, change, check
from casino.table.domain.commands import SetLimit

OVER_DAY_LIMIT: Final = RefusalReason(
    "over_day_limit",
    "over_limit",
    "you may put {most_cents:chips} chips at risk here in a day and have put "
    "{taken_cents:chips}: bet less, or wait until tomorrow",
)


class LimitChange(NamedTuple):
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


def with_change(
    wishes: Sequence[LimitChange], asked: SetLimit, now: int
) -> tuple[LimitChange, ...]:
    """Return the changes plus one made at `now`, with the time from which it applies."""
    before, (_, key, value) = limits_at(wishes, now), asked
    from_ms = change(before, before._replace(**{key: value}), now).from_ms
    return (*wishes, LimitChange(now, from_ms, key, value))


def limits_at(wishes: Sequence[LimitChange], now: int) -> PlayerLimits:
    """Return the limits in force at `now`; a change cancels earlier ones not yet in force."""
    in_force = {}
    for index, wish in enumerate(wishes):
        newer = (change_set for change_set in wishes[index + 1 :] if change_set.key == wish.key)
        if wish.from_ms <= now and all(change_set.at >= wish.from_ms for change_set in newer):
            in_force[wish.key] = wish.value
    return PlayerLimits(**in_force)


def check_bet(
    wishes: Sequence[LimitChange], tally: DayTally, day_cents: int, risk_cents: int, now: int
) -> None:
    """Raise `Refused` if the player's own limits or the table's daily limit forbid a bet."""
    counted = tally.at(now)
    if day_cents != NO_LIMIT and counted.risked_cents + risk_cents > day_cents:
        raise Refused(OVER_DAY_LIMIT, most_cents=day_cents, taken_cents=counted.risked_cents)
    if wishes:
        day = Day(counted.risked_cents, counted.away_cents)
        check(limits_at(wishes, now), day, risk_cents, now)
