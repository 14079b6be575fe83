"""Random play in batches: `casino.adapters.batch`, pgx, OpenSpiel in C++ and Python, and RLCard."""

import os
from collections.abc import Callable
from functools import partial
from importlib import import_module
from random import Random
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

import click
from rich.console import Console

from bench._random_games import CHANCE, TERMINAL, load_spiel, open_spiel, play_games
from bench._timing import Turn, describe_versions, measure_rates, median_ratio, number_table, timed
from bench.simulate import spiel_games
from casino.adapters.batch import Batch

GAMES = 1024  # side by side
SEED = 1
PGX_STEPS = 100  # in one call of compiled code

Play = Callable[[int], int]
"""Plays as often as it is asked to; returns the number of decisions."""


class Contestant(NamedTuple):
    """A row of the table: what is played, its package, whether it makes observations."""

    name: str
    package: str
    observes: bool
    load: Callable[[], Play]


def ours(games: int = GAMES, **options: Any) -> Play:
    """Return our batches, through their public interface."""
    batch = Batch(games, seed=SEED, **options)

    def play(steps: int) -> int:
        for _ in range(steps):
            batch.step(batch.random_actions())
        return steps * games

    return play


def pgx(name: str) -> Play:
    """Return a game of pgx, batched and compiled by JAX, with observations and automatic reset."""
    jax: Any = import_module("jax")
    env: Any = import_module("pgx").make(name)
    auto_reset = import_module("pgx.experimental.wrappers").auto_reset
    step = jax.vmap(auto_reset(env.step, env.init))

    def play_step(carry: Any, _: object) -> tuple[Any, Any]:
        state, key = carry
        key, ours, theirs = jax.random.split(key, 3)
        logits = jax.numpy.log(state.legal_action_mask.astype(jax.numpy.float32))
        actions = jax.random.categorical(ours, logits, axis=-1)
        state = step(state, actions, jax.random.split(theirs, GAMES))
        return (state, key), state.observation.sum()

    block = jax.jit(lambda carry: jax.lax.scan(play_step, carry, None, PGX_STEPS))
    keys = jax.random.split(jax.random.PRNGKey(SEED), GAMES)
    carry = [(jax.vmap(env.init)(keys), jax.random.PRNGKey(SEED + 1))]

    def play(blocks: int) -> int:
        for _ in range(blocks):
            carry[0], observed = block(carry[0])
        observed.block_until_ready()
        return blocks * PGX_STEPS * GAMES

    play(1)  # compiles
    return play


def spiel_in_cpp() -> Play:
    """Return OpenSpiel's euchre with random bots and the loop in C++."""
    play = spiel_games(import_module("pyspiel"))
    sample = play_games(open_spiel("euchre")(SEED), Random(SEED), 200)
    return lambda games: round(play(games) * sample.decisions / sample.games)


def spiel_driven(name: str) -> Play:
    """Return a game of OpenSpiel driven from Python without observations, as in `engines.py`."""
    play_one, rng = open_spiel(name)(SEED), Random(SEED)
    return lambda games: play_games(play_one, rng, games).decisions


def spiel_observed(name: str) -> Play:
    """Return a game of OpenSpiel driven from Python, its tensor read before every decision."""
    game, pick = load_spiel(name), Random(SEED).random

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

    return play


def rlcard() -> Play:
    """Return RLCard's limit hold'em, the environment with its observations."""
    env: Any = import_module("rlcard").make("limit-holdem", config={"seed": SEED})
    pick = Random(SEED).random

    def play(games: int) -> int:
        decisions = 0
        for _ in range(games):
            state, _ = env.reset()
            while not env.is_over():
                legal = list(state["legal_actions"])
                state, _ = env.step(legal[int(pick() * len(legal))])
                decisions += 1
        return decisions

    return play


CONTESTANTS = (
    Contestant("Écarté", "numba", False, partial(ours, observe=False)),
    Contestant("Écarté", "numba", True, ours),
    Contestant("Écarté against regle", "numba", True, partial(ours, opponent="regle")),
    Contestant("pgx Leduc hold'em", "pgx", True, partial(pgx, "leduc_holdem")),
    Contestant("pgx sparrow mahjong", "pgx", True, partial(pgx, "sparrow_mahjong")),
    Contestant("OpenSpiel C++ euchre, C++ loop", "pyspiel", False, spiel_in_cpp),
    Contestant("OpenSpiel C++ euchre", "pyspiel", False, partial(spiel_driven, "euchre")),
    Contestant("OpenSpiel C++ euchre", "pyspiel", True, partial(spiel_observed, "euchre")),
    Contestant(
        "OpenSpiel py Kuhn poker", "pyspiel", True, partial(spiel_observed, "python_kuhn_poker")
    ),
    Contestant("RLCard limit hold'em", "rlcard", True, rlcard),
)


def load_installed(
    seconds: float, say: Callable[[str], None]
) -> tuple[list[Contestant], list[Turn]]:
    """Load the contestants whose packages are installed, and name the others."""
    loaded, turns = list[Contestant](), list[Turn]()
    for contestant in CONTESTANTS:
        try:
            turns.append(timed(contestant.load(), seconds))
            loaded.append(contestant)
        except ImportError as error:
            say(f"left out: {contestant.name}: {contestant.package} cannot be imported ({error})")
    return loaded, turns


def clock_rate(threads: int, rounds: int, seconds: float) -> float:
    """Return the decisions per second of the clock of a batch with observations."""
    play = ours(4 * GAMES, threads=threads)
    play(1)  # compiles
    rates: list[float] = []
    steps = 1
    while len(rates) < rounds:
        start = perf_counter()
        decisions = play(steps)
        taken = perf_counter() - start
        if taken < seconds / 4:
            steps *= 2
        else:
            rates.append(decisions / taken)
    return median(rates)


@click.command()
@click.option("--rounds", default=9, show_default=True, help="Turns of each engine.")
@click.option("--seconds", default=0.4, show_default=True, help="Length of a turn.")
def main(rounds: int, seconds: float) -> None:
    """Compare random play in batches with other engines, per second of one core."""
    console = Console()
    console.print(f"{GAMES} games side by side")
    console.print(describe_versions(["numba", "pgx", "jaxlib", "open-spiel", "rlcard"]))
    contestants, turns = load_installed(seconds, console.print)
    rates = measure_rates(turns, rounds)
    columns = ("engine", "observations", "decisions\n/s", "ours ×")
    table = number_table("Random play: medians over the rounds", *columns)
    for contestant, rate in zip(contestants, rates, strict=True):
        times = median_ratio(rates[contestant.observes], rate)
        observes = "yes" if contestant.observes else "no"
        table.add_row(contestant.name, observes, f"{median(rate):,.0f}", f"{times:.2f}")
    console.print(table)
    scaling = number_table(
        "\nOur batch with observations", "threads", "decisions\n/s", "× one thread"
    )
    numbers = [1 << power for power in range((os.cpu_count() or 1).bit_length())]
    scaled = [clock_rate(threads, rounds, seconds) for threads in numbers]
    for threads, clocked in zip(numbers, scaled, strict=True):
        scaling.add_row(str(threads), f"{clocked:,.0f}", f"{clocked / scaled[0]:.2f}")
    console.print(scaling)


if __name__ == "__main__":
    main()
