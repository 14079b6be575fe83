"""Simulated bettors, with their names, habits and planned bets.

They use only public data (the book and the last winner) and their own seed, so that a night can be
repeated. They bet with the same commands as people; their names contain a star, which is not
allowed in other names.

>>> crowd = SimulatedBettors(names(3), ("rebel", "balancer"), 100, 500, bytes(32))
>>> sorted(wager.player for wager in crowd.plan_bets("t1-000001", None))
['Boris*', 'Ines*', 'Odette*']
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from casino.ecarte.rules import CHALLENGER, HOUSE, Seat, other
from casino.fairness import SeededRandom, blocks, words

STAR: Final = "*"  # in the names of simulated bettors only

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


def names(number: int) -> list[str]:
    """Return `number` distinct names.

    >>> names(65)[-2:]
    ['Ewan*', 'Odette*2']
    """
    rounds = (divmod(index, len(NAMES)) for index in range(number))
    return [NAMES[name] + STAR + (str(again + 1) if again else "") for again, name in rounds]


class PlannedBet(NamedTuple):
    """A planned bet, to be placed when `at_permille` of the betting time has passed.

    If `side` is None, the bet goes on the side with less staked at that time.
    """

    at_permille: int
    player: str
    side: Seat | None
    unit_cents: int


class SimulatedBettors(NamedTuple):
    """Simulated bettors at a table, with habits assigned to them in rotation.

    `loyal` always bets on the house, `rebel` on the challenger, `balancer` on the side with less
    money, `follower` on the seat that won the last game, `contrary` against it, `flat` on a random
    side. `idler` bets like `flat`, but only in one game in four on average.
    """

    names: Sequence[str]
    habits: Sequence[str]
    least_cents: int
    greatest_cents: int
    seed: bytes

    def plan_bets(self, game: str, winner: Seat | None) -> list[PlannedBet]:
        """Return the bets planned for a game, earliest first; `winner` won the previous game."""
        bets = []
        step, _ = divmod(self.greatest_cents - self.least_cents, _STEPS)
        chance = SeededRandom(words(blocks(self.seed, f"spectators|{game}")))
        for index, player in enumerate(self.names):
            habit = self.habits[index % len(self.habits)]
            unit_cents = self.least_cents + step * chance.randrange(_STEPS + 1)
            at, side = chance.randrange(_THOUSAND), chance.randrange(2)
            if habit != IDLER or chance.randrange(_GAMES_OF_AN_IDLER) == 0:
                taken = HABITS[habit](side, winner)
                bets.append(PlannedBet(at, player, taken, unit_cents))
        return sorted(bets, key=lambda wager: wager.at_permille)


def lighter_side(totals_cents: Sequence[int]) -> Seat:
    """Return the side with the smaller total; the challenger on a tie."""
    return HOUSE if totals_cents[HOUSE] < totals_cents[CHALLENGER] else CHALLENGER


IDLER: Final = "idler"
_GAMES_OF_AN_IDLER: Final = 4

# Side chosen by each habit, given a random side and the last winner.
HABITS: Final[Mapping[str, Callable[[Seat, Seat | None], Seat | None]]] = {
    "loyal": lambda _, __: HOUSE,
    "rebel": lambda _, __: CHALLENGER,
    "balancer": lambda _, __: None,
    "follower": lambda side, winner: side if winner is None else winner,
    "contrary": lambda side, winner: side if winner is None else other(winner),
    "flat": lambda side, _: side,
    IDLER: lambda side, _: side,
}
