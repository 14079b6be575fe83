"""Whole games in machine code: ours beside plain C, OpenSpiel's C++ and PokerKit, in one run.

Run it with `make bench`, or, from the project's folder, `python -m bench.simulate`.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import count
from pathlib import Path
from random import Random
from statistics import median
from time import process_time
from typing import Any, NamedTuple

import click
from rich.console import Console

from bench import _laps
from bench._laps import speeds
from bench._rivals import RIVALS, Rival
from bench.engines import load_rivals, plain_table, versions
from casino.ecarte import read_record
from casino.simulate.compiled import game_loop
from casino.simulate.compiled.splitmix import word
from casino.simulate.series import Run, bot_numbers, new_table, play_series

Lap = Callable[[], tuple[int, float]]
"""Plays for a while; returns how many games and in how many seconds of processor time."""

ANCHOR = Path(__file__).with_name("anchor.c")
COLUMNS = (
    "games\n/s",
    "decisions\nper game",
    "decisions\n/s",
    "ours ×\ngames",
    "ours ×\ndecisions",
)
EUCHRE = "OpenSpiel C++ euchre"


class Engine(NamedTuple):
    """A row of the table: its name, a lap of it, and how many decisions its games have."""

    name: str
    lap: Lap
    decisions: float


def ours(bot: str, games: int, seed: int) -> Engine:
    """Our compiled games of a bot against itself, one core."""
    run = Run(games, seed, bot, bot)
    table, bots, numbers = new_table(run), bot_numbers(run), count()

    def lap() -> tuple[int, float]:
        start = process_time()
        game_loop.play(table, bots, word(seed, next(numbers)), 0, games, -1)
        return games, process_time() - start

    lap()
    return Engine(f"Écarté compiled, {bot}", lap, decisions_of(bot, seed))


def decisions_of(bot: str, seed: int, games: int = 500) -> float:
    """How many decisions there are in a game of a bot against itself."""
    lines = play_series(Run(games, seed, bot, bot), 0, recording=True).lines.splitlines()
    return sum(len(d.actions.split()) for line in lines for d in read_record(line).deals) / games


@contextmanager
def anchor(games: int, decisions: float, say: Callable[[str], None]) -> Iterator[list[Engine]]:
    """The same games in plain C, compiled now; nothing if there is no compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        say("left out: plain C: there is no compiler cc")
        yield []
        return
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "anchor")
        options = ("-O3", "-march=native", "-o", str(program), str(ANCHOR))
        subprocess.run([compiler, *options], check=True)
        seeds = count(1)

        def lap() -> tuple[int, float]:
            command = [str(program), str(games), str(next(seeds))]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            return games, float(done.stdout.split()[0])

        yield [Engine("Écarté in plain C, regle", lap, decisions)]


def inside_open_spiel(games: int, seed: int, decisions: float) -> Engine:
    """Random euchre whose loop runs in C++ as well: OpenSpiel's bots, evaluated."""
    spiel: Any = import_module("pyspiel")
    game = spiel.load_game("euchre")
    bots = [spiel.make_uniform_random_bot(player, seed + player) for player in range(4)]
    seeds = count(seed)

    def lap() -> tuple[int, float]:
        start = process_time()
        for _ in range(games):
            spiel.evaluate_bots(game.new_initial_state(), bots, next(seeds))
        return games, process_time() - start

    return Engine("OpenSpiel C++ euchre, C++ loop", lap, decisions)


def rival(name: str, play_one: _laps.PlayOne, seconds: float, seed: int) -> Engine:
    """Another engine driven from Python, as in `engines.py`."""
    rng = Random(seed)
    games = _laps.games_within(play_one, rng, seconds)
    sample = _laps.run(play_one, rng, games)

    def lap() -> tuple[int, float]:
        done = _laps.run(play_one, rng, games)
        return done.games, done.seconds

    return Engine(f"{name}, Python loop", lap, sample.decisions / sample.games)


def others(seconds: float, seed: int, say: Callable[[str], None]) -> list[Engine]:
    """OpenSpiel's euchre, driven from Python and in its own loop, and PokerKit."""
    wanted: list[Rival] = [one for one in RIVALS if one.name == EUCHRE or "PokerKit" in one.name]
    found = [rival(name, play, seconds, seed) for name, play in load_rivals(wanted, seed, say)]
    for engine in found:
        if engine.name.startswith(EUCHRE):
            return [inside_open_spiel(int(90_000 * seconds), seed, engine.decisions), *found]
    return found


@click.command()
@click.option("--laps", default=9, show_default=True, help="How often each engine has its turn.")
@click.option("--seconds", default=0.4, show_default=True, help="About how long one turn takes.")
@click.option("--seed", default=1, show_default=True, help="The seed of every engine.")
def main(laps: int, seconds: float, seed: int) -> None:
    """Compare compiled games, one core each, with plain C and with other engines."""
    console = Console()
    console.print(versions(["numba", "open-spiel", "pokerkit"]))
    games = max(1, int(1_000_000 * seconds))
    mine = [ours("regle", games, seed), ours("novice", games, seed)]
    with anchor(games, mine[0].decisions, console.print) as plain_c:
        engines = [*mine, *plain_c, *others(seconds, seed, console.print)]
        found = speeds(engines, laps)
    table = plain_table("engine", COLUMNS, "Whole games on one core: medians over the laps")
    for engine, speed in zip(engines, found, strict=True):
        per_game = median(a / b for a, b in zip(found[0], speed, strict=True))
        per_decision = per_game * engines[0].decisions / engine.decisions
        table.add_row(
            engine.name,
            f"{median(speed):,.0f}",
            f"{engine.decisions:.1f}",
            f"{median(speed) * engine.decisions:,.0f}",
            f"{per_game:.2f}",
            f"{per_decision:.2f}",
        )
    console.print(table)


if __name__ == "__main__":
    main()
