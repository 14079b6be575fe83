"""How much a best response gains against the exchange tables, in the abstract game.

Run it with `python -m bench.best_response`. One side plays by the tables as they are packed; the
other learns against it from nothing, by regrets, and then plays what it has learned. What it gains
over the tables is told in parts of a game for each deal; what chance leaves open, as two standard
errors. One core; a score takes about a minute.
"""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from typing import Any, Final, NamedTuple

import click
import numpy as np

from casino.ecarte import Laws
from casino.solver.policy import tables
from casino.solver.policy.tables import (
    ANSWER,
    BIDS,
    BUCKETS,
    DEALER_TAKES,
    MIXES,
    MOST,
    STEPS,
    TAKES,
    WHOLE,
    game_of,
)
from casino.solver.training.cfr import (
    DealScore,
    ScoreEquities,
    Solver,
    iterate,
    leaf_values,
    new_solver,
    scores,
)

CHUNK: Final = 1_000_000
SCORES: Final = ("0-0", "2-2", "3-3", "1-4", "4-1")
ITERATIONS: Final = 6_000_000
"""How long a side learns against the other."""

WALKS: Final = 16_000_000
"""Deals by which it is told what a strategy is worth."""


class Gain(NamedTuple):
    """Parts of a game for each deal, and two standard errors."""

    mean: float
    doubt: float

    def __str__(self) -> str:
        return f"{self.mean:+.5f} ± {self.doubt:.5f}"


def strategies(found: tables.PackedTables, game: int) -> Any:
    """What the tables do at a score, as the solver lays it out."""
    bids = np.frombuffer(found.bids, np.uint8).reshape(-1, BIDS * BUCKETS)[game]
    second = bids.astype(np.float32) / STEPS
    takes = np.frombuffer(found.takes, np.uint8).reshape(-1, TAKES * BUCKETS)[game]
    choice, likely = takes // MIXES, takes % MIXES / np.float32(STEPS)
    shares = np.zeros((len(takes), MOST), np.float32)
    rows = np.arange(len(takes))
    shares[rows, choice // MOST] += 1 - likely
    shares[rows, choice % MOST] += likely
    return np.concatenate([np.stack([1 - second, second], 1).ravel(), shares.ravel()])


def of_dealer() -> Any:
    """Which of these numbers are the dealer's."""
    bids = np.repeat(np.arange(BIDS) >= ANSWER, 2 * BUCKETS)
    return np.concatenate([bids, np.repeat(np.arange(TAKES) >= DEALER_TAKES, MOST * BUCKETS)])


def learned(solver: Solver, both: Any, side: int, iterations: int) -> Any:
    """What a side does that has learned against the other one: its best choice everywhere."""
    mine = of_dealer() == bool(side)
    solver.regret[:] = np.where(mine, 0, both)
    iterate(solver, 1 << side, 0, iterations)
    best = np.concatenate([
        _pure(solver.regret[: 2 * BIDS * BUCKETS].reshape(-1, 2)),
        _pure(solver.regret[2 * BIDS * BUCKETS :].reshape(-1, MOST)),
    ])  # fmt: skip
    return np.where(mine, np.where(best > 0, best, 0), both)


def _pure(regret: Any) -> Any:
    """One for the greatest of each row; where nothing was learned, evenly."""
    known = np.abs(regret).sum(axis=1, keepdims=True) > 0
    greatest = regret == regret.max(axis=1, keepdims=True)
    return np.where(known, greatest, 1).astype(np.float32).ravel()


def worth_of(solver: Solver, both: Any, walks: int) -> tuple[float, float]:
    """What a deal is worth to the elder if both play so, and its standard error."""
    solver.regret[:] = both
    means = [float(iterate(solver, 0, 0, CHUNK)) for _ in range(walks // CHUNK)]
    return float(np.mean(means)), float(np.std(means, ddof=1)) / sqrt(len(means))


def leaf_of(found: tables.PackedTables, score: DealScore) -> Any:
    """What each end of a deal's exchanges is worth to the elder at a score, by the tables."""
    ends, target = tables.outcomes(found), found.target
    equities = ScoreEquities(Laws(target))
    for one in scores(target):
        row = ends[game_of(one.elder, one.dealer, target, one.king, target)]
        equities.known[one] = sum(row[:3]) / WHOLE
    return leaf_values(score, equities, tables.shipped_leaves())


def gains(leaf: Any, both: Any, iterations: int, walks: int) -> tuple[float, list[Gain]]:
    """What a deal is worth to the elder by a strategy, and what elder and dealer gain over it."""
    solver = new_solver(leaf, False, 5)
    plain, doubt = worth_of(solver, both, walks)
    found = []
    for side, sign in enumerate((1, -1)):
        better, error = worth_of(solver, learned(solver, both, side, iterations), walks)
        found.append(Gain(sign * (better - plain), 2 * sqrt(error**2 + doubt**2)))
    return plain, found


@click.command()
@click.option("--tables", "file", type=click.Path(path_type=Path, exists=True), default=None)
@click.option("--iterations", default=ITERATIONS, show_default=True)
@click.option("--walks", default=WALKS, show_default=True)
@click.argument("scores_wanted", nargs=-1)
def main(file: Path | None, iterations: int, walks: int, scores_wanted: tuple[str, ...]) -> None:
    """Measure and print, at the scores wanted: the elder's points, then the dealer's."""
    found = tables.load_packed(file)
    print(f"{'score':>6} {'elder by tables':>16} {'elder gains':>20} {'dealer gains':>20}")
    for name in scores_wanted or SCORES:
        elder, dealer = map(int, name.split("-"))
        both = strategies(found, game_of(elder, dealer, found.target, False, found.target))
        leaf = leaf_of(found, DealScore(elder, dealer, False))
        plain, gained = gains(leaf, both, iterations, walks)
        print(f"{name:>6} {plain:>16.5f} {gained[0]!s:>20} {gained[1]!s:>20}", flush=True)


if __name__ == "__main__":
    main()
