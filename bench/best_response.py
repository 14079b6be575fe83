"""What a best response gains against the exchange strategies, in the abstract game.

One side plays by the shipped tables; the other learns against it from nothing, by regret
minimisation, and then plays what it has learned. The gain is in games a deal, with two standard
errors of the sampling. One core; about a minute for each score.
"""

from __future__ import annotations

from math import sqrt
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
    MAX_TAKEN,
    MIXES,
    STEPS,
    TAKES,
    game_of,
)
from casino.solver.training.cfr import UNSEEN, DealScore, Solver, iterate, leaf_values, new_solver
from casino.solver.training.run import LEARN_BOTH, average_strategy

CHUNK: Final = 1_000_000
SCORES: Final = ("0-0", "2-2", "3-3", "1-4", "4-1")
ITERATIONS: Final = 6_000_000  # in which one side learns against the other
WALKS: Final = 16_000_000  # deals that estimate the value of a strategy
EVALUATION_SEED: Final = 5
SOLUTION_SEED: Final = 1


class Gain(NamedTuple):
    """A gain in games a deal, and two standard errors."""

    mean: float
    error: float

    def __str__(self) -> str:
        return f"{self.mean:+.5f} ± {self.error:.5f}"


def table_strategy(packed: tables.PackedTables, game: int) -> Any:
    """Return the probabilities of all choices by the tables, as the solver lays them out."""
    bids = np.frombuffer(packed.bids, np.uint8).reshape(-1, BIDS * BUCKETS)[game]
    second = bids.astype(np.float32) / STEPS
    takes = np.frombuffer(packed.takes, np.uint8).reshape(-1, TAKES * BUCKETS)[game]
    choice, likely = takes // MIXES, takes % MIXES / np.float32(STEPS)
    shares = np.zeros((len(takes), MAX_TAKEN), np.float32)
    rows = np.arange(len(takes))
    shares[rows, choice // MAX_TAKEN] += 1 - likely
    shares[rows, choice % MAX_TAKEN] += likely
    return np.concatenate([np.stack([1 - second, second], 1).ravel(), shares.ravel()])


def dealer_mask() -> Any:
    """Return True for each number of a strategy that is the dealer's."""
    bids = np.repeat(np.arange(BIDS) >= ANSWER, 2 * BUCKETS)
    takes = np.repeat(np.arange(TAKES) >= DEALER_TAKES, MAX_TAKEN * BUCKETS)
    return np.concatenate([bids, takes])


def best_response(solver: Solver, strategy: Any, side: int, iterations: int) -> Any:
    """Return a strategy in which one side makes the choices that it has learned to be best."""
    mine = dealer_mask() == bool(side)
    solver.regret[:] = np.where(mine, 0, strategy)
    iterate(solver, 1 << side, 0, iterations, UNSEEN)
    best = np.concatenate([
        _best_choices(solver.regret[: 2 * BIDS * BUCKETS].reshape(-1, 2)),
        _best_choices(solver.regret[2 * BIDS * BUCKETS :].reshape(-1, MAX_TAKEN)),
    ])  # fmt: skip
    return np.where(mine, best, strategy)


def _best_choices(regret: Any) -> Any:
    """Return 1 for the maximum of each row; 1 for all choices of a row that learned nothing."""
    has_learned = np.abs(regret).sum(axis=1, keepdims=True) > 0
    is_best = regret == regret.max(axis=1, keepdims=True)
    return np.where(has_learned, is_best, 1).astype(np.float32).ravel()


def value(solver: Solver, strategy: Any, walks: int) -> tuple[float, float]:
    """Return the value of a deal to the elder, and its standard error."""
    solver.regret[:] = strategy
    means = [float(iterate(solver, 0, 0, CHUNK, UNSEEN)) for _ in range(walks // CHUNK)]
    return float(np.mean(means)), float(np.std(means, ddof=1)) / sqrt(len(means))


def leaves_at(packed: tables.PackedTables, score: DealScore) -> Any:
    """Return the value to the elder of each end of the exchanges at a score, by the tables."""
    rows = tables.outcomes(packed)
    return leaf_values(score, Laws(packed.target), rows, packed.about["leaves"])


def gains(leaf: Any, strategy: Any, iterations: int, walks: int) -> tuple[float, list[Gain]]:
    """Return the value of a deal to the elder, and what elder and dealer could gain."""
    solver = new_solver(leaf, False, EVALUATION_SEED)
    plain, plain_error = value(solver, strategy, walks)
    gained = []
    for side, sign in enumerate((1, -1)):
        response = best_response(solver, strategy, side, iterations)
        better, error = value(solver, response, walks)
        gained.append(Gain(sign * (better - plain), 2 * sqrt(error**2 + plain_error**2)))
    return plain, gained


@click.command()
@click.option("--iterations", default=ITERATIONS, show_default=True, help="Of the best response.")
@click.option("--walks", default=WALKS, show_default=True, help="Deals that estimate a value.")
@click.option(
    "--solve",
    multiple=True,
    type=int,
    help="Also measure a strategy solved from nothing in this many iterations.",
)
@click.argument("wanted", metavar="[SCORE]...", nargs=-1)
def main(iterations: int, walks: int, solve: tuple[int, ...], wanted: tuple[str, ...]) -> None:
    """Measure at each SCORE, the elder's points before the dealer's, such as 4-1."""
    packed = tables.load_packed()
    print(f"{'score':>6} {'strategy':>10} {'elder':>9} {'elder gains':>20} {'dealer gains':>20}")
    for name in wanted or SCORES:
        elder, dealer = map(int, name.split("-"))
        leaf = leaves_at(packed, DealScore(elder, dealer, False))
        game = game_of(elder, dealer, packed.target, False, packed.target)
        strategies = {"tables": table_strategy(packed, game)}
        solver, done = new_solver(leaf, False, SOLUTION_SEED), 0
        for number in sorted(solve):
            iterate(solver, LEARN_BOTH, done, number - done, UNSEEN)
            done = number
            strategies[str(number)] = average_strategy(solver.total)
        for strategy, numbers in strategies.items():
            plain, gained = gains(leaf, numbers, iterations, walks)
            print(
                f"{name:>6} {strategy:>10} {plain:>9.5f} {gained[0]!s:>20} {gained[1]!s:>20}",
                flush=True,
            )


if __name__ == "__main__":
    main()
