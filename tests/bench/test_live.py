"""The calibration of the live chance: its classes, their doubts, and the moments it looks at."""

from __future__ import annotations

import pytest

from bench.live import calibration, moments, told


def test_each_class_has_its_mean_and_the_share_won() -> None:
    """Two classes of 50 %: what was told in them and what came of it."""
    low, high = calibration([0.1, 0.3, 0.6, 0.8], [0, 1, 1, 1], [0, 1, 2, 3], 2)
    assert (low.told, low.won, low.moments) == pytest.approx((0.2, 0.5, 2))
    assert (high.told, high.won, high.moments) == pytest.approx((0.7, 1.0, 2))
    assert low.doubt == pytest.approx((0.1**2 + 0.7**2) ** 0.5)


def test_moments_of_one_game_are_no_news_of_each_other() -> None:
    """Ten moments of one game are as doubtful as one of them; of ten games they are surer."""
    (same,) = calibration([0.5] * 10, [1] * 10, [4] * 10, 1)
    (several,) = calibration([0.5] * 10, [1] * 10, range(10), 1)
    assert same.doubt == pytest.approx(1.0)
    assert several.doubt == pytest.approx(10**-0.5)


def test_what_is_certain_stands_in_the_last_class() -> None:
    """A chance of one has a place; classes without moments are left out."""
    (only,) = calibration([1.0, 1.0], [1, 1], [0, 1], 10)
    assert only == (1.0, 1.0, 0.0, 2)


def test_one_of_so_many_moments_is_looked_at() -> None:
    """Games are numbered on; a quarter of the moments is left, the same ones."""
    every = list(moments("regle", "regle", 5, 2))
    some = list(moments("regle", "regle", 5, 2, 4))
    assert [one.game for one in every] == sorted(one.game for one in every)
    assert {one.game for one in every} == set(range(5))
    assert some == every[::4]
    assert all(0 <= told(one.seen, 10) <= 1 for one in some)
