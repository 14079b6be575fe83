"""Double-dummy solving: look-ups a second, one hand against all others, all pairs of hands.

The last column is the speed relative to the project's target.
"""

from collections.abc import Callable
from random import Random
from statistics import median
from time import perf_counter, process_time

import click
import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from bench._timing import number_table
from casino.analysis.dd_index import TrickTable, best_tricks
from casino.analysis.numba_support import compiled
from casino.ecarte import card_set
from casino.solver.evaluation.hand_chart import classes
from tools.chart_table import count_class_tricks
from tools.double_dummy import trick_table

TARGET_LOOK_UPS, TARGET_HAND_SECONDS, TARGET_PAIRS_SECONDS = 150e6, 1e-3, 60.0
SEED = 1
REPEATS = 10


@compiled
def look_up_all(table: TrickTable, positions: NDArray[np.int64]) -> int:
    tricks = 0
    for at in range(len(positions)):
        leader, other, trumps = positions[at]
        tricks += best_tricks(table, leader, other, trumps)
    return tricks


def random_positions(rng: Random, number: int) -> NDArray[np.int64]:
    """Return positions of one to five cards a side, as leader, other and trumps."""
    positions = []
    for _ in range(number):
        size = rng.randint(1, 5)
        drawn = rng.sample(range(32), 2 * size)
        positions.append((card_set(drawn[:size]), card_set(drawn[size:]), rng.randrange(4)))
    return np.array(positions, np.int64)


def seconds(work: Callable[[], object], rounds: int) -> float:
    """Return the median processor time of work, after a call to warm up."""
    work()
    times = []
    for _ in range(rounds):
        start = process_time()
        work()
        times.append(process_time() - start)
    return median(times)


def one_hand(rng: Random) -> Callable[[], object]:
    """Return the comparison of a random hand of the elder with all 65,780 others."""
    *held, turn_up = rng.sample(range(32), 6)
    hands = np.array([card_set(held)], np.int64)
    return lambda: count_class_tricks(trick_table(), hands, turn_up, True)


@click.command()
@click.option("--rounds", default=9, show_default=True, help="How often each figure is taken.")
def main(rounds: int) -> None:
    """Time the double-dummy table."""
    rng, solved = Random(SEED), trick_table()
    positions = random_positions(rng, 100_000)
    repeated = seconds(lambda: [look_up_all(solved, positions) for _ in range(REPEATS)], rounds)
    look_ups = REPEATS * len(positions) / repeated
    build = seconds(trick_table.__wrapped__, rounds)
    hand = median(seconds(one_hand(rng), rounds) for _ in range(rounds))
    turn_up = rng.randrange(32)
    hands, sizes = np.array([(row.hand, row.hands) for row in classes(turn_up)]).T
    start = perf_counter()
    counts = sizes @ count_class_tricks(solved, np.ascontiguousarray(hands), turn_up, True)
    pairs, number = perf_counter() - start, int(counts.sum())
    table = number_table("Double dummy on one core", "", "measured", "× target")
    for row in (
        ("look-ups /s", f"{look_ups / 1e6:,.0f} M", f"{look_ups / TARGET_LOOK_UPS:.1f}"),
        ("build the table", f"{1e3 * build:.1f} ms", ""),
        ("one hand against 65,780", f"{1e3 * hand:.3f} ms", f"{TARGET_HAND_SECONDS / hand:.1f}"),
        (f"all {number:,} pairs", f"{pairs:.1f} s", f"{TARGET_PAIRS_SECONDS / pairs:.1f}"),
    ):
        table.add_row(*row)
    Console().print(table)


if __name__ == "__main__":
    main()
