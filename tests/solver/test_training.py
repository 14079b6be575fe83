"""The solver: iterations, scores and passes, reproducible from one seed."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

from casino.bots.rule_bot import follow, lead
from casino.ecarte import NO_CARD, Laws, card_set, legal_replies, reply_wins
from casino.ecarte.game import score_after_deal
from casino.errors import InputError
from casino.solver.evaluation.rollout import tricks_by_rule
from casino.solver.policy import tables
from casino.solver.training import cfr
from casino.solver.training.run import TRUST, TrainedScore, TrainingPlan, pack_tables, solve
from tools.card_play import even_leaves

LAST = cfr.DealScore(4, 4, False)
BOTH, ELDER, NO_SEAT = 3, 1, 0


def solver(seed: int = 1) -> cfr.Solver:
    return cfr.new_solver(
        cfr.leaf_values(LAST, Laws(), np.zeros((50, 6)), even_leaves()), LAST.king, seed
    )


def test_training_is_reproducible_from_its_seed() -> None:
    totals = []
    for seed in (1, 1, 2):
        one = solver(seed)
        cfr.iterate(one, BOTH, 0, 300, cfr.UNSEEN)
        totals.append(one.total.tobytes())
    assert totals[0] == totals[1] != totals[2]


def test_only_selected_sides_learn() -> None:
    one = solver()
    cfr.iterate(one, BOTH, 0, 200, cfr.UNSEEN)
    before = one.regret.copy()
    cfr.iterate(one, NO_SEAT, 0, 200, cfr.UNSEEN)
    assert (one.regret == before).all()
    cfr.iterate(one, ELDER, 200, 200, cfr.UNSEEN)
    dealer = slice(2 * tables.ANSWER * tables.BUCKETS, 2 * tables.BIDS * tables.BUCKETS)
    elder = slice(2 * tables.SPEAK * tables.BUCKETS, 2 * tables.ANSWER * tables.BUCKETS)
    assert (one.regret[dealer] == before[dealer]).all()
    assert (one.regret[elder] != before[elder]).any()


def test_training_improves_the_elder() -> None:
    even = solver(4)
    fair = cfr.iterate(even, NO_SEAT, 0, 20_000, cfr.UNSEEN)
    cfr.iterate(even, ELDER, 0, 20_000, cfr.UNSEEN)
    assert cfr.iterate(even, NO_SEAT, 0, 20_000, cfr.UNSEEN) > fair + 0.02


def test_observe_counts_hands_after_an_exchange() -> None:
    solved = solver()
    for first in range(0, 30_000, 10_000):
        cfr.iterate(solved, BOTH, first, 10_000, cfr.UNSEEN)
    seen = np.zeros((2, tables.MAX_TAKEN, tables.BUCKETS), np.int64)
    cfr.iterate(solved._replace(regret=solved.total.copy()), NO_SEAT, 0, 20_000, seen)
    assert seen.sum() > 5_000
    assert seen[0].sum() == seen[1].sum()
    assert (seen.sum(axis=2) > 0).all()
    assert (seen.sum(axis=(0, 1)) > 0).sum() > tables.BUCKETS // 10


def test_thumb_tricks_match_a_played_deal() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        dealt = [int(one) for one in rng.permutation(32)[:10]]
        elder, dealer = card_set(dealt[:5]), card_set(dealt[5:])
        assert tricks_by_rule(elder, dealer, 0, NO_CARD, 0) == naive_tricks(elder, dealer)


def naive_tricks(elder: int, dealer: int) -> int:
    hands, leader, taken = [elder, dealer], 0, 0
    for _ in range(5):
        led = lead(hands[leader], 0)
        reply = follow(hands[1 - leader], led, 0)
        assert legal_replies(hands[1 - leader], led, 0, True) >> reply & 1
        hands[leader] ^= 1 << led
        hands[1 - leader] ^= 1 << reply
        leader = 1 - leader if reply_wins(led, reply, 0) else leader
        taken += leader == 0
    return taken


def test_turned_up_king_ends_a_game_at_four_all() -> None:
    plain = tables.outcomes(tables.load_packed())[tables.game_of(4, 4, 5, False)]
    before = tables.ends_before(4, 4, Laws())
    assert sum(before[:3]) / tables.EIGHTHS == pytest.approx(
        7 / 8 * sum(plain[:3]) / tables.WHOLE, abs=1e-4
    )


@pytest.mark.parametrize(
    ("vulnerable", "king", "taken", "after"),
    [
        (1, 0, 2, (1, 4)),
        (2, 0, 3, (3, 2)),
        (1, 0, 3, (2, 2)),
        (1, 0, 5, (2, 2)),
        (0, 0, 5, (3, 2)),
        (0, 0, 0, (1, 4)),
        (0, 1, 3, (3, 2)),
        (0, 2, 3, (2, 3)),
        (2, 2, 2, (1, 4)),
    ],
)
def test_score_after_a_deal(vulnerable: int, king: int, taken: int, after: tuple[int, int]) -> None:
    assert score_after_deal((1, 2), vulnerable, king, taken, Laws()) == after


def test_outcomes_after_a_deal_switch_sides() -> None:
    usual, house = Laws(), Laws(deal="house")
    for mine in range(5):
        for theirs in range(5):
            after = tables.ends_after(mine, theirs, usual)
            before = tables.ends_after(theirs, mine, house)
            assert after == (*before[3:], *before[:3])
            assert abs(sum(after) - tables.EIGHTHS) <= 24
    for loser, stake in ((0, 3), (1, 2), (2, 2), (3, 1), (4, 1)):
        won, lost = tables.ends_after(5, loser, usual), tables.ends_after(loser, 5, usual)
        assert won[stake - 1] == lost[2 + stake] == tables.EIGHTHS
        assert sum(won) == sum(lost) == tables.EIGHTHS


PLAN = TrainingPlan(passes=(60, 40), measured=400, seed=3)


def here(tasks: Iterable[Callable[[], TrainedScore]], _compiled: bool) -> Iterator[TrainedScore]:
    return (task() for task in tasks)


def silent(iterations: int, name: str) -> None:
    """Report no progress."""


def test_scores_are_solved_from_last_to_first() -> None:
    found = cfr.scores(5)
    assert len(found) == len(set(found)) == 45
    seen: set[cfr.DealScore] = set()
    for score in found:
        for _, _, _, (elder, dealer) in cfr.outcomes(score, Laws()):
            if max(elder, dealer) < 5:
                assert cfr.DealScore(dealer, elder, False) in seen
                assert dealer == 0 or elder == 4 or cfr.DealScore(dealer, elder + 1, True) in seen
        seen.add(score)


def test_equities_depend_on_the_law_of_dealing() -> None:
    for law, expected in (("alternate", 0.3), ("house", 0.7)):
        rows = np.zeros((tables.games_to(5), 6))
        for elder, dealer in ((2, 1), (1, 2)):
            rows[tables.game_of(elder, dealer, 5, False), ::3] = 0.8, 0.2
            rows[tables.game_of(elder, dealer + 1, 5, True), 3] = 1
        laws = Laws(deal=law)
        wins = sum(tables.ends_after(2, 1, laws, rows)[:3]) / 8
        assert wins == pytest.approx(expected)
        assert sum(tables.ends_after(5, 3, laws, rows)[:3]) == tables.EIGHTHS
        assert sum(tables.ends_after(0, 5, laws, rows)[:3]) == 0


def test_interrupted_training_resumes_to_same_result(tmp_path: Path) -> None:
    class Stopped(Exception):
        """Simulated Ctrl-C."""

    whole, torn = tmp_path / "whole", tmp_path / "torn"
    whole.mkdir()
    torn.mkdir()
    done = 0

    def stop(iterations: int, name: str) -> None:
        nonlocal done
        done += iterations
        if done > 45 * 50:
            raise Stopped

    with pytest.raises(Stopped):
        solve(PLAN, even_leaves(), torn, stop, here)
    found = solve(PLAN, even_leaves(), torn, silent, here)
    for score, known in solve(PLAN, even_leaves(), whole, silent, here).items():
        assert (found[score].regret == known.regret).all()
        assert found[score].iterations == known.iterations
        assert (found[score].cells == known.cells).all()


def test_longer_game_is_solved_in_waves_in_any_order(tmp_path: Path) -> None:
    plan = TrainingPlan(Laws(7, deal="house"), passes=(2, 1), measured=30, seed=5)

    def backwards(
        wave: Iterable[Callable[[], TrainedScore]], _compiled: bool
    ) -> Iterator[TrainedScore]:
        """Run the tasks of a wave in reverse order, each after a pickle round trip."""
        tasks = pickle.loads(pickle.dumps(list(wave)))
        return iter([task() for task in reversed(tasks)][::-1])

    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    found = solve(plan, even_leaves(), tmp_path / "one", silent, here)
    again = solve(plan, even_leaves(), tmp_path / "other", silent, backwards)
    assert list(found) == list(again) == cfr.scores(7)
    for score, known in found.items():
        assert known.iterations in (3, int(TRUST) + 3) and len(known.equities) == 2
        same = zip(known, again[score], strict=True)
        assert all((np.asarray(one) == np.asarray(other)).all() for one, other in same)
    ahead, behind = (found[cfr.DealScore(*score, False)] for score in ((6, 0), (0, 6)))
    assert ahead.equities[1] > 0.5 > behind.equities[1]
    seen = np.ones((2, 5, 7192), np.int64)
    parts = pack_tables(plan, found, seen, tables.load_packed())
    assert parts.target == 7 and [len(part) for part in parts[1:]] == tables.part_sizes(7)


def test_folder_of_another_plan_is_refused(tmp_path: Path) -> None:
    first = TrainingPlan(passes=(1,), measured=1, seed=2)
    solve(first, even_leaves(), tmp_path, silent, here)
    for changed in (
        {"seed": 4}, {"laws": Laws(vole_unexchanged=2)}, {"passes": (2,)}, {"measured": 2}
    ):  # fmt: skip
        with pytest.raises(InputError, match="holds the progress of another plan"):
            solve(first._replace(**changed), even_leaves(), tmp_path, silent, here)
    with pytest.raises(InputError, match="another plan"):
        solve(first, tables.load_packed().about["leaves"], tmp_path, silent, here)
    more = solve(first._replace(passes=(1, 1)), even_leaves(), tmp_path, silent, here)
    assert {known.iterations for known in more.values()} == {2, int(TRUST) + 2}
