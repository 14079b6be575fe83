"""What a player allows himself, folded from his wishes, and what he has done today.

Each kind of limit is wished for by itself, so that one is lowered at once while another that is
raised waits its day. Days are those of UTC. Losses are counted from the wallet's own entries:
what left it for escrow and has not come back, so that chips at risk count as lost until the game
says otherwise.

>>> wishes = changed((), SetLimit("ann", "day_loss_cents", 5000), now=0)
>>> wishes = changed(wishes, SetLimit("ann", "day_loss_cents", 9000), now=5)
>>> in_force(wishes, now=10).day_loss_cents, in_force(wishes, now=5 + DAY_MS).day_loss_cents
(5000, 9000)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from casino.errors import RefusalReason, Refused
from casino.ledger.entries import GREATEST
from casino.player_limits import DAY_MS, NO_LIMIT, Day, PlayerLimits, change, check
from casino.table.domain.commands import SetLimit

KEYS: Final = PlayerLimits._fields

UNKNOWN_LIMIT: Final = RefusalReason(
    "unknown_limit", "bad_request", "{key} is not a limit: name one of {known}"
)
BAD_LIMIT: Final = RefusalReason(
    "bad_limit", "bad_request", "{key} cannot be {value}: name a whole number from 0 to {most}"
)
OVER_DAY_LIMIT: Final = RefusalReason(
    "over_day_limit",
    "over_limit",
    "you may put {most_cents:chips} chips at risk here in a day and have put "
    "{taken_cents:chips}: bet less, or wait until tomorrow",
)


class LimitChange(NamedTuple):
    """A limit that a player has set himself: when, and from when it holds."""

    at: int
    from_ms: int
    key: str
    value: int


class DayTally(NamedTuple):
    """What a wallet has done in a day: cents put into escrow, cents not come back from it."""

    day: int = 0
    risked_cents: int = 0
    away_cents: int = 0

    def moved(self, now: int, move: str, cents: int) -> DayTally:
        """The tally after an entry of the bank changed the wallet."""
        base = self.on(now)
        if move in ("grant", "correct"):
            return base
        risked_cents = -cents if move == "hold" else 0
        return DayTally(base.day, base.risked_cents + risked_cents, base.away_cents - cents)

    def on(self, now: int) -> DayTally:
        """The tally as it counts at a time: a new day begins at nothing."""
        day, _ = divmod(now, DAY_MS)
        return self if day == self.day else DayTally(day)


def changed(wishes: Sequence[LimitChange], asked: SetLimit, now: int) -> tuple[LimitChange, ...]:
    """The wishes with a new one, from when it may hold; one that cannot be is refused."""
    key, value = asked.key, asked.value
    if key not in KEYS:
        raise Refused(UNKNOWN_LIMIT, key=key[:40], known=", ".join(KEYS))
    if not 0 <= value <= GREATEST:
        raise Refused(BAD_LIMIT, key=key, value=value, most=GREATEST)
    before = in_force(wishes, now)
    return (
        *wishes,
        LimitChange(now, change(before, before._replace(**{key: value}), now)[1], key, value),
    )


def in_force(wishes: Sequence[LimitChange], now: int) -> PlayerLimits:
    """The limits that hold at a time: a newer wish overtakes one that did not hold yet."""
    found = {}
    for place, wish in enumerate(wishes):
        newer = (one for one in wishes[place + 1 :] if one.key == wish.key)
        if wish.from_ms <= now and all(one.at >= wish.from_ms for one in newer):
            found[wish.key] = wish.value
    return PlayerLimits(**found)


def check_bet(
    wishes: Sequence[LimitChange], tally: DayTally, day_cents: int, risk_cents: int, now: int
) -> None:
    """Refuse a bet that a player's own limits, or the table's for a day, do not allow."""
    counted = tally.on(now)
    if day_cents != NO_LIMIT and counted.risked_cents + risk_cents > day_cents:
        raise Refused(OVER_DAY_LIMIT, most_cents=day_cents, taken_cents=counted.risked_cents)
    if wishes:
        day = Day(counted.risked_cents, counted.away_cents)
        check(in_force(wishes, now), day, risk_cents, now)
