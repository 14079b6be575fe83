"""How the exchange strategies converge: what a best response gains after so many iterations.

Run it with `python -m bench.convergence -o docs/pictures/convergence.svg`. A score is solved alone,
from nothing; what follows the deal is worth what the shipped tables say. After each number of
iterations either side learns against the average strategy as `bench.best_response` does; the
shipped tables, which were packed besides, stand beside the curves. One core, a minute for each dot.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import click
import matplotlib as mpl
from matplotlib.figure import Figure

from bench.best_response import ITERATIONS, WALKS, Gain, gains, leaf_of, strategies
from casino.solver.policy import tables
from casino.solver.policy.infosets import game_of
from casino.solver.training.cfr import iterate
from casino.solver.training.deal_solver import DealScore, new_solver
from casino.solver.training.run import LEARN_BOTH, average_strategy

POINTS: Final = (30_000, 100_000, 300_000, 1_000_000, 3_000_000)
SCORES: Final = ("0-0", "3-3")
SHIPPED: Final = 3_000_000
"""Iterations of each score in the shipped tables."""


def curve(leaf: Any) -> list[list[Gain]]:
    """What elder and dealer gain after each number of iterations."""
    solver, found = new_solver(leaf, False, 1), []
    for before, after in pairwise((0, *POINTS)):
        iterate(solver, LEARN_BOTH, before, after - before)
        found.append(gains(leaf, average_strategy(solver.total), ITERATIONS, WALKS)[1])
    return found


@click.command()
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True)
@click.argument("scores_wanted", nargs=-1)
def main(output: Path, scores_wanted: tuple[str, ...]) -> None:
    """Measure, print and draw."""
    found = tables.load_packed()
    mpl.rcParams["svg.hashsalt"] = "convergence"
    picture = Figure(figsize=(7, 4.2), layout="constrained")
    axes = picture.subplots()
    print(f"{'score':>6} {'iterations':>10} {'elder gains':>20} {'dealer gains':>20}")
    for number, name in enumerate(scores_wanted or SCORES):
        elder, dealer = map(int, name.split("-"))
        leaf = leaf_of(found, DealScore(elder, dealer, False))
        rows = curve(leaf)
        both = strategies(found, game_of(elder, dealer, found.target, False, found.target))
        shipped = gains(leaf, both, ITERATIONS, WALKS)[1]
        for iterations, row in zip((*POINTS, SHIPPED), (*rows, shipped), strict=True):
            print(f"{name:>6} {iterations:>10} {row[0]!s:>20} {row[1]!s:>20}", flush=True)
        for side, line in enumerate(("-", "--")):
            who, colour = ("elder", "dealer")[side], f"C{number}"
            means, doubts = zip(*(row[side] for row in rows), strict=True)
            axes.errorbar(POINTS, means, doubts, color=colour, ls=line, label=f"{name}, the {who}")
            axes.plot(SHIPPED, shipped[side].mean, "o" if line == "-" else "s", color=colour)
    axes.set(
        xscale="log", yscale="log", xlabel="iterations", ylabel="gained in a deal, parts of a game"
    )
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, title="dots: the shipped tables")
    picture.savefig(output, metadata={"Date": None})


if __name__ == "__main__":
    main()
