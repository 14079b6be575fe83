"""What scores are worth: chances that add up, known limits, and who may ask for what."""

from __future__ import annotations

import pytest

from casino.ecarte import Laws
from casino.solver.training.equity import EIGHTHS, ends_after, equity_at, score_after_deal


def test_all_ways_to_end_make_a_whole() -> None:
    for elder in range(5):
        for dealer in range(5):
            for king in (None, False, True):
                if king and not dealer:
                    continue
                found = equity_at(elder, dealer, king)
                assert sum(found.elder) + sum(found.dealer) == pytest.approx(1, abs=1e-4)
                assert min(*found.elder, *found.dealer) >= 0


def test_a_king_turned_up_ends_a_game_at_four() -> None:
    before, plain = equity_at(4, 4), equity_at(4, 4, king=False)
    assert before.win == pytest.approx(7 / 8 * plain.win, abs=1e-4)


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
def test_points_follow_from_a_deal(
    vulnerable: int, king: int, taken: int, after: tuple[int, int]
) -> None:
    assert score_after_deal((1, 2), vulnerable, king, taken, Laws()) == after


def test_what_follows_a_deal_is_the_worth_of_the_next_one() -> None:
    found = [part / EIGHTHS for part in ends_after(2, 3, Laws())]
    known = equity_at(3, 2)
    assert found == pytest.approx([*known.dealer, *known.elder], abs=1e-4)
    always = [part / EIGHTHS for part in ends_after(2, 3, Laws(deal="house"))]
    known = equity_at(2, 3)
    assert always == pytest.approx([*known.elder, *known.dealer], abs=1e-4)


def test_what_follows_a_deal_is_told_from_the_next_ones_side() -> None:
    usual, house = Laws(), Laws(deal="house")
    for mine in range(5):
        for theirs in range(5):
            after, before = ends_after(mine, theirs, usual), ends_after(theirs, mine, house)
            assert after == (*before[3:], *before[:3])
            assert abs(sum(after) - EIGHTHS) <= 24
    for loser, stake in ((0, 3), (1, 2), (2, 2), (3, 1), (4, 1)):
        won, lost = ends_after(5, loser, usual), ends_after(loser, 5, usual)
        assert won[stake - 1] == lost[2 + stake] == EIGHTHS
        assert sum(won) == sum(lost) == EIGHTHS
