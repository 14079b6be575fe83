"""All scores solved in passes, each resumed where it was interrupted, and packed into a file."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from casino.ecarte.laws import Laws
from casino.errors import BadInput
from casino.expert.cfr import iterate, observe
from casino.expert.hands import KINDS
from casino.expert.packing import packed
from casino.expert.solve import (
    CELLS,
    Leaves,
    Score,
    Worths,
    fresh,
    leaf_worths,
    measure,
    scores,
)
from casino.expert.stages import MOST, TARGET, WORDS
from casino.expert.tables import pack

CHUNK: Final = 50_000
"""Iterations between two words of how far it has come."""

TRUST: Final = 30_000.0
"""How much the strategy of the score solved before counts where a new one begins."""

LEARN_BOTH: Final = 3
_SEEDS: Final = 1_000


class Plan(NamedTuple):
    """What is to be solved: the laws, iterations for each score in each pass, deals measured."""

    laws: Laws = Laws()
    passes: tuple[int, ...] = (330_000, 900_000, 800_000)
    measured: int = 300_000
    seed: int = 1

    def check(self) -> None:
        """Refuse laws that the solver does not know."""
        usual = Laws()._replace(vole_unexchanged=self.laws.vole_unexchanged, deal=self.laws.deal)
        known = usual._replace(packets=self.laws.packets, first_dealer=self.laws.first_dealer)
        if self.laws != known:
            raise BadInput(
                f"the exchanges are solved for games to {TARGET} under the strict law of play: "
                "change law.vole_unexchanged or law.deal alone"
            )


class Solved(NamedTuple):
    """What is known of a score: regrets, the sums of strategies, iterations, where deals end."""

    regret: NDArray[np.float32]
    total: NDArray[np.float32]
    cells: NDArray[np.int64]
    iterations: int
    passed: int


def solve(
    plan: Plan, leaves: Leaves, folder: Path, done: Callable[[int, str], object]
) -> dict[Score, Solved]:
    """Solve all scores; what is finished is kept in a folder and not done again.

    `done` is told of every chunk of iterations, and of the score they were for.
    """
    plan.check()
    found: dict[Score, Solved] = {}
    for number in range(1, len(plan.passes) + 1):
        worths, before = Worths(plan.laws), dict[bool, Solved]()
        for place, score in enumerate(scores(plan.laws.target)):
            leaf = leaf_worths(score, worths, leaves)
            file = folder / f"{score.elder}-{score.dealer}{'-king' if score.king else ''}.npz"
            known = _load(file)
            if known is None or known.passed < number:
                seed = plan.seed * _SEEDS + number * 100 + place
                known = _improve(plan, number, (score, leaf, seed), (known, before), done)
                _save(file, known)
            else:
                done(plan.passes[number - 1], _name(score))
            worths.found[score] = float((known.cells * leaf).sum() / known.cells.sum())
            before[score.king] = found[score] = known
    return found


def _improve(
    plan: Plan,
    number: int,
    what: tuple[Score, Any, int],
    known: tuple[Solved | None, Mapping[bool, Solved]],
    done: Callable[[int, str], object],
) -> Solved:
    """One pass over one score, which begins where the last one ended, or with a neighbour's."""
    (score, leaf, seed), (old, before) = what, known
    solver = fresh(leaf, score.king, seed)
    first = 0
    if old is not None:
        solver.regret[:] = old.regret
        first = old.iterations
    elif score.king in before:
        solver.regret[:] = TRUST * _shares(before[score.king].total)
        first = int(TRUST)
    left = plan.passes[number - 1]
    while left > 0:
        some = min(CHUNK, left)
        iterate(solver, LEARN_BOTH, first, some)
        first, left = first + some, left - some
        done(some, _name(score))
    cells = measure(solver, plan.measured)
    return Solved(solver.regret, solver.total, cells, first, number)


def tables_of(plan: Plan, found: Mapping[Score, Solved], leaves: Leaves, rests: bytes) -> bytes:
    """The file of tables of what was solved."""
    seen = np.zeros((2, MOST, KINDS), np.int64)
    for place, (score, known) in enumerate(found.items()):
        solver = fresh(np.zeros(CELLS, np.float32), score.king, plan.seed * _SEEDS + place)
        observe(solver._replace(regret=known.total.copy()), plan.measured // 8, seen)
    totals = {score: known.total for score, known in found.items()}
    cells = {score: known.cells for score, known in found.items()}
    about = {"seed": plan.seed, "leaves": [round(one, 6) for one in leaves.reshape(-1).tolist()]}
    return pack(packed(totals, cells, seen, leaves, plan.laws, rests), about)


def _shares(total: NDArray[np.float32]) -> Any:
    """The average strategy that sums of strategies come to."""
    cut = 2 * WORDS * KINDS
    parts = (total[:cut].reshape(-1, 2), total[cut:].reshape(-1, MOST))
    whole = [part / np.maximum(part.sum(axis=1, keepdims=True), 1e-9) for part in parts]
    return np.concatenate([part.reshape(-1) for part in whole])


def _load(file: Path) -> Solved | None:
    """What was kept of a score, if anything was."""
    if not file.exists():
        return None
    try:
        with np.load(file) as kept:
            passed, iterations = int(kept["passed"]), int(kept["iterations"])
            return Solved(kept["regret"], kept["total"], kept["cells"], iterations, passed)
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        raise BadInput(f"{file}: is not what solve has kept: remove it") from None


def _save(file: Path, known: Solved) -> None:
    """Keep what is known of a score; a crash leaves the file before or the new one."""
    fresh_file = file.with_name("new.npz")
    np.savez(
        fresh_file,
        regret=known.regret,
        total=known.total,
        cells=known.cells,
        iterations=known.iterations,
        passed=known.passed,
    )
    fresh_file.replace(file)


def _name(score: Score) -> str:
    """A score as a person writes it."""
    return f"{score.elder}-{score.dealer}" + (", a king turned up" if score.king else "")
