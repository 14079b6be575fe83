"""Whole games in machine code: our compiled games, plain C, OpenSpiel's C++ and PokerKit."""

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from itertools import count
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, NamedTuple

import click
from rich.console import Console

from bench._random_games import EUCHRE, POKERKIT, PlayOne, load_installed, play_games
from bench._timing import Turn, describe_versions, measure_rates, median_ratio, number_table, timed
from casino.ecarte import read_record
from casino.simulate.compiled import game_loop
from casino.simulate.compiled.splitmix import word
from casino.simulate.series import Run, bot_numbers, new_table, play_series

PLAIN_C = Path(__file__).with_name("anchor.c")
PLAIN_C_GAMES_A_SECOND = 1_000_000  # roughly: how many games fill a turn
SEED = 1
SAMPLED_GAMES = 500
COLUMNS = (
    "games\n/s", "decisions\nper game", "decisions\n/s", "ours ×\ngames", "ours ×\ndecisions"
)  # fmt: skip


class Engine(NamedTuple):
    """A row of the table: its name, a turn that counts games, and the decisions of a game."""

    name: str
    turn: Turn
    decisions: float


def compiled(bot: str, seconds: float) -> Engine:
    """Return our compiled games of a bot against itself, on one core."""
    run = Run(SAMPLED_GAMES, SEED, bot, bot)
    table, bots, numbers = new_table(run), bot_numbers(run), count()

    def play(games: int) -> int:
        game_loop.play(table, bots, word(SEED, next(numbers)), 0, games, -1)
        return games

    play(1)  # compiles
    lines = play_series(run, 0, recording=True).lines.splitlines()
    decisions = sum(len(d.actions.split()) for line in lines for d in read_record(line).deals)
    return Engine(f"Écarté compiled, {bot}", timed(play, seconds), decisions / SAMPLED_GAMES)


@contextmanager
def plain_c(seconds: float, decisions: float, say: Callable[[str], None]) -> Iterator[list[Engine]]:
    """Yield the same games in plain C, compiled now, or nothing if there is no compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        say("left out: plain C: there is no compiler cc")
        yield []
        return
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "anchor")
        options = ("-O3", "-march=native", "-o", str(program), str(PLAIN_C))
        subprocess.run([compiler, *options], check=True)
        games, seeds = max(1, int(PLAIN_C_GAMES_A_SECOND * seconds)), count(1)

        def turn() -> tuple[int, float]:
            command = [str(program), str(games), str(next(seeds))]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            return games, float(done.stdout.split()[0])

        yield [Engine("Écarté in plain C, regle", turn, decisions)]


def spiel_games(spiel: Any) -> Callable[[int], int]:
    """Return random euchre whose loop runs in C++ as well: OpenSpiel's bots, evaluated."""
    game = spiel.load_game("euchre")
    bots = [spiel.make_uniform_random_bot(player, SEED + player) for player in range(4)]
    seeds = count(SEED)

    def play(games: int) -> int:
        for _ in range(games):
            spiel.evaluate_bots(game.new_initial_state(), bots, next(seeds))
        return games

    return play


def driven(name: str, play_one: PlayOne, seconds: float) -> Engine:
    """Return another engine driven from Python, as in `engines.py`."""
    play = timed(partial(play_games, play_one, Random(SEED)), seconds)
    sample, _ = play()

    def turn() -> tuple[int, float]:
        played, taken = play()
        return played.games, taken

    return Engine(f"{name}, Python loop", turn, sample.decisions / sample.games)


def others(seconds: float, say: Callable[[str], None]) -> list[Engine]:
    """Return OpenSpiel's euchre, driven from Python and in its own loop, and PokerKit."""
    loaded = load_installed([EUCHRE, POKERKIT], SEED, say)
    engines = [driven(name, play_one, seconds) for name, play_one in loaded]
    if loaded and loaded[0][0] == EUCHRE.name:
        turn = timed(spiel_games(import_module("pyspiel")), seconds)
        engines.insert(0, Engine(f"{EUCHRE.name}, C++ loop", turn, engines[0].decisions))
    return engines


@click.command()
@click.option("--rounds", default=9, show_default=True, help="Turns of each engine.")
@click.option("--seconds", default=0.4, show_default=True, help="Length of a turn.")
def main(rounds: int, seconds: float) -> None:
    """Compare compiled games, on one core each, with plain C and with other engines."""
    console = Console()
    console.print(describe_versions(["numba", "open-spiel", "pokerkit"]))
    ours = [compiled("regle", seconds), compiled("novice", seconds)]
    with plain_c(seconds, ours[0].decisions, console.print) as in_c:
        engines = [*ours, *in_c, *others(seconds, console.print)]
        rates = measure_rates([engine.turn for engine in engines], rounds)
    table = number_table("Whole games on one core: medians over the rounds", "engine", *COLUMNS)
    for engine, rate in zip(engines, rates, strict=True):
        by_games = median_ratio(rates[0], rate)
        table.add_row(
            engine.name,
            f"{median(rate):,.0f}",
            f"{engine.decisions:.1f}",
            f"{median(rate) * engine.decisions:,.0f}",
            f"{by_games:.2f}",
            f"{by_games * engines[0].decisions / engine.decisions:.2f}",
        )
    console.print(table)


if __name__ == "__main__":
    main()
