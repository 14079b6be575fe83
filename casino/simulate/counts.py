"""Counts of simulated games: a row of integers that can be summed in any order.

>>> from casino.simulate.counts import FINALS, SIDE
>>> game = [0] * COUNTED
>>> game[Event.DEALS], game[FINALS + SIDE * 5 + 2] = 4, 1
>>> both = GameCounts(tuple(game)) + GameCounts(tuple(game))
>>> both.games, both[Event.DEALS], both.house_wins, both.stakes(HOUSE), both.stake_points_house
(2, 8, 2, (0, 2, 0), 4)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from operator import mul
from typing import Final

from casino.ecarte import CHALLENGER, HOUSE, Seat, multiplier


class Event(IntEnum):
    """Events counted in each deal; five tricks are a vole only after an exchange (R6.1)."""

    DEALS = 0
    FIRST_DEALER_WINS = 1
    FIVE_TRICKS = 2
    VOLES = 3
    KINGS_TURNED = 4
    KINGS_MARKED = 5
    PROPOSALS = 6
    STOOD_AT_ONCE = 7
    STOOD_AT_ONCE_LOST = 8
    REFUSED_FIRST = 9
    REFUSED_FIRST_LOST = 10


EVENTS: Final = len(Event)
SQUARES: Final = EVENTS  # offset of the sums of squares of these counts per game
BY_DEALS: Final = 2 * EVENTS  # offset of the sums of their products with the game's deals
EXCHANGES: Final = 3 * EVENTS
MAX_EXCHANGES: Final = 11  # each exchange but the last takes at least two of 21 stock cards
FINALS: Final = EXCHANGES + MAX_EXCHANGES + 1
SIDE: Final = 12  # final scores 0 to 11: the index of a game is SIDE * house + challenger
COUNTED: Final = FINALS + SIDE * SIDE


def _stake_points(index: int) -> int:
    house, challenger = divmod(index - FINALS, SIDE)
    if index < FINALS or house == challenger:
        return 0
    return multiplier(challenger) if house > challenger else -multiplier(house)


# For each index, the house's result in stakes of a game counted there (R7.2).
STAKE_POINTS: Final = tuple(map(_stake_points, range(COUNTED)))


@dataclass(frozen=True)
class GameCounts:
    """The counts of any number of games."""

    row: tuple[int, ...] = (0,) * COUNTED

    def __add__(self, others: GameCounts) -> GameCounts:
        return GameCounts(tuple(a + b for a, b in zip(self.row, others.row, strict=True)))

    def __getitem__(self, index: int) -> int:
        return self.row[index]

    @property
    def games(self) -> int:
        """The number of games."""
        return sum(self.row[FINALS:])

    @property
    def house_wins(self) -> int:
        """The number of games won by the house."""
        return sum(self.stakes(HOUSE))

    @property
    def challenger_wins(self) -> int:
        """The number of games won by the challenger."""
        return sum(self.stakes(CHALLENGER))

    @property
    def exchanges(self) -> tuple[int, ...]:
        """The numbers of deals with 0, 1, 2, … exchanges, without trailing zeros."""
        counts = self.row[EXCHANGES : EXCHANGES + MAX_EXCHANGES + 1]
        longest = max((at for at, deals in enumerate(counts) if deals), default=0)
        return counts[: longest + 1]

    @property
    def stake_points_house(self) -> int:
        """The stakes won by the house minus those it lost."""
        return sum(map(mul, STAKE_POINTS, self.row))

    def stakes(self, *winners: Seat) -> tuple[int, int, int]:
        """Return the numbers of games that `winners` won for 1, 2 and 3 stakes (R7.2)."""
        totals = [0, 0, 0]
        for (house, challenger), games in self.finals():
            if (HOUSE if house > challenger else CHALLENGER) in winners:
                totals[multiplier(min(house, challenger)) - 1] += games
        return totals[0], totals[1], totals[2]

    def finals(self) -> Iterator[tuple[tuple[int, int], int]]:
        """Yield each final score that occurred, the house's points first, and its count."""
        for index, games in enumerate(self.row[FINALS:]):
            if games:
                yield divmod(index, SIDE), games
