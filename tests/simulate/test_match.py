"""Matches: the same cards for both bots, consistent figures, correct intervals."""

from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casino.simulate.compiled.splitmix import word
from casino.simulate.match import BLOCK, MatchJob, MatchResult, MatchSums, as_json
from casino.simulate.series import Run, play_block
from casino.simulate.statistics import SURE_ERRORS, GameCounts

SHORT = MatchJob("regle", "novice", 300, 5)


def played(match: MatchJob) -> MatchResult:
    found = MatchResult()
    for task in match.tasks():
        found = found.plus(task())
    return found


def test_bot_against_itself_wins_exactly_half() -> None:
    found = played(MatchJob("regle", "regle", 500, 3))
    assert found.win_rate.value == 0.5
    assert found.win_rate.error == found.stakes.value == found.stakes.error == 0


def test_better_bot_wins_from_either_seat() -> None:
    one, other = played(SHORT), played(SHORT._replace(first="novice", second="regle"))
    assert one.win_rate.value > 0.7
    assert one.win_rate.value + other.win_rate.value == pytest.approx(1)
    assert one.stakes.value == pytest.approx(-other.stakes.value)
    assert one.win_rate.error == pytest.approx(other.win_rate.error)
    assert one.as_house == other.as_challenger


def test_json_report_is_consistent() -> None:
    found = as_json(SHORT, played(SHORT), 2.0)
    assert found["first_wins"] + found["second_wins"] == found["games"] == 600
    assert sum(found["first_won"].values()) == found["first_wins"]
    assert sum(found["second_won"].values()) == found["second_wins"]
    rate = found["win_rate"]
    assert rate["low"] < rate["value"] < rate["high"]
    assert found["games_per_second"] == 300.0
    assert found["laws"]["target"] == 5


def of_blocks(blocks: list[tuple[int, int, int]]) -> MatchResult:
    total = MatchSums()
    for games, wins, stakes in blocks:
        products = (games * games, wins * wins, wins * games, stakes * stakes, stakes * games)
        one = MatchSums(1, games, wins, stakes, *products)
        total = MatchSums(*(a + b for a, b in zip(total, one, strict=True)))
    return MatchResult(sums=total)


blocks = st.lists(
    st.integers(1, 32).flatmap(
        lambda pairs: st.tuples(
            st.just(2 * pairs), st.integers(0, 2 * pairs), st.integers(-6 * pairs, 6 * pairs)
        )
    ),
    min_size=2,
    max_size=20,
)


@given(blocks)
def test_ratios_have_textbook_error_and_wilson_interval(some: list[tuple[int, int, int]]) -> None:
    number, games = len(some), sum(block[0] for block in some)
    bout = of_blocks(some)
    for found, at in ((bout.win_rate, 1), (bout.stakes, 2)):
        ratio = sum(block[at] for block in some) / games
        left = sum((block[at] - ratio * block[0]) ** 2 for block in some)
        assert found.value == pytest.approx(ratio)
        error = sqrt(left * number / (number - 1)) / games
        assert found.error == pytest.approx(error, abs=1e-6)
    won, error = bout.win_rate
    if not error > 1e-3 or not 0 < won < 1:
        return
    trials = won * (1 - won) / error**2
    for end in bout.interval:
        assert 0 <= end <= 1
        away = abs(won - end) / sqrt(end * (1 - end) / trials)
        assert away == pytest.approx(SURE_ERRORS, rel=1e-6)


def test_every_block_has_its_own_key() -> None:
    match = MatchJob("regle", "novice", 3 * BLOCK + 5, 19)
    house = Run(match.pairs, 19, "regle", "novice")
    challenger = Run(match.pairs, 19, "novice", "regle")
    sizes = [BLOCK, BLOCK, BLOCK, 5]
    keys = [word(19, block) for block in range(4)]
    expected = [
        sum(
            (play_block(run, key, size) for key, size in zip(keys, sizes, strict=True)),
            GameCounts(),
        )
        for run in (house, challenger)
    ]
    found = match.play(0)
    assert [found.as_house, found.as_challenger] == expected
    assert found.sums.blocks == 4 and found.games == 2 * match.pairs
    assert len({play_block(house, key, BLOCK) for key in keys}) == 4
