"""The live chance: whether it is true, and how long it takes.

Run it with `python -m bench.live --games 100000 --every 4`. Two bots play; at the moments that the
gallery sees, the chance of the house is told and counted in its class. Of the moments told 70 %,
the house should win 70 of 100 games. One process; compiled code weighs the hands.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Iterator
from itertools import count
from statistics import median
from typing import Any, Final, NamedTuple

import click
import numpy as np

from casino.analysis.numba_support import borrow, compiled
from casino.ecarte import GALLERY, NO_CARD, View, read_record, replay_steps, view
from casino.simulate.series import SERIES_GAMES, Run, play_series
from casino.solver.evaluation import rollout, win_probability
from casino.solver.policy import compiled_tables as tables

REPORTED: Final = 10_000
"""Games between two reports of a long run."""


class Moment(NamedTuple):
    """What the gallery sees in a game of a run, and whether the house wins it in the end."""

    game: int
    seen: View
    won: bool


class Class(NamedTuple):
    """Moments told about the same: the mean told, the share won, its doubt, and how many."""

    told: float
    won: float
    doubt: float
    moments: int


@compiled
def foresee(
    brain: Any, leaves: Any, scene: Any, forced: Any, effort: Any, key: Any, room: Any, cells: Any
) -> None:
    """`outlook.foresee` in machine code."""
    rollout.roll_out(borrow(brain), leaves, scene, forced, effort, key, room, cells)


def quickly(
    _brain: Any, leaves: Any, scene: Any, forced: int, effort: int, key: int, _room: Any, cells: Any
) -> None:
    """The same, called like the plain function."""
    counted = np.zeros(len(cells), np.int64)
    brain = tables.policy_tables(scene.elder.strict)
    room = np.zeros(32, np.int64)
    foresee(brain, np.array(leaves, np.int64), scene, forced, effort, key, room, counted)
    cells[:] = counted.tolist()


def moments(house: str, challenger: str, games: int, seed: int, every: int = 1) -> Iterator[Moment]:
    """Of the moments of so many games that the gallery sees, one of every so many."""
    run, number, game = Run(games, seed, house, challenger), count(), count()
    for series in range(run.series):
        for line in play_series(run, series, recording=True).lines.splitlines():
            record, at = read_record(line), next(game)
            won = (record.result or {})["winner"] == "house"
            for step in replay_steps(record):
                if step.deal.turn_up == NO_CARD or step.deal.game_over:
                    continue
                if next(number) % every == 0:
                    yield Moment(at, view(step.deal, GALLERY), won)


def calibration(chances: Any, won: Any, games: Any, classes: int) -> list[Class]:
    """What became of the moments told about the same; the doubt is two standard errors.

    The moments of one game end alike, so the errors are summed up by games.
    """
    place = np.minimum(classes - 1, (np.asarray(chances) * classes).astype(np.int64))
    number = np.bincount(place, minlength=classes)
    sums = [np.bincount(place, some, classes) for some in (chances, won)]
    by_game = np.asarray(games) * classes + place
    errors = np.bincount(by_game, np.asarray(won, np.float64) - chances)
    errors.resize(-(-len(errors) // classes) * classes, refcheck=False)
    squares = (errors.reshape(-1, classes) ** 2).sum(axis=0)
    return [
        Class(sums[0][at] / many, sums[1][at] / many, 2 * squares[at] ** 0.5 / many, int(many))
        for at, many in enumerate(number)
        if many
    ]


def told(seen: View, effort: int) -> float:
    """The chance of the house."""
    return win_probability.live_probabilities(
        seen.score, seen.dealer, seen.laws, seen, effort
    ).house.win


def report(chances: Any, won: Any, games: Any, classes: int) -> None:
    """Print the classes of the moments so far."""
    loss = np.mean((np.asarray(won, np.float64) - chances) ** 2)
    print(f"{games[-1] + 1} games, {len(chances)} moments, mean square {loss:.4f}")
    print(f"{'told':>8} {'won':>8} {'more':>15} {'moments':>9}")
    for one in calibration(chances, won, games, classes):
        more = f"{100 * (one.won - one.told):+.2f} ± {100 * one.doubt:.2f} %"
        print(f"{100 * one.told:>7.2f}% {100 * one.won:>7.2f}% {more:>15} {one.moments:>9}",
              flush=True)  # fmt: skip


@click.command()
@click.option("--games", default=2_000, show_default=True)
@click.option("--every", default=1, show_default=True, help="Tell one of so many moments.")
@click.option("--classes", default=10, show_default=True)
@click.option("--house", default="expert", show_default=True)
@click.option("--challenger", default="expert", show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--effort", default=win_probability.EFFORT, show_default=True)
def main(
    games: int, every: int, classes: int, house: str, challenger: str, seed: int, effort: int
) -> None:
    """Measure and print."""
    some = [one.seen for one in moments(house, challenger, 12, seed + SERIES_GAMES)]
    taken = []
    for seen in some:
        began = time.process_time()
        told(seen, effort)
        taken.append(1000 * (time.process_time() - began))
    taken.sort()
    most = taken[len(taken) * 99 // 100]
    print(f"plain Python: median {median(taken):.2f} ms, 99 of 100 below {most:.2f} ms "
          f"({len(taken)} moments, processor time)")  # fmt: skip
    vars(win_probability)["foresee"] = quickly
    print(f"{house} against {challenger}, seed {seed}, one of {every} moments")
    chances, won, of_game = array("d"), array("b"), array("q")
    for one in moments(house, challenger, games, seed, every):
        if of_game and one.game > of_game[-1] and one.game % REPORTED == 0:
            report(chances, won, of_game, classes)
        chances.append(told(one.seen, effort))
        won.append(one.won)
        of_game.append(one.game)
    report(chances, won, of_game, classes)


if __name__ == "__main__":
    main()
