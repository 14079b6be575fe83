"""The live win probability: how often it comes true, and how long it takes to compute.

Two experts play. At the moments that spectators see, the house's win probability is computed and
counted in its class: of the moments at 70 %, the house should win 70 of 100 games. The time is that
of plain Python; compiled code then computes the rest: `--games 100000 --every 4` takes hours.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Iterator
from itertools import count
from typing import Any, Final, NamedTuple

import click
import numpy as np
from rich.console import Console

from bench._timing import number_table
from casino.analysis.numba_support import borrow, compiled
from casino.ecarte import GALLERY, NO_CARD, View, read_record, replay_steps, view
from casino.simulate.series import SERIES_GAMES, Run, play_series
from casino.solver.evaluation import advice, rollout, win_probability
from casino.solver.policy import compiled_tables as tables

REPORT_GAMES: Final = 10_000  # between two reports of a long run
TIMED_GAMES: Final = 12
CLASSES: Final = 10
SEED: Final = 1


class Moment(NamedTuple):
    """The number of a game, what spectators see in it, and whether the house wins it."""

    game: int
    seen: View
    won: bool


class Class(NamedTuple):
    """Moments of about the same probability: the mean, the share won, two standard errors."""

    predicted: float
    won: float
    error: float
    moments: int


@compiled
def _roll_out(
    policy: Any, leaves: Any, belief: Any, forced: Any, effort: Any, key: Any, room: Any, bins: Any
) -> None:
    rollout.roll_out(borrow(policy), leaves, belief, forced, effort, key, room, bins)


def compiled_roll_out(
    _policy: Any,
    leaves: Any,
    belief: Any,
    forced: int,
    effort: int,
    key: int,
    _room: Any,
    bins: Any,
) -> None:
    """Do what `rollout.roll_out` does, in machine code."""
    totals, room = np.zeros(len(bins), np.int64), np.zeros(32, np.int64)
    policy = tables.policy_tables(belief.elder.strict)
    _roll_out(policy, np.array(leaves, np.int64), belief, forced, effort, key, room, totals)
    bins[:] = totals.tolist()


def moments(games: int, seed: int, every: int = 1) -> Iterator[Moment]:
    """Yield each `every`th moment of games between two experts."""
    run, number, game = Run(games, seed, "expert", "expert"), count(), count()
    for series in range(run.series):
        for line in play_series(run, series, recording=True).lines.splitlines():
            record, at = read_record(line), next(game)
            won = (record.result or {})["winner"] == "house"
            for step in replay_steps(record):
                if step.deal.turn_up == NO_CARD or step.deal.game_over:
                    continue
                if next(number) % every == 0:
                    yield Moment(at, view(step.deal, GALLERY), won)


def house_probability(seen: View) -> float:
    return win_probability.live_probabilities(seen.score, seen.dealer, seen.laws, seen).house.win


def calibration(chances: Any, won: Any, games: Any) -> list[Class]:
    """Sort moments into classes by probability.

    The moments of one game end alike, so the errors are summed by games.
    """
    class_of = np.minimum(CLASSES - 1, (np.asarray(chances) * CLASSES).astype(np.int64))
    numbers = np.bincount(class_of, minlength=CLASSES)
    predicted, wins = (np.bincount(class_of, values, CLASSES) for values in (chances, won))
    by_game = np.asarray(games) * CLASSES + class_of
    errors = np.bincount(by_game, np.asarray(won, np.float64) - chances)
    errors.resize(-(-len(errors) // CLASSES) * CLASSES, refcheck=False)
    squares = (errors.reshape(-1, CLASSES) ** 2).sum(axis=0)
    return [
        Class(predicted[at] / number, wins[at] / number, 2 * squares[at] ** 0.5 / number, number)
        for at, number in enumerate(numbers.tolist())
        if number
    ]


def report(chances: Any, won: Any, games: Any) -> None:
    """Print the classes of the moments so far."""
    loss = np.mean((np.asarray(won, np.float64) - chances) ** 2)
    title = f"{games[-1] + 1} games, {len(chances)} moments, mean square error {loss:.4f}"
    table = number_table(title, "predicted", "won", "difference", "moments")
    for each in calibration(chances, won, games):
        difference = f"{100 * (each.won - each.predicted):+.2f} ± {100 * each.error:.2f} %"
        predicted, share = f"{100 * each.predicted:.2f} %", f"{100 * each.won:.2f} %"
        table.add_row(predicted, share, difference, str(each.moments))
    Console().print(table)


@click.command()
@click.option("--games", default=2_000, show_default=True)
@click.option("--every", default=1, show_default=True, help="Count one of this many moments.")
def main(games: int, every: int) -> None:
    """Measure and print."""
    times = []
    for moment in moments(TIMED_GAMES, SEED + SERIES_GAMES):
        began = time.process_time()
        house_probability(moment.seen)
        times.append(1000 * (time.process_time() - began))
    median, p99 = np.percentile(times, [50, 99])
    print(f"plain Python: median {median:.2f} ms, p99 {p99:.2f} ms of {len(times)} moments")
    vars(advice)["roll_out"] = compiled_roll_out
    chances, won, of_game = array("d"), array("b"), array("q")
    for moment in moments(games, SEED, every):
        if of_game and moment.game > of_game[-1] and moment.game % REPORT_GAMES == 0:
            report(chances, won, of_game)
        chances.append(house_probability(moment.seen))
        won.append(moment.won)
        of_game.append(moment.game)
    report(chances, won, of_game)


if __name__ == "__main__":
    main()
