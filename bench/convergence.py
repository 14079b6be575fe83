"""How the exchange strategies converge: what a best response gains after so many iterations.

Run it with `make bench`; `python -m bench.convergence -o convergence.svg` also draws it. A score
is solved alone, from nothing; what follows the deal is worth what the shipped tables say. After
each number of iterations either side learns against the average strategy as `bench.best_response`
does; the shipped tables, which were packed besides, stand beside the curves. One core, a minute
for each dot.
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
from casino.solver.policy.tables import game_of
from casino.solver.training.cfr import DealScore, iterate, new_solver
from casino.solver.training.run import LEARN_BOTH, average_strategy

POINTS: Final = (30_000, 100_000, 300_000, 1_000_000, 3_000_000)
SCORES: Final = ("0-0", "3-3")
SHIPPED: Final = 3_000_000
"""Iterations of each score in the shipped tables."""


def curve(leaf: Any, points: list[int], iterations: int, walks: int) -> list[list[Gain]]:
    """What elder and dealer gain after each number of iterations."""
    solver, found = new_solver(leaf, False, 1), []
    for before, after in pairwise((0, *points)):
        iterate(solver, LEARN_BOTH, before, after - before)
        found.append(gains(leaf, average_strategy(solver.total), iterations, walks)[1])
    return found


@click.command()
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Draw it, too.")
@click.option("--most", default=POINTS[-1], show_default=True, help="Iterations at most.")
@click.option("--iterations", default=ITERATIONS, show_default=True, help="Of a best response.")
@click.option("--walks", default=WALKS, show_default=True, help="Deals that weigh one.")
@click.argument("scores_wanted", nargs=-1)
def main(
    output: Path | None, most: int, iterations: int, walks: int, scores_wanted: tuple[str, ...]
) -> None:
    """Measure, print and draw."""
    found, points = tables.load_packed(), [point for point in POINTS if point <= most]
    mpl.rcParams["svg.hashsalt"] = "convergence"
    picture = Figure(figsize=(7, 4.2), layout="constrained")
    axes = picture.subplots()
    print(f"{'score':>6} {'iterations':>10} {'elder gains':>20} {'dealer gains':>20}")
    for number, name in enumerate(scores_wanted or SCORES):
        elder, dealer = map(int, name.split("-"))
        leaf = leaf_of(found, DealScore(elder, dealer, False))
        rows = curve(leaf, points, iterations, walks)
        both = strategies(found, game_of(elder, dealer, found.target, False, found.target))
        shipped = gains(leaf, both, iterations, walks)[1]
        for point, row in zip((*points, SHIPPED), (*rows, shipped), strict=True):
            print(f"{name:>6} {point:>10} {row[0]!s:>20} {row[1]!s:>20}", flush=True)
        for side, line in enumerate(("-", "--")):
            who, colour = ("elder", "dealer")[side], f"C{number}"
            means, doubts = zip(*(row[side] for row in rows), strict=True)
            axes.errorbar(points, means, doubts, color=colour, ls=line, label=f"{name}, the {who}")
            axes.plot(SHIPPED, shipped[side].mean, "o" if line == "-" else "s", color=colour)
    axes.set(
        xscale="log", yscale="log", xlabel="iterations", ylabel="gained in a deal, parts of a game"
    )
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, title="dots: the shipped tables")
    if output is not None:
        picture.savefig(output, metadata={"Date": None})


if __name__ == "__main__":
    main()
