"""Random play: our batches beside pgx, OpenSpiel in C++ and Python, and RLCard, in one run.

Run it with `make bench`, or, from the project's folder, `python -m bench.batch`.
"""

import os
from collections.abc import Callable
from importlib import import_module
from itertools import count
from random import Random
from statistics import median
from time import perf_counter, process_time
from typing import Any, NamedTuple

import click
from rich.console import Console

from bench import _laps
from bench._laps import speeds
from bench._rivals import CHANCE, TERMINAL, demand_even_chances, open_spiel
from bench.engines import plain_table, versions
from casino.adapters.batch import Batch

GAMES = 1024
"""How many games stand side by side."""

Load = Callable[[float, int], Callable[[], tuple[int, float]]]
"""Sets an engine up for laps of so many seconds; a lap says how many decisions it made, and in
how many seconds of processor time."""


class Contender(NamedTuple):
    """A row of the table: what is played, the package it needs, whether observations are made."""

    name: str
    package: str
    observed: bool
    load: Load


class Row(NamedTuple):
    """An engine that is ready to play."""

    contender: Contender
    lap: Callable[[], tuple[int, float]]


def ours(observe: bool, opponent: str | None = None) -> Load:
    """Our batches through their public door, one thread."""

    def load(seconds: float, seed: int) -> Callable[[], tuple[int, float]]:
        batch = Batch(GAMES, seed=seed, observe=observe, opponent=opponent)

        def play(steps: int) -> int:
            for _ in range(steps):
                batch.step(batch.random_actions())
            return steps * GAMES

        return _timed(play, seconds)

    return load


def pgx(name: str) -> Load:
    """A game of pgx, batched and compiled by JAX, with its observations and automatic reset."""

    def load(seconds: float, seed: int) -> Callable[[], tuple[int, float]]:
        jax: Any = import_module("jax")
        env: Any = import_module("pgx").make(name)
        auto_reset = import_module("pgx.experimental.wrappers").auto_reset
        step = jax.vmap(auto_reset(env.step, env.init))

        def once(carry: Any, _: object) -> tuple[Any, Any]:
            state, key = carry
            key, ours, theirs = jax.random.split(key, 3)
            chances = jax.numpy.log(state.legal_action_mask.astype(jax.numpy.float32))
            actions = jax.random.categorical(ours, chances, axis=-1)
            state = step(state, actions, jax.random.split(theirs, GAMES))
            return (state, key), state.observation.sum()

        block = jax.jit(lambda carry: jax.lax.scan(once, carry, None, 100))
        keys = jax.random.split(jax.random.PRNGKey(seed), GAMES)
        carry = [(jax.vmap(env.init)(keys), jax.random.PRNGKey(seed + 1))]

        def play(steps: int) -> int:
            for _ in range(steps):
                carry[0], seen = block(carry[0])
            seen.block_until_ready()
            return steps * 100 * GAMES

        play(1)
        return _timed(play, seconds)

    return load


def spiel_in_cpp(seconds: float, seed: int) -> Callable[[], tuple[int, float]]:
    """OpenSpiel's euchre with random bots and the loop in C++."""
    spiel: Any = import_module("pyspiel")
    game = spiel.load_game("euchre")
    bots = [spiel.make_uniform_random_bot(player, seed + player) for player in range(4)]
    seeds = count(seed)
    sample = [_decisions(game, Random(at)) for at in range(200)]
    per_game = sum(sample) / len(sample)

    def play(games: int) -> int:
        for _ in range(games):
            spiel.evaluate_bots(game.new_initial_state(), bots, next(seeds))
        return round(games * per_game)

    return _timed(play, seconds)


def _decisions(game: Any, rng: Random) -> int:
    """How many decisions a random game of OpenSpiel has."""
    state, decisions = game.new_initial_state(), 0
    while (player := state.current_player()) != TERMINAL:
        state.apply_action(rng.choice(state.legal_actions()))
        decisions += player != CHANCE
    return decisions


def spiel_observed(name: str) -> Load:
    """A game of OpenSpiel driven from Python, its tensor read before every decision."""

    def load(seconds: float, seed: int) -> Callable[[], tuple[int, float]]:
        spiel: Any = import_module("pyspiel")
        if name.startswith("python_"):
            import_module("open_spiel.python.games")
        game = spiel.load_game(name)
        demand_even_chances(game.new_initial_state())
        pick = Random(seed).random

        def play(games: int) -> int:
            decisions = 0
            for _ in range(games):
                state = game.new_initial_state()
                while (player := state.current_player()) != TERMINAL:
                    if player != CHANCE:
                        state.information_state_tensor(player)
                        decisions += 1
                    actions = state.legal_actions()
                    state.apply_action(actions[int(pick() * len(actions))])
            return decisions

        return _timed(play, seconds)

    return load


def spiel_driven(name: str) -> Load:
    """A game of OpenSpiel driven from Python without observations, as in `engines.py`."""

    def load(seconds: float, seed: int) -> Callable[[], tuple[int, float]]:
        play_one, rng = open_spiel(name)(seed), Random(seed)
        return _timed(lambda games: _laps.run(play_one, rng, games).decisions, seconds)

    return load


def rlcard(seconds: float, seed: int) -> Callable[[], tuple[int, float]]:
    """RLCard's limit hold'em, the environment with its observations."""
    env: Any = import_module("rlcard").make("limit-holdem", config={"seed": seed})
    pick = Random(seed).random

    def play(games: int) -> int:
        decisions = 0
        for _ in range(games):
            state, _ = env.reset()
            while not env.is_over():
                legal = list(state["legal_actions"])
                state, _ = env.step(legal[int(pick() * len(legal))])
                decisions += 1
        return decisions

    return _timed(play, seconds)


def _timed(play: Callable[[int], int], seconds: float) -> Callable[[], tuple[int, float]]:
    """A lap of about so many seconds; `play` plays a number of rounds and counts decisions."""

    def lap(rounds: int) -> tuple[int, float]:
        start = process_time()
        decisions = play(rounds)
        return decisions, process_time() - start

    rounds = 1
    while (took := lap(rounds)[1]) < seconds / 4:
        rounds *= 2
    rounds = max(1, round(rounds * seconds / took))
    return lambda: lap(rounds)


CONTENDERS = (
    Contender("Écarté batch", "numba", False, ours(observe=False)),
    Contender("Écarté batch", "numba", True, ours(observe=True)),
    Contender("Écarté batch against regle", "numba", True, ours(observe=True, opponent="regle")),
    Contender("pgx Leduc hold'em", "pgx", True, pgx("leduc_holdem")),
    Contender("pgx sparrow mahjong", "pgx", True, pgx("sparrow_mahjong")),
    Contender("OpenSpiel C++ euchre, C++ loop", "pyspiel", False, spiel_in_cpp),
    Contender("OpenSpiel C++ euchre", "pyspiel", False, spiel_driven("euchre")),
    Contender("OpenSpiel C++ euchre", "pyspiel", True, spiel_observed("euchre")),
    Contender("OpenSpiel py Kuhn poker", "pyspiel", True, spiel_observed("python_kuhn_poker")),
    Contender("RLCard limit hold'em", "rlcard", True, rlcard),
)


def ready(seconds: float, seed: int, say: Callable[[str], None]) -> list[Row]:
    """Every contender whose package is here; the others are named."""
    rows = []
    for one in CONTENDERS:
        try:
            rows.append(Row(one, one.load(seconds, seed)))
        except ImportError as error:
            say(f"left out: {one.name}: {one.package} cannot be imported ({error})")
    return rows


def scaling(laps: int, seconds: float, seed: int) -> list[tuple[int, float]]:
    """Decisions a second on a clock, with observations, by one thread, two, four and so on."""
    found = []
    for threads in (1 << power for power in range((os.cpu_count() or 1).bit_length())):
        batch = Batch(4 * GAMES, seed=seed, threads=threads)
        rates: list[float] = []
        steps = 1
        while len(rates) < laps:
            start = perf_counter()
            for _ in range(steps):
                batch.step(batch.random_actions())
            took = perf_counter() - start
            if took < seconds / 4:
                steps *= 2
            else:
                rates.append(steps * 4 * GAMES / took)
        found.append((threads, median(rates)))
    return found


@click.command()
@click.option("--laps", default=9, show_default=True, help="How often each engine has its turn.")
@click.option("--seconds", default=0.4, show_default=True, help="About how long one turn takes.")
@click.option("--seed", default=1, show_default=True, help="The seed of every engine.")
def main(laps: int, seconds: float, seed: int) -> None:
    """Compare random play in batches with other engines, per second of one core."""
    console = Console()
    console.print(f"seed {seed}, {GAMES} games side by side")
    console.print(versions(["numba", "pgx", "jaxlib", "open-spiel", "rlcard"]))
    rows = ready(seconds, seed, console.print)
    found = speeds(rows, laps)
    columns = ("observations", "decisions\n/s", "ours ×")
    table = plain_table("engine", columns, "Random play: medians over the laps")
    for row, speed in zip(rows, found, strict=True):
        own = found[1 if row.contender.observed else 0]
        times = median(mine / theirs for mine, theirs in zip(own, speed, strict=True))
        seen = "yes" if row.contender.observed else "no"
        table.add_row(row.contender.name, seen, f"{median(speed):,.0f}", f"{times:.2f}")
    console.print(table)
    threads = plain_table("threads", ("decisions\n/s", "× one"), "\nOur batch with observations")
    scaled = scaling(laps, seconds, seed)
    for number, rate in scaled:
        threads.add_row(str(number), f"{rate:,.0f}", f"{rate / scaled[0][1]:.2f}")
    console.print(threads)


if __name__ == "__main__":
    main()
