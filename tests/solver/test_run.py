"""Passes over all scores: in waves, resumed where they ended, the same whoever does them."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from casino.ecarte import Laws
from casino.errors import InputError
from casino.solver.policy import tables
from casino.solver.policy.packing import pack_tables
from casino.solver.policy.tables import part_sizes
from casino.solver.training.deal_solver import (
    DealScore,
    ScoreEquities,
    even_leaves,
    outcomes,
    scores,
    shipped_leaves,
)
from casino.solver.training.run import TRUST, TrainedScore, TrainingPlan, TrainingWave, solve

PLAN = TrainingPlan(passes=(60, 40), measured=400, seed=3)


@dataclass
class Told:
    iterations: int = 0
    names: set[str] = field(default_factory=set)

    def __call__(self, iterations: int, name: str) -> None:
        self.iterations += iterations
        self.names.add(name)


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> dict[DealScore, TrainedScore]:
    return solve(PLAN, even_leaves(), tmp_path_factory.mktemp("whole"), Told())


def test_every_score_is_solved_the_last_ones_first() -> None:
    found = scores(5)
    assert len(found) == len(set(found)) == 45
    seen: set[DealScore] = set()
    for score in found:
        for _, _, _, (elder, dealer) in outcomes(score, Laws()):
            if max(elder, dealer) < 5:
                assert DealScore(dealer, elder, False) in seen
                assert dealer == 0 or elder == 4 or DealScore(dealer, elder + 1, True) in seen
        seen.add(score)


def test_the_side_that_always_deals_is_known() -> None:
    for law, expected in (("alternate", 0.3), ("house", 0.7)):
        worths = ScoreEquities(Laws(deal=law))
        worths.known = {
            DealScore(2, 1, False): 0.8,
            DealScore(2, 2, True): 0.0,
            DealScore(1, 2, False): 0.8,
        }
        worths.known[DealScore(1, 3, True)] = 0.0
        after = worths.after(2, 1)
        assert after == pytest.approx(0.7 if law == "house" else 1 - 0.7)
        assert after == pytest.approx(expected)
        assert worths.after(5, 3) == 1 and worths.after(0, 5) == 0


def test_an_interrupted_run_resumes_to_the_same_end(
    tmp_path: Path, solved: dict[DealScore, TrainedScore]
) -> None:
    class Stopped(Exception):
        """Somebody pressed Ctrl-C."""

    told = Told()

    def stop(iterations: int, name: str) -> None:
        told(iterations, name)
        if told.iterations > 45 * 50:
            raise Stopped

    with pytest.raises(Stopped):
        solve(PLAN, even_leaves(), tmp_path, stop)
    found = solve(PLAN, even_leaves(), tmp_path, Told())
    for score, known in solved.items():
        assert (found[score].regret == known.regret).all()
        assert found[score].iterations == known.iterations
        assert (found[score].cells == known.cells).all()


def test_a_longer_game_is_solved_wave_by_wave_in_any_order(tmp_path: Path) -> None:
    plan = TrainingPlan(Laws(7, deal="house"), passes=(2, 1), measured=30, seed=5)

    def backwards(wave: TrainingWave, _compiled: bool) -> Iterator[TrainedScore]:
        """Do the tasks of a wave in the other order, each as it is after it was sent somewhere."""
        tasks = pickle.loads(pickle.dumps([wave.portion(at) for at in range(wave.chunks)]))
        return iter([task() for task in reversed(tasks)][::-1])

    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    found = solve(plan, even_leaves(), tmp_path / "one", Told())
    again = solve(plan, even_leaves(), tmp_path / "other", Told(), backwards)
    assert list(found) == list(again) == scores(7)
    for score, known in found.items():
        assert known.iterations in (3, int(TRUST) + 3) and len(known.worths) == 2
        same = zip(known, again[score], strict=True)
        assert all((np.asarray(one) == np.asarray(other)).all() for one, other in same)
    assert found[DealScore(6, 0, False)].worths[1] > 0.5 > found[DealScore(0, 6, False)].worths[1]
    totals = {score: known.total for score, known in found.items()}
    cells = {score: known.cells for score, known in found.items()}
    seen = np.ones((2, 5, 7192), np.int64)
    parts = pack_tables(totals, cells, seen, even_leaves(), plan.laws, *tables.load_packed()[-2:])
    assert parts.target == 7 and [len(part) for part in parts[1:]] == part_sizes(7)


@pytest.mark.parametrize(
    "other",
    [
        PLAN._replace(seed=4),
        PLAN._replace(laws=Laws(vole_unexchanged=2)),
        PLAN._replace(passes=(61, 61)),
        PLAN._replace(measured=401),
    ],
)
def test_a_folder_goes_on_with_its_own_plan_alone(other: TrainingPlan, tmp_path: Path) -> None:
    first = TrainingPlan(passes=(1,), measured=1, seed=2)
    solve(first, even_leaves(), tmp_path, Told())
    with pytest.raises(InputError, match="keeps what was solved by another plan"):
        solve(other, even_leaves(), tmp_path, Told())
    with pytest.raises(InputError, match="another plan"):
        solve(first, shipped_leaves(), tmp_path, Told())
    more = solve(first._replace(passes=(1, 1)), even_leaves(), tmp_path, Told())
    assert {known.iterations for known in more.values()} == {2, int(TRUST) + 2}
