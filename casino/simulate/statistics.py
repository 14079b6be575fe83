"""Counts of simulated games, and estimates from them, each with its standard error.

The counts are a row of integers that can be summed in any order. Games are independent, but the
deals of one game are not. A figure per deal is therefore a ratio of two sums over games, with the
standard error of a ratio estimator.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from math import sqrt
from typing import Final, NamedTuple

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
        """The number of deals with 0, 1, 2, … exchanges, without trailing zeros."""
        counts = self.row[EXCHANGES : EXCHANGES + MAX_EXCHANGES + 1]
        longest = max((at for at, deals in enumerate(counts) if deals), default=0)
        return counts[: longest + 1]

    @property
    def stake_points_house(self) -> int:
        """The stakes won by the house minus those it lost."""
        return sum(
            games * (multiplier(challenger) if house > challenger else -multiplier(house))
            for (house, challenger), games in self.finals()
        )

    def stakes(self, *winners: Seat) -> tuple[int, int, int]:
        """Return how many games `winners` won for 1, 2 and 3 stakes (R7.2)."""
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


STAKES: Final = ("single", "double", "triple")
WHOLE_BP: Final = 10_000
SURE_ERRORS: Final = 1.96  # standard errors to either side of a 95 % interval
MIN_SPREAD_GAMES: Final = 30  # fewer may all be alike, so their spread gives no margin

PER_DEAL: Final = {
    "kings turned": Event.KINGS_TURNED,
    "kings marked": Event.KINGS_MARKED,
    "five tricks": Event.FIVE_TRICKS,
    "voles": Event.VOLES,
    "proposals": Event.PROPOSALS,
    "stood at once": Event.STOOD_AT_ONCE,
    "refused at once": Event.REFUSED_FIRST,
}


class Estimate(NamedTuple):
    """An estimate with its standard error."""

    value: float
    error: float

    @property
    def margin(self) -> float:
        """Half the width of the 95 % confidence interval: the number printed after ±."""
        return SURE_ERRORS * self.error

    def json(self) -> dict[str, float]:
        """Return the estimate as JSON values."""
        return {"value": self.value, "standard_error": self.error}


def share(part: int, whole: int) -> Estimate:
    """Return `part` as a share of `whole` independent cases, or 0 with error 0 if `whole` is 0."""
    if not whole:
        return Estimate(0.0, 0.0)
    ratio = part / whole
    if part in (0, whole):
        # The usual formula gives an error of 0: add two cases of each kind (Agresti, Coull, 1998).
        return Estimate(ratio, sqrt((part + 2) * (whole - part + 2) / (whole + 4) ** 3))
    return Estimate(ratio, sqrt(ratio * (1 - ratio) / whole))


def wilson_interval(won: float, number: float) -> tuple[float, float]:
    """Return the 95 % Wilson interval of a share that was seen in `number` independent cases."""
    about = SURE_ERRORS**2 / number
    middle = (won + about / 2) / (1 + about)
    width = SURE_ERRORS * sqrt(won * (1 - won) / number + about / number / 4) / (1 + about)
    return max(0.0, middle - width), min(1.0, middle + width)


def sure_win_rate(won: int, lost: int) -> float:
    """Return the lower end of the interval of a win rate, or 0 if no game was played."""
    return wilson_interval(won / (won + lost), won + lost)[0] if won else 0.0


def per_game(counts: GameCounts, event: int) -> Estimate:
    """Return the mean number of events per game."""
    return _mean(counts[event], counts[SQUARES + event], counts.games)


def per_deal(counts: GameCounts, event: int) -> Estimate:
    """Return the mean number of events per deal."""
    squares, products = counts[SQUARES + event], counts[BY_DEALS + event]
    deals, deals_squared = counts[Event.DEALS], counts[SQUARES + Event.DEALS]
    # The deals of one game are not independent.
    return ratio(counts[event], squares, products, deals, deals_squared, counts.games)


def ratio(
    part: int, part_squares: int, products: int, whole: int, whole_squares: int, number: int
) -> Estimate:
    """Estimate a ratio of two sums over `number` independent cases, from their sums of products."""
    if not whole:
        return Estimate(0.0, 0.0)
    value = part / whole
    spread = part_squares - 2 * value * products + value**2 * whole_squares
    # Bessel's correction for the sample variance.
    return Estimate(value, sqrt(max(0.0, spread) * number / max(1, number - 1)) / whole)


def edge(counts: GameCounts, backed: Seat, commission_bp: int = 0) -> Estimate:
    """Return the house's mean profit on each unit staked on a seat.

    A bet's profit or loss is its unit times the game's stakes (G10); the house deducts its
    commission from winnings (G12).
    """
    won, lost = counts.stakes(backed), counts.stakes(CHALLENGER if backed == HOUSE else HOUSE)
    paid = (WHOLE_BP - commission_bp) / WHOLE_BP
    total = squares = 0.0
    for stake in (1, 2, 3):
        total += stake * (lost[stake - 1] - paid * won[stake - 1])
        squares += stake**2 * (lost[stake - 1] + paid**2 * won[stake - 1])
    return _mean(total, squares, counts.games)


def figures(counts: GameCounts, commission_bp: int) -> Iterator[tuple[str, int | None, Estimate]]:
    """Yield the name of each figure, its count or None, and its estimate."""
    games = counts.games
    yield "the house wins", counts.house_wins, share(counts.house_wins, games)
    yield "the challenger wins", counts.challenger_wins, share(counts.challenger_wins, games)
    yield (
        "the first dealer wins",
        counts[Event.FIRST_DEALER_WINS],
        share(counts[Event.FIRST_DEALER_WINS], games),
    )
    for name, number in zip(STAKES, counts.stakes(HOUSE, CHALLENGER), strict=True):
        yield f"{name} games", number, share(number, games)
    yield "deals in a game", counts[Event.DEALS], per_game(counts, Event.DEALS)
    for name, event in PER_DEAL.items():
        yield f"{name}, per deal", counts[event], per_deal(counts, event)
    for name, lost, whole in (
        ("stood at once and lost", Event.STOOD_AT_ONCE_LOST, Event.STOOD_AT_ONCE),
        ("refused at once and lost", Event.REFUSED_FIRST_LOST, Event.REFUSED_FIRST),
    ):
        yield name, counts[lost], share(counts[lost], counts[whole])
    for number, deals in enumerate(counts.exchanges):
        name = "exchange" if number == 1 else "exchanges"
        yield f"deals with {number} {name}", deals, share(deals, counts[Event.DEALS])
    paid = f"{commission_bp / 100:g} % commission"
    for backed, name in ((CHALLENGER, "challenger"), (HOUSE, "house")):
        bets = f"house edge, bets on the {name}"
        yield f"{bets}, no commission", None, edge(counts, backed)
        yield f"{bets}, {paid}", None, edge(counts, backed, commission_bp)


def _mean(total: float, squares: float, number: int) -> Estimate:
    if not number:
        return Estimate(0.0, 0.0)
    mean = total / number
    spread = max(0.0, squares / number - mean**2)
    return Estimate(mean, sqrt(spread / max(1, number - 1)))
