"""What scores are worth: chances that add up, known limits, and who may ask for what."""

from __future__ import annotations

import pytest

from casino.errors import BadInput
from casino.expert.worth import worth


def test_all_ways_to_end_make_a_whole() -> None:
    """At every score, whatever the turn-up."""
    for elder in range(5):
        for dealer in range(5):
            for king in (None, False, True):
                if king and not dealer:
                    continue
                found = worth(elder, dealer, king)
                assert sum(found.elder) + sum(found.dealer) == pytest.approx(1, abs=1e-4)
                assert min(*found.elder, *found.dealer) >= 0


def test_the_first_deal_is_nearly_even() -> None:
    """Neither to speak first nor to deal first wins more than a little."""
    assert abs(worth(0, 0).win - 0.5) < 0.02


def test_a_player_with_points_cannot_lose_triple() -> None:
    """Who has one or two loses double at most, who has three or four single (R7.2)."""
    assert worth(1, 2).dealer[2] == worth(1, 2).elder[2] == 0
    assert worth(3, 4).dealer[1:] == worth(3, 4).elder[1:] == (0, 0)
    assert worth(0, 4).dealer[2] > 0 == worth(0, 4).elder[2]


def test_a_king_turned_up_ends_a_game_at_four() -> None:
    """One time in eight the dealer wins without playing."""
    before, plain = worth(4, 4), worth(4, 4, king=False)
    assert before.win == pytest.approx(7 / 8 * plain.win, abs=1e-4)


def test_a_king_turned_up_helps_nobody_but_by_its_point() -> None:
    """It is out of play: at the same score the chances hardly differ."""
    for elder in range(5):
        for dealer in range(1, 5):
            assert abs(worth(elder, dealer, True).win - worth(elder, dealer, False).win) < 0.06


def test_longer_games_go_by_the_points_missing() -> None:
    """A game to 7 at 5-4 is one to 5 at 3-2."""
    assert worth(5, 4, target=7) == worth(3, 2)


@pytest.mark.parametrize(("elder", "dealer", "king"), [(5, 0, None), (-1, 0, None), (0, 0, True)])
def test_what_is_no_score_is_refused(elder: int, dealer: int, king: bool | None) -> None:
    """A finished game, less than nothing, a king without its point."""
    with pytest.raises(BadInput, match="is no score of a game"):
        worth(elder, dealer, king)
