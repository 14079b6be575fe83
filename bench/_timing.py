"""Fair timing on a busy machine: contestants take turns, and medians are compared.

The order rotates from round to round, so that a slow spell of the machine falls on all of them.
The processor time of this process leaves out what other programs take.
"""

import platform
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from statistics import median
from time import process_time
from typing import TypeVar

from rich.table import Table

T = TypeVar("T")

Turn = Callable[[], tuple[float, float]]
"""Works for a while; returns how much it did, and in how many seconds of processor time."""


def take_turns(contestants: Sequence[Callable[[], T]], rounds: int) -> list[list[T]]:
    """Call each contestant once a round, and return the results of each."""
    results: list[list[T]] = [[] for _ in contestants]
    for number in range(rounds):
        for turn in range(len(contestants)):
            index = (number + turn) % len(contestants)
            results[index].append(contestants[index]())
    return results


def measure_rates(turns: Sequence[Turn], rounds: int) -> list[list[float]]:
    """Return what each contestant did per second in each round."""
    return [[done / seconds for done, seconds in each] for each in take_turns(turns, rounds)]


def timed(work: Callable[[int], T], seconds: float) -> Callable[[], tuple[T, float]]:
    """Return a turn that calls `work` with the number of repeats that takes about `seconds`."""

    def run(repeats: int) -> tuple[T, float]:
        start = process_time()
        return work(repeats), process_time() - start

    repeats = 1
    while (taken := run(repeats)[1]) < seconds / 4:
        repeats *= 2
    repeats = max(1, round(repeats * seconds / taken))
    return lambda: run(repeats)


def median_ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return the median of the ratios taken round by round."""
    return median(our / their for our, their in zip(ours, theirs, strict=True))


def number_table(title: str, first: str, *columns: str) -> Table:
    """Return a table without lines: a column of text, then columns of numbers."""
    table = Table(first, title=title, box=None, padding=(0, 2, 0, 0), title_justify="left")
    for column in columns:
        table.add_column(column, justify="right")
    return table


def describe_versions(packages: Iterable[str]) -> str:
    versions = [f"Python {platform.python_version()}"]
    for package in packages:
        with suppress(PackageNotFoundError):
            versions.append(f"{package} {version(package)}")
    return ", ".join(versions)
