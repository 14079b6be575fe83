"""Estimates from a run's counts, each with its standard error.

Games are independent, but the deals of one game are not. A figure per deal is therefore a ratio of
two sums over games, with the standard error of a ratio estimator.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from typing import Any, Final, NamedTuple

from casino.ecarte import CHALLENGER, HOUSE, Seat, laws_json
from casino.simulate.counts import BY_DEALS, SQUARES, Event, GameCounts
from casino.simulate.series import Run

STAKES: Final = ("single", "double", "triple")
WHOLE_BP: Final = 10_000
SURE_ERRORS: Final = 1.96  # standard errors to either side of a 95 % interval

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
        """Half the 95 % confidence interval: what ± means wherever it is printed or drawn."""
        return SURE_ERRORS * self.error


def share(part: int, whole: int) -> Estimate:
    """Return `part` as a share of `whole` independent cases, or 0 with error 0 if `whole` is 0."""
    if not whole:
        return Estimate(0.0, 0.0)
    ratio = part / whole
    if part in (0, whole):
        # The usual formula would be sure: add two cases of either kind (Agresti and Coull, 1998).
        return Estimate(ratio, sqrt((part + 2) * (whole - part + 2) / (whole + 4) ** 3))
    return Estimate(ratio, sqrt(ratio * (1 - ratio) / whole))


def per_game(counts: GameCounts, event: int) -> Estimate:
    """Return the mean number of events per game."""
    return _mean(counts[event], counts[SQUARES + event], counts.games)


def per_deal(counts: GameCounts, event: int) -> Estimate:
    """Return the mean number of events per deal."""
    deals, games = counts[Event.DEALS], counts.games
    if not deals:
        return Estimate(0.0, 0.0)
    ratio = counts[event] / deals
    # Variance of a ratio estimator: the deals of one game are not independent.
    spread = (
        counts[SQUARES + event]
        - 2 * ratio * counts[BY_DEALS + event]
        + ratio**2 * counts[SQUARES + Event.DEALS]
    )
    return Estimate(ratio, sqrt(max(0.0, spread) * games / max(1, games - 1)) / deals)


def edge(counts: GameCounts, backed: Seat, commission_bp: int = 0) -> Estimate:
    """Return the house's mean profit on each unit staked on a seat.

    A bet's profit or loss is its unit times the game's stakes (G10); the house deducts its
    commission from winnings (G12).
    """
    won, lost = counts.stakes(backed), counts.stakes(CHALLENGER if backed == HOUSE else HOUSE)
    paid = (WHOLE_BP - commission_bp) / WHOLE_BP
    total = squares = 0.0
    for worth in (1, 2, 3):
        total += worth * (lost[worth - 1] - paid * won[worth - 1])
        squares += worth**2 * (lost[worth - 1] + paid**2 * won[worth - 1])
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
        yield f"deals with {number} exchanges", deals, share(deals, counts[Event.DEALS])
    paid = f"{commission_bp / 100:g} % commission"
    for backed, name in ((CHALLENGER, "challenger"), (HOUSE, "house")):
        yield f"kept of a unit on the {name}, no commission", None, edge(counts, backed)
        yield f"kept of a unit on the {name}, {paid}", None, edge(counts, backed, commission_bp)


def as_json(run: Run, counts: GameCounts, commission_bp: int, seconds: float) -> dict[str, Any]:
    """Return a run's counts and figures as JSON values."""
    return {
        "games": counts.games,
        "seed": run.seed,
        "house": run.house,
        "challenger": run.challenger,
        "laws": laws_json(run.laws),
        "house_wins": counts.house_wins,
        "challenger_wins": counts.challenger_wins,
        **dict(zip(STAKES, counts.stakes(HOUSE, CHALLENGER), strict=True)),
        **{event.name.lower(): counts[event] for event in Event},
        "exchanges_per_deal": list(counts.exchanges),
        "final_scores": {f"{a}-{b}": games for (a, b), games in sorted(counts.finals())},
        "stake_points_house": counts.stake_points_house,
        "seconds": round(seconds, 6),
        "games_per_second": round(counts.games / seconds, 1) if seconds else 0.0,
        "commission_bp": commission_bp,
        "house_edge": _figure_json(edge(counts, CHALLENGER)),
        "house_edge_with_commission": _figure_json(edge(counts, CHALLENGER, commission_bp)),
        "figures": {
            name: _figure_json(figure) for name, _, figure in figures(counts, commission_bp)
        },
    }


def _figure_json(figure: Estimate) -> dict[str, float]:
    return {"value": figure.value, "standard_error": figure.error}


def _mean(total: float, squares: float, number: int) -> Estimate:
    if not number:
        return Estimate(0.0, 0.0)
    mean = total / number
    spread = max(0.0, squares / number - mean**2)
    return Estimate(mean, sqrt(spread / max(1, number - 1)))
