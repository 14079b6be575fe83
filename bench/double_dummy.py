"""How fast open positions are solved: look-ups a second, one hand against all, all hands.

Run it with `make bench`, or, from the project's folder, `python -m bench.double_dummy`. The
last column says how many times as fast as what the project promises.
"""

from collections.abc import Callable
from random import Random
from statistics import median
from time import perf_counter, process_time

import click
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from casino.analysis.dd_index import TrickTable, best_tricks
from casino.analysis.double_dummy import trick_table
from casino.analysis.numba_support import compiled
from casino.analysis.odds import count_class_tricks, hand_classes
from casino.ecarte import Card, card_set

LOOK_UPS_PROMISED, HAND_PROMISED, ALL_PROMISED = 150e6, 1e-3, 60.0


@compiled
def look_up_all(law: TrickTable, positions: NDArray[np.int64]) -> int:
    """Look up the tricks of every position, one after the other."""
    taken = 0
    for at in range(len(positions)):
        leader, other, trumps = positions[at]
        taken += best_tricks(law, leader, other, trumps)
    return taken


def random_positions(rng: Random, number: int) -> NDArray[np.int64]:
    """Positions of one to five cards a side, as leader, other and trumps."""
    found = []
    for _ in range(number):
        size = rng.randint(1, 5)
        drawn = rng.sample(range(32), 2 * size)
        found.append((card_set(drawn[:size]), card_set(drawn[size:]), rng.randrange(4)))
    return np.array(found, np.int64)


def seconds(work: Callable[[], object], laps: int) -> float:
    """The median processor time of some work, after one turn to warm up."""
    work()
    found = []
    for _ in range(laps):
        start = process_time()
        work()
        found.append(process_time() - start)
    return median(found)


def one_hand(rng: Random) -> Callable[[], object]:
    """A random elder's hand against all 65,780."""
    *held, turn_up = rng.sample(range(32), 6)
    hands = np.array([card_set(held)], np.int64)
    return lambda: count_class_tricks(trick_table(), hands, turn_up, True)


def all_pairs(turn_up: Card) -> tuple[float, int]:
    """The seconds that all pairs of hands take on one core, and how many pairs that were."""
    classes = hand_classes(turn_up)
    start = perf_counter()
    counts = classes.sizes @ count_class_tricks(trick_table(), classes.hands, turn_up, True)
    return perf_counter() - start, int(counts.sum())


@click.command()
@click.option("--laps", default=9, show_default=True, help="How often each figure is taken.")
@click.option("--seed", default=1, show_default=True, help="Which positions are looked up.")
def main(laps: int, seed: int) -> None:
    """Time the double-dummy table."""
    rng, law = Random(seed), trick_table()
    positions = random_positions(rng, 100_000)
    look_ups = (
        10
        * len(positions)
        / seconds(lambda: [look_up_all(law, positions) for _ in range(10)], laps)
    )
    build = seconds(trick_table.__wrapped__, laps)
    hand = median(seconds(one_hand(rng), laps) for _ in range(laps))
    whole, pairs = all_pairs(rng.randrange(32))
    table = Table("", title=f"Double dummy, one core, seed {seed}", box=None, title_justify="left")
    for column in ("measured", "× promised"):
        table.add_column(column, justify="right")
    for row in (
        ("look-ups /s", f"{look_ups / 1e6:,.0f} M", f"{look_ups / LOOK_UPS_PROMISED:.1f}"),
        ("the table built", f"{1e3 * build:.1f} ms", ""),
        ("one hand against 65,780", f"{1e3 * hand:.3f} ms", f"{HAND_PROMISED / hand:.1f}"),
        (f"all {pairs:,} pairs", f"{whole:.1f} s", f"{ALL_PROMISED / whole:.1f}"),
    ):
        table.add_row(*row)
    Console().print(table)


if __name__ == "__main__":
    main()
