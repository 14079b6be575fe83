"""Solutions packed into bytes: rounded to sixteenths, and all of it adds up."""

from __future__ import annotations

import numpy as np
import pytest

from casino.analysis.double_dummy import trick_table
from casino.ecarte import Laws
from casino.solver.policy import packing
from casino.solver.policy.abstraction import BUCKETS
from casino.solver.policy.infosets import MIXES, MOST, STEPS, game_of, games_to
from casino.solver.policy.play_policy import DRAWN_STEPS, WHOLE
from casino.solver.policy.tables import OUTCOMES, elder_wins, load_packed, outcomes
from casino.solver.training.deal_solver import CELLS, DealScore, even_leaves, scores
from casino.solver.training.equity import equity_at


@pytest.mark.parametrize(
    ("first", "second", "steps"),
    [
        (0, 5, STEPS),
        (5, 0, 0),
        (1, 1, 8),
        (3, 1, 4),
        (31, 1, 0),
        (1, 31, STEPS),
        (15, 1, 0),
        (1, 15, STEPS),
        (13, 3, 3),
        (14, 2, 2),
        (0, 0, STEPS),
    ],
)
def test_words_are_rounded_to_sixteenths(first: float, second: float, steps: int) -> None:
    """A word said hardly ever is never said; where nothing is known the second always is."""
    assert packing._bids(np.array([[first, second]], np.float32)).tolist() == [steps]


@pytest.mark.parametrize(
    ("totals", "number", "other", "steps"),
    [
        ((0, 7, 0, 0, 0), 2, 2, 0),
        ((0, 3, 1, 0, 0), 2, 3, 4),
        ((1, 0, 0, 0, 31), 5, 5, 0),
        ((5, 0, 5, 0, 0), 1, 3, MIXES - 1),
        ((0, 2, 3, 4, 0), 4, 3, 7),
        ((0, 0, 0, 0, 0), 1, 1, 0),
    ],
)
def test_the_two_likeliest_numbers_are_kept(
    totals: tuple[float, ...], number: int, other: int, steps: int
) -> None:
    """The second one in less than half of the cases, and only if it is taken now and then."""
    found = int(packing._takes(np.array([totals], np.float32))[0])
    choice, share = divmod(found, MIXES)
    assert (choice // MOST + 1, choice % MOST + 1, share) == (number, other, steps)


def test_hands_seen_as_often_as_by_chance_count_once() -> None:
    """Twice as often counts twice; a kind never met hardly counts, and none counts for too much."""
    usual = np.array(packing._drawn(np.zeros((2, MOST, BUCKETS), np.int64)))
    assert usual.shape == (2, MOST, BUCKETS) and (usual == DRAWN_STEPS).all()
    seen = np.zeros((2, MOST, BUCKETS), np.int64)
    seen[0, 2, 7] = 1_000_000
    found = packing._drawn(seen)
    assert found[0, 2, 7] == 255
    assert np.median(found[0, 2]) < DRAWN_STEPS
    assert (found[1] == DRAWN_STEPS).all() and (found[0, 3] == DRAWN_STEPS).all()


def test_ends_add_up_where_the_elder_always_wins_a_point() -> None:
    """From 4-0 on he wins a triple game at once; from 0-0 he is a point nearer, and deals."""
    cells = np.zeros(CELLS, np.int64)
    cells[2 * 3 * 36 + 3 * 6 + 3] = 5  # nobody vulnerable, no king, three tricks by both measures
    all_cells = dict.fromkeys(scores(5), cells)
    found = packing._ends(all_cells, even_leaves(), Laws())
    assert found.shape == (games_to(5), OUTCOMES)
    assert found[game_of(4, 0, 5, False)].tolist() == [0, 0, WHOLE, 0, 0, 0]
    assert found[game_of(4, 2, 5, False)].tolist() == [0, WHOLE, 0, 0, 0, 0]
    assert found[game_of(4, 4, 5, True)].tolist() == [WHOLE, 0, 0, 0, 0, 0]
    after = found[game_of(3, 4, 5, False)]
    # At 4-4 the other one is elder: he wins unless a king is turned up for who deals.
    assert after.tolist() == [WHOLE // 8, 0, 0, 7 * WHOLE // 8, 0, 0]
    always = packing._ends(all_cells, even_leaves(), Laws(deal="house"))
    assert always[game_of(3, 4, 5, False)].tolist() == [7 * WHOLE // 8, 0, 0, WHOLE // 8, 0, 0]


def test_the_shipped_worth_follows_from_the_shipped_outcomes() -> None:
    """The bot, the page and the review read one table."""
    wins = elder_wins(load_packed())
    for elder in range(5):
        for dealer in range(5):
            assert wins[5 * elder + dealer] / WHOLE == pytest.approx(
                equity_at(elder, dealer).win, abs=1e-4
            )
    ends = outcomes(load_packed())
    for score in scores(5):
        row = ends[game_of(score.elder, score.dealer, 5, score.king)]
        assert abs(sum(row) - WHOLE) <= 3 and min(row) >= 0


def test_more_points_are_never_worth_less() -> None:
    """For the elder with each point of his, against him with each of the dealer's."""
    for elder in range(5):
        for dealer in range(5):
            here = equity_at(elder, dealer).win
            assert elder == 4 or equity_at(elder + 1, dealer).win > here
            assert dealer == 4 or equity_at(elder, dealer + 1).win < here


def test_what_one_score_does_not_know_others_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that was never met at a score is what is done at the other scores."""
    sizes = 2 * 8 * BUCKETS + MOST * 10 * BUCKETS
    known, lonely = np.zeros(sizes, np.float32), np.zeros(sizes, np.float32)
    known[0], lonely[2] = 100.0, 100.0  # kind 0 stands there, kind 1 here
    takes = 2 * 8 * BUCKETS
    known[takes + 1], lonely[takes + MOST + 3] = 100.0, 100.0  # kind 0 takes two, kind 1 four
    totals = dict.fromkeys(scores(5), known) | {DealScore(2, 2, False): lonely}
    cells = {score: np.ones(CELLS, np.int64) for score in scores(5)}
    seen = np.ones((2, MOST, BUCKETS), np.int64)
    found = packing.pack_tables(totals, cells, seen, even_leaves(), Laws(), b"as they were", b"too")
    assert found.endgame == b"as they were" and found.leads == b"too"
    start = game_of(2, 2, 5, False) * 8 * BUCKETS
    assert found.bids[start] == 0 and found.bids[start + 1] == 0
    assert found.bids[start + 2] == STEPS
    other = game_of(0, 0, 5, False) * 8 * BUCKETS
    assert found.bids[other] == 0
    start = game_of(2, 2, 5, False) * 10 * BUCKETS
    taken = [one // MIXES // MOST + 1 for one in found.takes[start : start + 3]]
    assert taken == [2, 4, 1], "of a kind that nobody met one card is taken"
    other = game_of(0, 0, 5, False) * 10 * BUCKETS
    assert [one // MIXES // MOST + 1 for one in found.takes[other : other + 2]] == [2, 4]
    assert len(found.takes) == games_to(5) * 10 * BUCKETS
    assert len(found.bids) == games_to(5) * 8 * BUCKETS
    assert found.strict == trick_table(True).tricks.tobytes()
    assert found.ordinary == trick_table(False).tricks.tobytes() != found.strict
