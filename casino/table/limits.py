"""What a player allows himself, and what the table allows in a day.

A player may limit what he puts at risk in a day, what he loses in a day, or take a break. A
lower limit holds at once; a higher one, or none, only after a day; a break is never shortened.
Days are those of UTC. Losses are counted from the wallet's own entries: what left it for escrow
and has not come back, so that chips at risk count as lost until the game says otherwise.

>>> wishes = changed((), SetLimit("ann", LOSS, 5000), now=0)
>>> wishes = changed(wishes, SetLimit("ann", LOSS, 9000), now=5)
>>> in_force(wishes, now=10), in_force(wishes, now=5 + DAY_MS)
({'loss_cents': 5000}, {'loss_cents': 9000})
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from casino.errors import Refused
from casino.table.messages import SetLimit

DAY_MS: Final = 86_400_000
HOUR_MS: Final = 3_600_000

RISK: Final = "risk_cents"
LOSS: Final = "loss_cents"
BREAK: Final = "break_until"
KEYS: Final = (RISK, LOSS, BREAK)
"""What can be limited: cents at risk in a day, cents lost in a day, no bet before a time."""

NO_LIMIT: Final = 0
LONGEST_BREAK_MS: Final = 366 * DAY_MS


class Wish(NamedTuple):
    """A limit that a player has set himself: when, and from when it holds."""

    at: int
    from_ms: int
    key: str
    value: int


class Tally(NamedTuple):
    """What a wallet has done in a day: cents put into escrow, cents not come back from it."""

    day: int = 0
    risked_cents: int = 0
    away_cents: int = 0

    def moved(self, now: int, move: str, cents: int) -> Tally:
        """The tally after an entry of the bank changed the wallet."""
        day, _ = divmod(now, DAY_MS)
        base = self if day == self.day else Tally(day)
        if move in ("grant", "correct"):
            return base
        risked_cents = -cents if move == "hold" else 0
        return Tally(day, base.risked_cents + risked_cents, base.away_cents - cents)

    def on(self, now: int) -> Tally:
        """The tally as it counts at a time: a new day begins at nothing."""
        day, _ = divmod(now, DAY_MS)
        return self if day == self.day else Tally(day)


def changed(wishes: Sequence[Wish], asked: SetLimit, now: int) -> tuple[Wish, ...]:
    """The wishes with a new one, from when it may hold; one that cannot be is refused."""
    key, value = asked.key, asked.value
    if key not in KEYS:
        raise Refused("bad_request", f"{key!r} cannot be limited: say {', '.join(KEYS)}")
    if value < 0 or (key == BREAK and value > now + LONGEST_BREAK_MS):
        raise Refused("bad_request", f"{key} cannot be {value}: name a smaller whole number")
    before = in_force(wishes, now).get(key, NO_LIMIT)
    if key == BREAK:
        if value < before:
            raise Refused("over_limit", "a break is not shortened: it ends when it ends")
        return (*wishes, Wish(now, now, key, value))
    lower = value != NO_LIMIT and (before == NO_LIMIT or value <= before)
    return (*wishes, Wish(now, now if lower else now + DAY_MS, key, value))


def in_force(wishes: Sequence[Wish], now: int) -> dict[str, int]:
    """The limits that hold at a time: a newer wish overtakes one that did not hold yet."""
    found = {}
    for place, wish in enumerate(wishes):
        newer = (one for one in wishes[place + 1 :] if one.key == wish.key)
        if wish.from_ms <= now and all(one.at >= wish.from_ms for one in newer):
            found[wish.key] = wish.value
    return {key: value for key, value in found.items() if value != NO_LIMIT}


def check_bet(
    wishes: Sequence[Wish], tally: Tally, day_cents: int, risk_cents: int, now: int
) -> None:
    """Refuse a bet that a player's own limits, or the table's for a day, do not allow."""
    limits: Mapping[str, int] = in_force(wishes, now) if wishes else {}
    counted = tally.on(now)
    if limits.get(BREAK, 0) > now:
        raise Refused("over_limit", "you are taking a break: bet again when it is over")
    for limit_cents, spent_cents, whose in (
        (day_cents, counted.risked_cents, "the table allows to be put at risk in a day"),
        (limits.get(RISK, NO_LIMIT), counted.risked_cents, "you allow yourself to risk in a day"),
        (limits.get(LOSS, NO_LIMIT), counted.away_cents, "you allow yourself to lose in a day"),
    ):
        if limit_cents != NO_LIMIT and spent_cents + risk_cents > limit_cents:
            text = f"{limit_cents} cents are what {whose}, and {max(0, spent_cents)} are spent"
            raise Refused("over_limit", f"{text}: bet less, or tomorrow")
