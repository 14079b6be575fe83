"""Random whole games in pure Python: our engine and the best-known others."""

import copy
import json
import random
from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from statistics import median
from time import process_time

import click
from rich.console import Console
from rich.table import Table

from bench._random_games import (
    OTHERS,
    Played,
    ecarte,
    load_installed,
    play_games,
    random_record,
    random_states,
)
from bench._timing import describe_versions, median_ratio, number_table, take_turns, timed
from casino.ecarte import Deal, outcome_json, read_record, replay

OURS = (("Écarté", ecarte(False)), ("Écarté, played out", ecarte(True)))
COLUMNS = ("decisions\n/s", "steps\n/s", "games\n/s", "per\ngame", "ours\n×", "played\nout ×")
REPEATS = 20
RECORDS = 1000


def engines_table(names: Sequence[str], turns: Sequence[Sequence[tuple[Played, float]]]) -> Table:
    """Return a row for each engine; the last columns say how many times as fast ours are."""
    table = number_table("Random whole games: medians over the rounds", "engine", *COLUMNS)
    rates = [[played.decisions / seconds for played, seconds in each] for each in turns]
    for name, each, rate in zip(names, turns, rates, strict=True):
        table.add_row(
            name,
            f"{median(rate):,.0f}",
            f"{median((p.decisions + p.chances) / seconds for p, seconds in each):,.0f}",
            f"{median(p.games / seconds for p, seconds in each):,.0f}",
            f"{sum(p.decisions for p, _ in each) / sum(p.games for p, _ in each):.1f}",
            *(f"{median_ratio(ours, rate):.2f}" for ours in rates[: len(OURS)]),
        )
    return table


def microseconds(call: Callable[[Deal], object], states: Sequence[Deal], rounds: int) -> str:
    """Return the median cost of a call, less that of an empty one."""

    def cost(function: Callable[[Deal], object]) -> float:
        start = process_time()
        for _ in range(REPEATS):
            for state in states:
                function(state)
        return (process_time() - start) / REPEATS / len(states) * 1e6

    return f"{median(cost(call) - cost(lambda _: None) for _ in range(rounds)):.2f} µs"


def records_a_second(rng: Random, rounds: int) -> str:
    """Return how many records a second are read, replayed, checked and written as JSON."""
    lines = [random_record(rng) for _ in range(RECORDS)]

    def rate() -> float:
        start = process_time()
        for line in lines:
            json.dumps(outcome_json(replay(read_record(line))))
        return RECORDS / (process_time() - start)

    return f"{median(rate() for _ in range(rounds)):,.0f} /s"


@click.command()
@click.option("--rounds", default=9, show_default=True, help="Turns of each engine.")
@click.option("--seconds", default=0.4, show_default=True, help="Length of a turn.")
@click.option("--seed", type=int, help="Seed of all engines; random by default.")
def main(rounds: int, seconds: float, seed: int | None) -> None:
    """Compare our engine with others, and time its states and records."""
    console = Console()
    seed = random.randrange(1 << 32) if seed is None else seed
    console.print(f"seed {seed}, {rounds} rounds of {seconds} s for each engine")
    console.print(describe_versions(dict.fromkeys(engine.package for engine in OTHERS)))
    engines = [*OURS, *load_installed(OTHERS, seed, console.print)]
    rng = Random(seed)
    turns = [timed(partial(play_games, play_one, rng), seconds) for _, play_one in engines]
    console.print(engines_table([name for name, _ in engines], take_turns(turns, rounds)))
    rng = Random(seed)
    states = [state for _ in range(60) for state in random_states(rng)]
    details = number_table("\nStates and records", "our engine", "median")
    details.add_row("hash a state", microseconds(hash, states, rounds))
    details.add_row(
        "copy a state, Deal(*state)", microseconds(lambda state: Deal(*state), states, rounds)
    )
    details.add_row("copy a state, copy.copy(state)", microseconds(copy.copy, states, rounds))
    details.add_row("replay records", records_a_second(Random(seed), rounds))
    console.print(details)


if __name__ == "__main__":
    main()
