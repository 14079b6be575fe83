"""Simulated spectators: what each of them would bet on a game, and when.

They know what everybody knows, who won the last game, and draw the rest from a seed of their
own, so that the same seed gives the same night. They bet by the same commands as people.

>>> crowd = Spectators("t1", 3, ("flat",), 100, 500, bytes(32))
>>> sorted(wager.player for wager in crowd.wagers("t1-000001", None))
['t1.guest1', 't1.guest2', 't1.guest3']
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from casino.ecarte.rules import Seat, other
from casino.fairness import Draws, blocks, words

_STEPS: Final = 10
_THOUSAND: Final = 1000


class Wager(NamedTuple):
    """A bet somebody means to place, `at_permille` of the betting time having passed."""

    at_permille: int
    bet_id: str
    player: str
    side: Seat
    unit_cents: int


class Spectators(NamedTuple):
    """A table's simulated gallery: how many, their habits in turn, their least and greatest unit.

    Habits: `flat` bets the same unit on either side, `loyal` always on the house, `follower` on
    the seat that won the last game, `contrary` against it, `idler` only now and then.
    """

    table: str
    number: int
    habits: Sequence[str]
    least_cents: int
    greatest_cents: int
    seed: bytes

    @property
    def names(self) -> list[str]:
        """Who they are."""
        return [f"{self.table}.guest{place}" for place in range(1, self.number + 1)]

    def wagers(self, game: str, winner: Seat | None) -> list[Wager]:
        """What they bet on a game, `winner` having won the last one, in the order of time."""
        found = []
        chance = Draws(words(blocks(self.seed, f"spectators|{game}")))
        for place, player in enumerate(self.names):
            habit = self.habits[place % len(self.habits)]
            at, side, unit = self._drawn(chance)
            wanted = HABITS[habit](side, winner, chance)
            if wanted is not None:
                found.append(Wager(at, f"{game}.{player}", player, wanted, unit))
        return sorted(found)

    def _drawn(self, chance: Draws) -> tuple[int, Seat, int]:
        """A moment, a side and a unit."""
        step, _ = divmod(self.greatest_cents - self.least_cents, _STEPS)
        unit = self.least_cents + step * chance.randrange(_STEPS + 1)
        return chance.randrange(_THOUSAND), chance.randrange(2), unit


def _idles(side: Seat, _: Seat | None, chance: Draws) -> Seat | None:
    """One game in four."""
    return side if chance.randrange(4) == 0 else None


Habit = Callable[[Seat, Seat | None, Draws], Seat | None]

HABITS: Final[Mapping[str, Habit]] = {
    "flat": lambda side, _, __: side,
    "loyal": lambda _, __, ___: 0,
    "follower": lambda side, winner, _: side if winner is None else winner,
    "contrary": lambda side, winner, _: side if winner is None else other(winner),
    "idler": _idles,
}
"""What side a spectator of a habit takes, given a side drawn, the last winner, and chance."""
