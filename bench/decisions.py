"""How long a decision of the expert takes at the table, where no compiler helps.

Run it with `python -m bench.decisions`. The expert plays against itself; every choice is timed, by
the processor time of this process.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from statistics import fmean
from typing import Final

import click

from casino.bots.match import play_game
from casino.ecarte import Action, Rng, View
from casino.solver.expert_bot import EFFORT, Expert

PARTS: Final = (50, 90, 99, 99.9)
"""Of so many of 100 decisions it is told how long they take at most."""


class Timed(Expert):
    """An expert who notes how long each decision takes, in milliseconds."""

    def __init__(self, effort: int, taken: list[float]) -> None:
        super().__init__(effort)
        self.taken = taken

    def choose(self, view: View, legal_actions: Sequence[Action], rng: Rng) -> Action:
        """The same decision, timed."""
        began = time.process_time()
        found = super().choose(view, legal_actions, rng)
        self.taken.append(1000 * (time.process_time() - began))
        return found


def told(taken: Sequence[float]) -> str:
    """The mean, what so many of 100 stay below, and the longest."""
    some = sorted(taken)
    parts = (f"{part:g} of 100 below {some[int(len(some) * part / 100)]:.2f}" for part in PARTS)
    return f"mean {fmean(some):.2f} ms, {', '.join(parts)}, longest {some[-1]:.2f}"


@click.command()
@click.option("--games", default=150, show_default=True)
@click.option("--effort", default=EFFORT, show_default=True)
@click.option("--seed", default=1, show_default=True)
def main(games: int, effort: int, seed: int) -> None:
    """Measure and print."""
    taken: list[float] = []
    bot = Timed(effort, taken)
    play_game((bot, bot), seed=0)
    taken.clear()
    for number in range(seed, seed + games):
        play_game((bot, bot), seed=number)
    print(f"{games} games, {len(taken)} decisions: {told(taken)}")


if __name__ == "__main__":
    main()
