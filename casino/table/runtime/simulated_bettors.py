"""Simulated spectators: who they are, what each of them would bet on a game, and when.

They know what everybody knows, the book and who won the last game, and draw the rest from a seed
of their own, so that the same seed gives the same night. They bet by the same commands as people,
and no person may bear a name like theirs: it has a star in it.

>>> crowd = SimulatedBettors(names(0, 3), ("rebel", "balancer"), 100, 500, bytes(32))
>>> sorted(wager.player for wager in crowd.wagers("t1-000001", None))
['Boris*', 'Ines*', 'Odette*']
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from casino.ecarte.rules import CHALLENGER, HOUSE, Seat, other
from casino.fairness import SeededRandom, blocks, words

STAR: Final = "*"
"""What the names of simulated spectators have in them, and nobody else's."""

NAMES: Final = (
    "Odette", "Boris", "Ines", "Otto", "Mei", "Luca", "Freya", "Omar", "Colette", "Pavel",
    "Diego", "Greta", "Kenji", "Bianca", "Lars", "Amira", "Marcel", "Vera", "Carmen", "Emil",
    "Priya", "Enzo", "Ingrid", "Rhys", "Margot", "Misha", "Pablo", "Clara", "Aiko", "Dario",
    "Nils", "Leila", "Lucien", "Olga", "Rafael", "Heidi", "Ravi", "Chiara", "Sven", "Niamh",
    "Basile", "Nadia", "Mateo", "Anton", "Zofia", "Paolo", "Astrid", "Goran", "Fleur", "Ilya",
    "Lola", "Jonas", "Milena", "Rosa", "Olaf", "Fiona", "Gaston", "Dasha", "Sol", "Liesl",
    "Janek", "Elena", "Maja", "Ewan",
)  # fmt: skip

_STEPS: Final = 10
_THOUSAND: Final = 1000


def names(first: int, number: int) -> list[str]:
    """The spectators of a table, so many having been named before: no two in a casino are alike.

    >>> names(63, 2)
    ['Ewan*', 'Odette*2']
    """
    found = []
    for place in range(first, first + number):
        again, name = divmod(place, len(NAMES))
        found.append(NAMES[name] + STAR + (str(again + 1) if again else ""))
    return found


class PlannedBet(NamedTuple):
    """A bet somebody means to place, `at_permille` of the betting time having passed.

    A side that is None is the one that then has less on it.
    """

    at_permille: int
    bet_id: str
    player: str
    side: Seat | None
    unit_cents: int


class SimulatedBettors(NamedTuple):
    """A table's simulated gallery: who, their habits in turn, their least and greatest unit.

    Habits: `loyal` always bets on the house, `rebel` on the challenger, `balancer` on the side
    that has less on it, `follower` on the seat that won the last game, `contrary` against it,
    `flat` on either side, `idler` too, but only now and then.
    """

    names: Sequence[str]
    habits: Sequence[str]
    least_cents: int
    greatest_cents: int
    seed: bytes

    def wagers(self, game: str, winner: Seat | None) -> list[PlannedBet]:
        """What they bet on a game, `winner` having won the last one, in the order of time."""
        found = []
        chance = SeededRandom(words(blocks(self.seed, f"spectators|{game}")))
        for place, player in enumerate(self.names):
            habit = self.habits[place % len(self.habits)]
            at, side, unit = self._drawn(chance)
            if habit != IDLER or chance.randrange(_GAMES_OF_AN_IDLER) == 0:
                taken = HABITS[habit](side, winner)
                found.append(PlannedBet(at, game, player, taken, unit))
        return sorted(found, key=lambda wager: wager.at_permille)

    def _drawn(self, chance: SeededRandom) -> tuple[int, Seat, int]:
        step, _ = divmod(self.greatest_cents - self.least_cents, _STEPS)
        unit = self.least_cents + step * chance.randrange(_STEPS + 1)
        return chance.randrange(_THOUSAND), chance.randrange(2), unit


def lighter(totals_cents: Sequence[int]) -> Seat:
    """The side that has less on it; where both have the same, the challenger, who needs friends."""
    return HOUSE if totals_cents[HOUSE] < totals_cents[CHALLENGER] else CHALLENGER


IDLER: Final = "idler"
_GAMES_OF_AN_IDLER: Final = 4

HABITS: Final[Mapping[str, Callable[[Seat, Seat | None], Seat | None]]] = {
    "loyal": lambda _, __: HOUSE,
    "rebel": lambda _, __: CHALLENGER,
    "balancer": lambda _, __: None,
    "follower": lambda side, winner: side if winner is None else winner,
    "contrary": lambda side, winner: side if winner is None else other(winner),
    "flat": lambda side, _: side,
    IDLER: lambda side, _: side,
}
"""What side a spectator of a habit takes, given a side drawn and the last winner."""
