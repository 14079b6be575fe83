"""Passes over all scores: resumed where they ended, the same from the same seed, packed whole."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from casino.ecarte.laws import Laws
from casino.errors import BadInput
from casino.expert import tables
from casino.expert.card_play import WHOLE
from casino.expert.packing import packed
from casino.expert.solve import (
    Score,
    Worths,
    even_leaves,
    leaf_worths,
    outcomes,
    scores,
    shipped_leaves,
)
from casino.expert.solving import Plan, Solved, solve, tables_of
from casino.expert.stages import GAMES, game_of
from casino.expert.tables import OUTCOMES, SIZES, unpack

PLAN = Plan(passes=(60, 40), measured=400, seed=3)


@dataclass
class Told:
    """What a solver has told of its progress."""

    iterations: int = 0
    names: set[str] = field(default_factory=set)

    def __call__(self, iterations: int, name: str) -> None:
        """Note it down."""
        self.iterations += iterations
        self.names.add(name)


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> dict[Score, Solved]:
    """All scores, after two short passes."""
    return solve(PLAN, even_leaves(), tmp_path_factory.mktemp("whole"), Told())


def test_every_score_is_solved_the_last_ones_first() -> None:
    """25 scores, 20 of them also with a king turned up; what follows one stands before it."""
    found = scores(5)
    assert len(found) == len(set(found)) == 45
    seen: set[Score] = set()
    for score in found:
        for _, _, _, (elder, dealer) in outcomes(score, Laws()):
            if max(elder, dealer) < 5:
                assert Score(dealer, elder, False) in seen
                assert dealer == 0 or elder == 4 or Score(dealer, elder + 1, True) in seen
        seen.add(score)


def test_points_follow_from_tricks() -> None:
    """Who stood or refused and lost pays double; a vole counts two after an exchange."""
    found = {(v, k, t): after for v, k, t, after in outcomes(Score(1, 2, False), Laws())}
    assert found[0, 0, 2] == (1, 4)  # the elder stood and lost
    assert found[1, 0, 3] == (3, 2)  # the dealer refused and lost
    assert found[0, 0, 5] == (2, 2)
    assert found[2, 0, 5] == (3, 2)
    assert found[2, 1, 3] == (3, 2)  # with the king
    assert found[2, 2, 0] == (1, 5)
    ended = {(v, k, t): after for v, k, t, after in outcomes(Score(4, 4, True), Laws())}
    assert ended[2, 1, 0] == (5, 4) and ended[2, 2, 5] == (4, 5)


def test_leaves_are_chances_that_follow_the_tricks() -> None:
    """With five tricks both ways the elder has won at 4-4."""
    leaf = leaf_worths(Score(4, 4, False), Worths(Laws()), even_leaves()).reshape(3, 3, 6, 6)
    assert leaf[2, 0, 5, 5] == 1 and leaf[2, 0, 0, 0] == 0
    assert leaf[2, 0, 5, 0] == 0.5
    assert (leaf[:, 1] == 1).all() and (leaf[:, 2] == 0).all()


def test_the_side_that_always_deals_is_known() -> None:
    """Under that law the elder stays the elder."""
    for law, expected in (("alternate", 0.3), ("house", 0.7)):
        worths = Worths(Laws(deal=law))
        worths.found = {Score(2, 1, False): 0.8, Score(2, 2, True): 0.0, Score(1, 2, False): 0.8}
        worths.found[Score(1, 3, True)] = 0.0
        after = worths.after(2, 1)
        assert after == pytest.approx(0.7 if law == "house" else 1 - 0.7)
        assert after == pytest.approx(expected)
        assert worths.after(5, 3) == 1 and worths.after(0, 5) == 0


def test_progress_is_told_to_the_last_iteration(tmp_path: Path) -> None:
    """And again at once, if everything is there already."""
    told, again = Told(), Told()
    first = solve(PLAN, even_leaves(), tmp_path, told)
    second = solve(PLAN, even_leaves(), tmp_path, again)
    assert told.iterations == again.iterations == 45 * 100
    assert "4-4" in told.names and "0-1, a king turned up" in told.names
    assert all((first[score].total == second[score].total).all() for score in first)


def test_an_interrupted_run_resumes_to_the_same_end(
    tmp_path: Path, solved: dict[Score, Solved]
) -> None:
    """It is stopped in the second pass; what it has comes from the files."""

    class Stopped(Exception):
        """Somebody pressed Ctrl-C."""

    told = Told()

    def stop(iterations: int, name: str) -> None:
        """Stop after a while."""
        told(iterations, name)
        if told.iterations > 45 * 60 + 300:
            raise Stopped

    with pytest.raises(Stopped):
        solve(PLAN, even_leaves(), tmp_path, stop)
    found = solve(PLAN, even_leaves(), tmp_path, Told())
    for score, known in solved.items():
        assert (found[score].regret == known.regret).all()
        assert found[score].iterations == known.iterations
        assert (found[score].cells == known.cells).all()


def test_what_was_kept_must_be_what_it_kept(tmp_path: Path) -> None:
    """Another file in the folder is named."""
    (tmp_path / "4-4.npz").write_bytes(b"no arrays")
    with pytest.raises(BadInput, match=r"4-4\.npz: is not what solve has kept"):
        solve(PLAN, even_leaves(), tmp_path, Told())


@pytest.mark.parametrize("laws", [Laws(7), Laws(play="ordinary"), Laws(enforcement="claims")])
def test_laws_it_does_not_know_are_refused(laws: Laws, tmp_path: Path) -> None:
    """Before anything is solved."""
    with pytest.raises(BadInput, match="change law.vole_unexchanged or law.deal alone"):
        solve(Plan(laws), even_leaves(), tmp_path, Told())


def test_the_tables_of_a_solution_are_whole(solved: dict[Score, Solved]) -> None:
    """Every part has its size; the same solution packs to the same bytes."""
    rests = tables.packed().rests
    body = tables_of(PLAN, solved, even_leaves(), rests)
    assert body == tables_of(PLAN, solved, even_leaves(), rests)
    found = unpack(body, "x")
    assert found.rests == rests
    assert [len(part) for part in found] == list(SIZES.values())
    for row in tables.outcomes(found)[:: GAMES // 5]:
        assert sum(row) == 0 or abs(sum(row) - WHOLE) <= 3


def test_pure_strategies_are_packed_as_they_are(solved: dict[Score, Solved]) -> None:
    """A word always said is said in 16 of 16 cases, a number always taken is taken alone."""
    score = Score(4, 4, False)
    total = np.zeros_like(solved[score].total)
    total[1] = 5.0  # the first kind always proposes
    total[2] = 5.0  # the second always stands
    totals = {one: known.total for one, known in solved.items()} | {score: total}
    cells = {one: known.cells for one, known in solved.items()}
    seen = np.ones((2, 5, 7192), np.int64)
    found = packed(totals, cells, seen, even_leaves(), Laws(), b"")
    start = game_of(4, 4, 5, False) * SIZES["words"] // GAMES
    assert found.words[start] == 16 and found.words[start + 1] == 0


def test_the_shipped_leaves_are_chances() -> None:
    """Each row of six adds up; more tricks with open cards are worth more."""
    leaves = shipped_leaves()
    assert leaves.shape == (6, 6, OUTCOMES)
    assert np.allclose(leaves.sum(axis=2), 1, atol=1e-4)
    point = leaves[:, :, 3:].sum(axis=2)
    assert point[5, 5] > 0.95 > 0.6 > point[3, 2] > point[2, 2] and point[0, 0] < 0.05
