"""The live chance: whether it is true, and how long it takes.

Run it with `python -m bench.live --games 20000`. Two bots play; at every moment that the gallery
sees, the chance of the house is told and counted in its class of 2 %. Of the moments told 70 %,
the house should win 70 of 100 games. One process; compiled code weighs the hands.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from statistics import median
from typing import Any, Final, NamedTuple

import click
import numpy as np

from casino.analysis.compiled import borrowed, compiled
from casino.ecarte.record import read_record
from casino.ecarte.replay import steps
from casino.ecarte.rules import NO_CARD
from casino.ecarte.view import GALLERY, View, view
from casino.expert import compiled as tables
from casino.expert import live, outlook
from casino.simulate.series import SERIES_GAMES, Run, play_series

CLASSES: Final = 50


class Moment(NamedTuple):
    """What the gallery sees, and whether the house wins in the end."""

    seen: View
    won: bool


@compiled
def foresee(
    brain: Any, leaves: Any, scene: Any, forced: Any, effort: Any, key: Any, room: Any, cells: Any
) -> None:
    """`outlook.foresee` in machine code."""
    outlook.foresee(borrowed(brain), leaves, scene, forced, effort, key, room, cells)


def quickly(
    _brain: Any, leaves: Any, scene: Any, forced: int, effort: int, key: int, _room: Any, cells: Any
) -> None:
    """The same, called like the plain function."""
    counted = np.zeros(len(cells), np.int64)
    brain = tables.brain(scene.elder.strict)
    room = np.zeros(32, np.int64)
    foresee(brain, np.array(leaves, np.int64), scene, forced, effort, key, room, counted)
    cells[:] = counted.tolist()


def moments(house: str, challenger: str, games: int, seed: int) -> Iterator[Moment]:
    """Every moment of so many games that the gallery sees."""
    run = Run(games, seed, house, challenger)
    for series in range(run.series):
        for line in play_series(run, series, recording=True).lines.splitlines():
            record = read_record(line)
            won = (record.result or {})["winner"] == "house"
            for step in steps(record):
                if step.deal.turn_up != NO_CARD and not step.deal.game_over:
                    yield Moment(view(step.deal, GALLERY), won)


def told(seen: View, effort: int) -> float:
    """The chance of the house."""
    return live.live_chance(seen.score, seen.dealer, seen.laws, seen, effort).house.win


@click.command()
@click.option("--games", default=2_000, show_default=True)
@click.option("--house", default="expert", show_default=True)
@click.option("--challenger", default="expert", show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--effort", default=live.EFFORT, show_default=True)
def main(games: int, house: str, challenger: str, seed: int, effort: int) -> None:
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
    vars(live)["foresee"] = quickly
    number, won = np.zeros(CLASSES, np.int64), np.zeros(CLASSES, np.int64)
    chances = np.zeros(CLASSES)
    squares = 0.0
    for seen, wins in moments(house, challenger, games, seed):
        chance = told(seen, effort)
        place = min(CLASSES - 1, int(CLASSES * chance))
        number[place] += 1
        won[place] += wins
        chances[place] += chance
        squares += (wins - chance) ** 2
    print(f"{games} games of {house} against {challenger}, {number.sum()} moments, "
          f"mean square {squares / number.sum():.4f}")  # fmt: skip
    print(f"{'told':>8} {'won':>8} {'moments':>9}")
    for place in range(CLASSES):
        if number[place]:
            said, came = chances[place] / number[place], won[place] / number[place]
            print(f"{100 * said:>7.2f}% {100 * came:>7.2f}% {number[place]:>9}")


if __name__ == "__main__":
    main()
