"""Passes over all scores: in waves, resumed where they ended, the same whoever does them."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from casino.ecarte import Laws
from casino.errors import InputError
from casino.solver.policy import tables
from casino.solver.policy.infosets import game_of, games_to
from casino.solver.policy.packing import pack_tables
from casino.solver.policy.play_policy import WHOLE
from casino.solver.policy.tables import OUTCOMES, part_sizes, unpack
from casino.solver.training.deal_solver import (
    DealScore,
    ScoreEquities,
    even_leaves,
    leaf_values,
    outcomes,
    scores,
    shipped_leaves,
)
from casino.solver.training.run import (
    TRUST,
    TrainedScore,
    TrainingPlan,
    TrainingWave,
    make_tables,
    solve,
    waves,
)

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
    """All scores, after two short passes."""
    return solve(PLAN, even_leaves(), tmp_path_factory.mktemp("whole"), Told())


def test_every_score_is_solved_the_last_ones_first() -> None:
    """25 scores, 20 of them also with a king turned up; what follows one stands before it."""
    found = scores(5)
    assert len(found) == len(set(found)) == 45
    seen: set[DealScore] = set()
    for score in found:
        for _, _, _, (elder, dealer) in outcomes(score, Laws()):
            if max(elder, dealer) < 5:
                assert DealScore(dealer, elder, False) in seen
                assert dealer == 0 or elder == 4 or DealScore(dealer, elder + 1, True) in seen
        seen.add(score)


def test_points_follow_from_tricks() -> None:
    """Who stood or refused and lost pays double; a vole counts two after an exchange."""
    found = {(v, k, t): after for v, k, t, after in outcomes(DealScore(1, 2, False), Laws())}
    assert found[0, 0, 2] == (1, 4)  # the elder stood and lost
    assert found[1, 0, 3] == (3, 2)  # the dealer refused and lost
    assert found[0, 0, 5] == (2, 2)
    assert found[2, 0, 5] == (3, 2)
    assert found[2, 1, 3] == (3, 2)  # with the king
    assert found[2, 2, 0] == (1, 5)
    ended = {(v, k, t): after for v, k, t, after in outcomes(DealScore(4, 4, True), Laws())}
    assert ended[2, 1, 0] == (5, 4) and ended[2, 2, 5] == (4, 5)


def test_leaves_are_chances_that_follow_the_tricks() -> None:
    """With five tricks both ways the elder has won at 4-4."""
    leaf = leaf_values(DealScore(4, 4, False), ScoreEquities(Laws()), even_leaves()).reshape(
        3, 3, 6, 6
    )
    assert leaf[2, 0, 5, 5] == 1 and leaf[2, 0, 0, 0] == 0
    assert leaf[2, 0, 5, 0] == 0.5
    assert (leaf[:, 1] == 1).all() and (leaf[:, 2] == 0).all()


def test_the_side_that_always_deals_is_known() -> None:
    """Under that law the elder stays the elder."""
    for law, expected in (("alternate", 0.3), ("house", 0.7)):
        equities = ScoreEquities(Laws(deal=law))
        equities.known = {
            DealScore(2, 1, False): 0.8,
            DealScore(2, 2, True): 0.0,
            DealScore(1, 2, False): 0.8,
        }
        equities.known[DealScore(1, 3, True)] = 0.0
        after = equities.after(2, 1)
        assert after == pytest.approx(0.7 if law == "house" else 1 - 0.7)
        assert after == pytest.approx(expected)
        assert equities.after(5, 3) == 1 and equities.after(0, 5) == 0


def test_progress_is_told_to_the_last_iteration(tmp_path: Path) -> None:
    """And again at once, if everything is there already."""
    told, again = Told(), Told()
    first = solve(PLAN, even_leaves(), tmp_path, told)
    second = solve(PLAN, even_leaves(), tmp_path, again)
    assert told.iterations == again.iterations == 45 * 100
    assert "4-4" in told.names and "0-1, a king turned up" in told.names
    assert all((first[score].total == second[score].total).all() for score in first)


def test_an_interrupted_run_resumes_to_the_same_end(
    tmp_path: Path, solved: dict[DealScore, TrainedScore]
) -> None:
    """It is stopped amid both passes; what it has comes from the files."""

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
    """To seven points: who does the last task of each wave first comes to the same file."""
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
        assert known.iterations in (3, int(TRUST) + 3) and len(known.equities) == 2
        same = zip(known, again[score], strict=True)
        assert all((np.asarray(one) == np.asarray(other)).all() for one, other in same)
    assert (
        found[DealScore(6, 0, False)].equities[1] > 0.5 > found[DealScore(0, 6, False)].equities[1]
    )
    totals = {score: known.total for score, known in found.items()}
    cells = {score: known.cells for score, known in found.items()}
    seen = np.ones((2, 5, 7192), np.int64)
    parts = pack_tables(totals, cells, seen, even_leaves(), plan.laws, *tables.load_packed()[-2:])
    assert parts.target == 7 and [len(part) for part in parts[1:]] == part_sizes(7)


@pytest.mark.parametrize(("target", "passes"), [(5, 1), (5, 3), (7, 2)])
def test_no_step_of_a_wave_waits_for_another_one(target: int, passes: int) -> None:
    """Each pass over each score comes after all that it reads or that it would overwrite."""
    found = waves(target, passes)
    at = {step: number for number, wave in enumerate(found) for step in wave}
    assert len(at) == passes * len(scores(target)) == sum(map(len, found))
    order = scores(target)
    for (number, score), wave in at.items():
        for other in order:
            if sum(other[:2]) > sum(score[:2]):
                assert at[number, other] < wave
        if number > 1:
            assert at[number - 1, score] < wave
    for king in (False, True):
        chain = [one for one in order if one.king == king]
        for before, after in pairwise(chain):
            assert at[1, before] < at[1, after]
            assert passes == 1 or at[1, after] < at[2, before]
    assert len(found) < passes * len(order)


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
    """Another plan is refused; more passes of the same one are not."""
    first = TrainingPlan(passes=(1,), measured=1, seed=2)
    solve(first, even_leaves(), tmp_path, Told())
    with pytest.raises(InputError, match="keeps what was solved by another plan"):
        solve(other, even_leaves(), tmp_path, Told())
    with pytest.raises(InputError, match="another plan"):
        solve(first, shipped_leaves(), tmp_path, Told())
    more = solve(first._replace(passes=(1, 1)), even_leaves(), tmp_path, Told())
    assert {known.iterations for known in more.values()} == {2, int(TRUST) + 2}


@pytest.mark.parametrize("plan", [None, "no json", "{}"])
def test_a_folder_that_does_not_say_its_plan_is_refused(plan: str | None, tmp_path: Path) -> None:
    """And stays as it is."""
    (tmp_path / "4-4.npz").write_bytes(b"anything")
    if plan is not None:
        (tmp_path / "plan.json").write_text(plan)
    for _ in range(2):
        with pytest.raises(InputError, match="name another folder with --keep, or remove it"):
            solve(PLAN, even_leaves(), tmp_path, Told())


def test_what_was_kept_must_be_what_it_kept(tmp_path: Path) -> None:
    """Another file in the folder is named."""
    solve(PLAN._replace(passes=(60,)), even_leaves(), tmp_path, Told())
    (tmp_path / "4-4.npz").write_bytes(b"no arrays")
    with pytest.raises(InputError, match=r"4-4\.npz: is not what solve has kept"):
        solve(PLAN, even_leaves(), tmp_path, Told())


@pytest.mark.parametrize("laws", [Laws(play="ordinary"), Laws(enforcement="claims")])
def test_laws_it_does_not_know_are_refused(laws: Laws, tmp_path: Path) -> None:
    """Before anything is solved."""
    with pytest.raises(
        InputError, match=r"change law.target, law.vole_unexchanged or law.deal alone"
    ):
        solve(TrainingPlan(laws), even_leaves(), tmp_path, Told())


def test_the_tables_of_a_solution_are_whole(solved: dict[DealScore, TrainedScore]) -> None:
    """Every part has its size, and what a score is worth adds up."""
    endgame, leads = tables.load_packed()[-2:]
    body = make_tables(PLAN, solved, even_leaves(), endgame, leads)
    found = unpack(body, "x")
    assert (found.endgame, found.leads) == (endgame, leads)
    assert found.target == 5 and [len(part) for part in found[1:]] == part_sizes(5)
    for row in tables.outcomes(found)[:: games_to(5) // 5]:
        assert sum(row) == 0 or abs(sum(row) - WHOLE) <= 3


def test_pure_strategies_are_packed_as_they_are(solved: dict[DealScore, TrainedScore]) -> None:
    """A word always said is said in 16 of 16 cases, a number always taken is taken alone."""
    score = DealScore(4, 4, False)
    total = np.zeros_like(solved[score].total)
    total[1] = 5.0  # the first kind always proposes
    total[2] = 5.0  # the second always stands
    totals = {one: known.total for one, known in solved.items()} | {score: total}
    cells = {one: known.cells for one, known in solved.items()}
    seen = np.ones((2, 5, 7192), np.int64)
    found = pack_tables(totals, cells, seen, even_leaves(), Laws(), b"", b"")
    start = game_of(4, 4, 5, False) * len(found.bids) // games_to(5)
    assert found.bids[start] == 16 and found.bids[start + 1] == 0


def test_the_shipped_leaves_are_chances() -> None:
    """Each row of six adds up; more tricks with open cards are worth more."""
    leaves = shipped_leaves()
    assert leaves.shape == (6, 6, OUTCOMES)
    assert np.allclose(leaves.sum(axis=2), 1, atol=1e-4)
    point = leaves[:, :, 3:].sum(axis=2)
    assert point[5, 5] > 0.95 > 0.6 > point[3, 2] > point[2, 2] and point[0, 0] < 0.05
