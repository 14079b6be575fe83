"""Random whole games in pure Python, our engine beside the best known others, in one run.

Run it with `make bench`, or, from the project's folder, `python -m bench.engines`.
"""

import copy
import json
import platform
import random
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from random import Random
from statistics import median
from time import process_time

import click
from rich.console import Console
from rich.table import Table

from bench import _laps, _ours
from bench._laps import Lap, PlayOne
from bench._rivals import RIVALS, Rival
from casino.ecarte import Deal, outcome_json, read_record, replay

OURS = (("Écarté, ours", _ours.play_one), ("Écarté, played out", _ours.play_out_one))
COLUMNS = ("decisions\n/s", "steps\n/s", "games\n/s", "per\ngame", "ours\n×", "played\nout ×")


def load_rivals(
    rivals: Sequence[Rival], seed: int, say: Callable[[str], None]
) -> list[tuple[str, PlayOne]]:
    """Set up every rival whose package is here, and say which ones are missing."""
    loaded = []
    for rival in rivals:
        try:
            loaded.append((rival.name, rival.load(seed)))
        except ImportError as error:
            say(f"left out: {rival.name}: {rival.package} cannot be imported ({error})")
    return loaded


def versions(packages: Iterable[str]) -> str:
    """The Python and the packages a run compares, with their versions."""
    found = [f"Python {platform.python_version()}"]
    for package in packages:
        with suppress(PackageNotFoundError):
            found.append(f"{package} {version(package)}")
    return ", ".join(found)


def plain_table(first: str, columns: Iterable[str], title: str) -> Table:
    """A table without lines, its first column text and the others numbers."""
    table = Table(first, title=title, box=None, padding=(0, 2, 0, 0), title_justify="left")
    for column in columns:
        table.add_column(column, justify="right")
    return table


def engines_table(names: Sequence[str], laps: Sequence[Sequence[Lap]]) -> Table:
    """The table of all engines; the last columns say how many times as fast our two rows are."""
    table = plain_table("engine", COLUMNS, "Random whole games: medians over the laps")
    by_engine = list(zip(*laps, strict=True))
    for name, done in zip(names, by_engine, strict=True):
        speed = _laps.speed(done)
        length = sum(lap.decisions for lap in done) / sum(lap.games for lap in done)
        table.add_row(
            name,
            f"{speed.decisions:,.0f}",
            f"{speed.steps:,.0f}",
            f"{speed.games:,.0f}",
            f"{length:.1f}",
            *(f"{_laps.ratio(ours, done):.2f}" for ours in by_engine[: len(OURS)]),
        )
    return table


def state_costs(rng: Random) -> list[tuple[str, str]]:
    """What hashing and copying a state of ours costs."""
    states = [state for _ in range(60) for state in _ours.states_of_one(rng)]
    costs = {
        "hash a state": _laps.microseconds(hash, states),
        "copy a state, Deal(*state)": _laps.microseconds(lambda state: Deal(*state), states),
        "copy a state, copy.copy(state)": _laps.microseconds(copy.copy, states),
    }
    return [(name, f"{cost:.2f} µs") for name, cost in costs.items()]


def replays(rng: Random, laps: int, records: int = 1000) -> tuple[str, str]:
    """How many records a second are read, replayed, checked and told as JSON."""
    lines = [_ours.record_of_one(rng) for _ in range(records)]

    def lap() -> float:
        start = process_time()
        for line in lines:
            json.dumps(outcome_json(replay(read_record(line))))
        return records / (process_time() - start)

    return "records replayed", f"{median(lap() for _ in range(laps)):,.0f} /s"


@click.command()
@click.option("--laps", default=9, show_default=True, help="How often each engine has its turn.")
@click.option("--seconds", default=0.4, show_default=True, help="How long one turn takes.")
@click.option("--seed", type=int, help="Repeat the run that printed this seed.")
def main(laps: int, seconds: float, seed: int | None) -> None:
    """Compare our engine with others, and time its states and records."""
    console = Console()
    seed = random.randrange(1 << 32) if seed is None else seed
    console.print(f"seed {seed}, {laps} laps of {seconds} s for each engine")
    console.print(versions(dict.fromkeys(rival.package for rival in RIVALS)))
    engines = [*OURS, *load_rivals(RIVALS, seed, console.print)]
    done = list(_laps.interleave([play for _, play in engines], laps, seconds, seed))
    console.print(engines_table([name for name, _ in engines], done))
    details = plain_table("our own", ["median"], "\nStates and records")
    for row in [*state_costs(Random(seed)), replays(Random(seed), laps)]:
        details.add_row(*row)
    console.print(details)


if __name__ == "__main__":
    main()
