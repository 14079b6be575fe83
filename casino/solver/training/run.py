"""Solve all scores in resumable passes, and pack the result into a table file.

A packed table stores one byte for each decision; probabilities are stored as ints.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from casino.ecarte import Laws, laws_json
from casino.errors import InputError
from casino.solver.evaluation import hand_chart
from casino.solver.policy import tables
from casino.solver.policy.play_policy import DRAWN_STEPS
from casino.solver.policy.tables import BIDS, BUCKETS, MAX_TAKEN, MIXES, OUTCOMES, STEPS, TAKES
from casino.solver.training import cfr
from casino.solver.training.cfr import DealScore, Leaves, new_solver, scores

TRUST: Final = 30_000.0  # number of iterations that a neighbour's strategy counts for
LEARN_BOTH: Final = 3
_SEEDS: Final = 1_000


class TrainingPlan(NamedTuple):
    """A training run: laws, iterations per score in each pass, and deals for measuring outcomes."""

    laws: Laws = Laws()
    passes: tuple[int, ...] = (330_000, 900_000, 800_000)
    measured: int = 300_000
    seed: int = 1

    def check(self) -> None:
        """Raise `InputError` for laws that the solver does not support."""
        if self.laws.play != "strict" or self.laws.enforcement != "strict":
            raise InputError(
                "exchanges can be solved only under the strict law of play: change only "
                "law.target, law.vole_unexchanged or law.deal"
            )


class TrainedScore(NamedTuple):
    """A score's solver state: regrets, strategy sums, outcome bins and iterations run.

    `cells` are the bins, as files name them; `equities` has the score's value after each pass.
    """

    regret: NDArray[np.float32]
    total: NDArray[np.float32]
    cells: NDArray[np.int64]
    iterations: int
    equities: NDArray[np.float64]


class Task(NamedTuple):
    """One pass over one score, starting from the score's own regrets or a neighbour's strategy."""

    score: DealScore
    leaf: NDArray[np.float32]
    iterations: int
    measured: int
    seed: int
    known: TrainedScore | None
    neighbour: NDArray[np.float32] | None

    def run(self) -> TrainedScore:
        """Run the pass and return the score's new state."""
        solver = new_solver(self.leaf, self.score.king, self.seed)
        first, equities = 0, np.zeros(0)
        if self.known is not None:
            solver.regret[:] = self.known.regret
            first, equities = self.known.iterations, self.known.equities
        elif self.neighbour is not None:
            solver.regret[:] = TRUST * average_strategy(self.neighbour)
            first = int(TRUST)
        # Only regrets carry over: the average strategy is that of the last pass alone.
        cfr.iterate(solver, LEARN_BOTH, first, self.iterations, cfr.UNSEEN)
        bins = cfr.measure(solver, self.measured)
        equity = float((bins * self.leaf).sum() / bins.sum())
        after = first + self.iterations
        return TrainedScore(solver.regret, solver.total, bins, after, np.append(equities, equity))


# Runs tasks and yields their results in order; the flag is true once the code is compiled.
Play = Callable[[Iterable[Callable[[], TrainedScore]], bool], Iterator[TrainedScore]]


def waves(target: int, passes: int) -> list[list[tuple[int, DealScore]]]:
    """Group all passes over all scores into waves that depend only on earlier waves.

    A pass over a score needs the same pass over every higher score, and the score's own previous
    pass. A first pass starts from the strategy of the neighbouring score of the same kind, with or
    without a king.
    """
    order = scores(target)
    before = {score: _neighbour(order, score) for score in order}
    at: dict[tuple[int, DealScore], int] = {}
    for number, score in product(range(1, passes + 1), order):
        needed = [(number, higher) for higher in order if sum(higher[:2]) > sum(score[:2])]
        if number == 1 and (other := before[score]):
            needed.append((1, other))
        if number > 1:
            # A neighbour starts from this score's first strategy, which the second pass overwrites.
            needed += [
                (number - 1, score),
                *((1, other) for other in order if before[other] == score),
            ]
        at[number, score] = 1 + max((at[step] for step in needed), default=-1)
    return [[step for step in at if at[step] == wave] for wave in range(1 + max(at.values()))]


def solve(
    plan: TrainingPlan, leaves: Leaves, folder: Path, done: Callable[[int, str], object], play: Play
) -> dict[DealScore, TrainedScore]:
    """Solve all scores, saving each finished pass in `folder` so that a rerun can skip it.

    `done` is called with the iterations and the score's name after each pass, whether the pass was
    loaded or run.
    """
    order = scores(plan.laws.target)
    _begin(folder, plan, leaves)
    solved = {score: known for score in order if (known := _load(_file(folder, score)))}
    rows = [np.zeros((tables.games_to(plan.laws.target), OUTCOMES)) for _ in plan.passes]
    compiled = False
    for wave in waves(plan.laws.target, len(plan.passes)):
        tasks = []
        for number, score in wave:
            known = solved.get(score)
            if known is None or len(known.equities) < number:
                seed = plan.seed * _SEEDS + number * 100 + order.index(score)
                leaf = cfr.leaf_values(score, plan.laws, rows[number - 1], leaves)
                before = _neighbour(order, score) if number == 1 else None
                neighbour = None if before is None else solved[before].total
                work = (plan.passes[number - 1], plan.measured, seed)
                tasks.append(Task(score, leaf, *work, known, neighbour))
            else:
                done(plan.passes[number - 1], _name(score))
        for task, known in zip(tasks, play([task.run for task in tasks], compiled), strict=True):
            # A crash before this line repeats only the passes not yet saved.
            _save(_file(folder, task.score), known)
            solved[task.score] = known
            # The first result shows that the compile cache is filled.
            compiled = True
            done(task.iterations, _name(task.score))
        for number, score in wave:
            wins = tables.WHOLE * solved[score].equities[number - 1]
            # The stakes do not matter here: count every game as a single one.
            rows[number - 1][_game(score, plan.laws), ::3] = wins, tables.WHOLE - wins
    return solved


def _neighbour(order: Sequence[DealScore], score: DealScore) -> DealScore | None:
    alike = [candidate for candidate in order[: order.index(score)] if candidate.king == score.king]
    return alike[-1] if alike else None


def make_tables(
    plan: TrainingPlan, solved: Mapping[DealScore, TrainedScore], shipped: tables.PackedTables
) -> bytes:
    """Return the bytes of a table file: strategies, outcomes and statistics of card play."""
    seen = np.zeros((2, MAX_TAKEN, BUCKETS), np.int64)
    for index, (score, known) in enumerate(solved.items()):
        solver = new_solver(np.zeros(cfr.BINS, np.float32), score.king, plan.seed * _SEEDS + index)
        cfr.iterate(solver._replace(regret=known.total.copy()), 0, 0, plan.measured // 8, seen)
    return tables.pack(pack_tables(plan, solved, seen, shipped))


def average_strategy(total: NDArray[np.float32]) -> Any:
    """Return the average strategy: each row of strategy sums, divided by the row's total."""
    cut = 2 * BIDS * BUCKETS
    parts = (total[:cut].reshape(-1, 2), total[cut:].reshape(-1, MAX_TAKEN))
    whole = [part / np.maximum(part.sum(axis=1, keepdims=True), 1e-9) for part in parts]
    return np.concatenate([part.reshape(-1) for part in whole])


def _begin(folder: Path, plan: TrainingPlan, leaves: Leaves) -> None:
    values = {
        "laws": laws_json(plan.laws),
        "iterations": plan.passes[0],
        "measured": plan.measured,
        "seed": plan.seed,
        "leaves": np.round(leaves, 9).reshape(-1).tolist(),
    }
    file = folder / "plan.json"
    try:
        same = json.loads(file.read_text("utf-8")) == values
    except FileNotFoundError:
        # Results without a plan are of unknown origin and must not be resumed.
        same = not any(folder.glob("*.npz"))
        if same:
            file.write_text(json.dumps(values), "utf-8")
    except ValueError:
        same = False
    if not same:
        raise InputError(
            f"{folder} holds the progress of another plan (laws, iterations, seed or counts): "
            "choose another folder with --keep, or delete it"
        )


def _file(folder: Path, score: DealScore) -> Path:
    return folder / f"{score.elder}-{score.dealer}{'-king' if score.king else ''}.npz"


def _load(file: Path) -> TrainedScore | None:
    if not file.exists():
        return None
    try:
        with np.load(file) as kept:
            arrays = (kept["regret"], kept["total"], kept["cells"])
            return TrainedScore(*arrays, int(kept["iterations"]), kept["equities"])
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        raise InputError(f"{file} was not written by casino solve: delete it") from None


def _save(file: Path, known: TrainedScore) -> None:
    """Save a score's progress atomically: a crash leaves either the old file or the new one."""
    fresh_file = file.with_name("new.npz")
    np.savez(fresh_file, **known._asdict())
    fresh_file.replace(file)


def _name(score: DealScore) -> str:
    return f"{score.elder}-{score.dealer}" + (", a king turned up" if score.king else "")


Totals = NDArray[np.float32]
_PRIOR: Final = 0.002  # weight of the strategy pooled over all scores, for rarely visited choices
_DOUBT: Final = 4.0  # pseudo-count of hands, which pulls the ratios of rare buckets towards 1


def pack_tables(
    plan: TrainingPlan,
    solved: Mapping[DealScore, TrainedScore],
    seen: NDArray[np.int64],
    shipped: tables.PackedTables,
) -> tables.PackedTables:
    """Return the shipped tables with those of a solved game instead of their own."""
    laws, leaves = plan.laws, shipped.about["leaves"]
    about = {"target": laws.target, "seed": plan.seed, "leaves": leaves, "laws": laws_json(laws)}
    games = tables.games_to(laws.target)
    bids = np.zeros((games, BIDS * BUCKETS), np.uint8)
    takes = np.zeros((games, TAKES * BUCKETS), np.uint8)
    totals = {score: known.total for score, known in solved.items()}
    everywhere = np.sum([total / max(1.0, float(total.max())) for total in totals.values()], axis=0)
    for score, total in totals.items():
        number = _game(score, laws)
        both = total + everywhere * (_PRIOR * float(total.max()) / len(totals))
        bids[number] = _bids(both[: 2 * BIDS * BUCKETS].reshape(-1, 2))
        takes[number] = _takes(both[2 * BIDS * BUCKETS :].reshape(-1, MAX_TAKEN))
    bins = {score: known.cells for score, known in solved.items()}
    return shipped._replace(
        about=about,
        bids=bids.tobytes(),
        takes=takes.tobytes(),
        drawn=_drawn(seen).tobytes(),
        equity=_ends(bins, leaves, laws).astype("<i4").tobytes(),
    )


def _bids(totals: Totals) -> Any:
    """Return how often to propose or accept, in sixteenths; 1 is rounded to 0, and 15 to 16."""
    whole = totals.sum(axis=1)
    share = np.divide(totals[:, 1], whole, out=np.ones(len(totals)), where=whole > 0)
    steps = np.rint(share * STEPS)
    steps[steps <= 1] = 0
    steps[steps >= STEPS - 1] = STEPS
    return steps.astype(np.uint8)


def _takes(totals: Totals) -> Any:
    order = np.argsort(-totals, axis=1, kind="stable")
    rows = np.arange(len(totals))
    best, second = order[:, 0], order[:, 1]
    most, next_most = totals[rows, best], totals[rows, second]
    both = most + next_most
    share = np.divide(next_most, both, out=np.zeros(len(totals)), where=both > 0)
    # One byte stores two numbers from 1 to 5 and a frequency of at most 7/16.
    steps = np.minimum(np.rint(share * STEPS), MIXES - 1)
    steps[steps <= 1] = 0
    second = np.where(steps > 0, second, best)
    return ((best * MAX_TAKEN + second) * MIXES + steps).astype(np.uint8)


def _drawn(seen: NDArray[np.int64]) -> Any:
    table = tables.buckets()
    usual = np.zeros(BUCKETS)
    for row in hand_chart.classes():
        usual[tables.bucket_of(table, row.hand, row.turn_up)] += row.hands
    usual /= usual.sum()
    expected = seen.sum(axis=2, keepdims=True) * usual
    ratio = (seen + _DOUBT) / (expected + _DOUBT)
    return np.minimum(255, np.rint(DRAWN_STEPS * ratio)).astype(np.uint8)


def _ends(bins: Mapping[DealScore, NDArray[np.int64]], leaves: Leaves, laws: Laws) -> Any:
    ends = np.zeros((tables.games_to(laws.target), OUTCOMES))
    for score in scores(laws.target):
        counted = bins[score].reshape(3, 3, 36)
        tricks = np.einsum("vkc,ct->vkt", counted / counted.sum(), np.reshape(leaves, (36, 6)))
        row = np.zeros(OUTCOMES)
        for vulnerable, king, taken, after in cfr.outcomes(score, laws):
            row += (
                tricks[vulnerable, king, taken]
                * np.array(tables.ends_after(*after, laws, ends))
                / 8
            )
        ends[_game(score, laws)] = row
    return np.rint(ends)


def _game(score: DealScore, laws: Laws) -> int:
    return tables.game_of(score.elder, score.dealer, laws.target, score.king, laws.target)
