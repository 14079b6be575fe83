"""Figures of a few games that can be worked out by hand: shares, means, errors, and their text."""

from __future__ import annotations

from fractions import Fraction
from io import StringIO
from math import sqrt
from statistics import mean, pvariance

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.table import Table

from casino.ecarte import CHALLENGER, HOUSE
from casino.simulate import report
from casino.simulate.counts import (
    BY_DEALS,
    COUNTED,
    DEALS,
    EXCHANGES,
    FINALS,
    PROPOSALS,
    SIDE,
    SQUARES,
    STOOD_AT_ONCE,
    STOOD_AT_ONCE_LOST,
    GameCounts,
)
from casino.simulate.series import Run
from casino.simulate.statistics import Estimate, edge, figures, per_deal, per_game, share

Game = tuple[int, int, tuple[int, int]]
"""A game by its deals, its proposals and its final score."""

scores = st.sampled_from([(5, lost) for lost in range(5)] + [(won, 5) for won in range(5)])
games = st.lists(st.tuples(st.integers(1, 9), st.integers(0, 12), scores), min_size=2, max_size=40)


def counted(some: list[Game]) -> GameCounts:
    row = [0] * COUNTED
    for deals, proposals, (house, challenger) in some:
        for event, had in ((DEALS, deals), (PROPOSALS, proposals)):
            row[event] += had
            row[SQUARES + event] += had * had
            row[BY_DEALS + event] += had * deals
        row[EXCHANGES] += deals
        row[FINALS + SIDE * house + challenger] += 1
    return GameCounts(tuple(row))


@pytest.mark.parametrize(
    ("part", "whole", "value", "error"),
    [(0, 0, 0, 0), (0, 9, 0, 0), (9, 9, 1, 0), (1, 2, 0.5, sqrt(0.125)), (1, 4, 0.25, sqrt(3) / 8)],
)
def test_a_share_has_the_error_of_so_many_cases(
    part: int, whole: int, value: float, error: float
) -> None:
    assert share(part, whole) == pytest.approx(Estimate(value, error))


@given(games)
def test_a_mean_over_games(some: list[Game]) -> None:
    deals = [game[0] for game in some]
    found = per_game(counted(some), DEALS)
    assert found.value == pytest.approx(mean(deals))
    assert found.error == pytest.approx(sqrt(pvariance(deals) / (len(some) - 1)), abs=1e-7)


@given(games)
def test_a_ratio_over_deals(some: list[Game]) -> None:
    number = len(some)
    deals, proposals = [game[0] for game in some], [game[1] for game in some]
    ratio = Fraction(sum(proposals), sum(deals))
    left = sum((had - ratio * of) ** 2 for had, of in zip(proposals, deals, strict=True))
    error = sqrt(left * number / (number - 1)) / sum(deals)
    found = per_deal(counted(some), PROPOSALS)
    assert found.value == pytest.approx(float(ratio))
    assert found.error == pytest.approx(error, abs=1e-7)


@given(games, st.sampled_from([0, 250, 500, 10_000]))
def test_the_edge_is_the_mean_of_what_the_house_keeps(some: list[Game], bp: int) -> None:
    for backed in (HOUSE, CHALLENGER):
        kept = []
        for _, _, (house, challenger) in some:
            loser = min(house, challenger)
            worth = 3 if loser == 0 else 2 if loser < 3 else 1
            won = (house > challenger) == (backed == HOUSE)
            kept.append(-worth * (1 - bp / 10_000) if won else worth)
        found = edge(counted(some), backed, bp)
        assert found.value == pytest.approx(mean(kept), abs=1e-9)
        error = sqrt(pvariance(kept) / (len(some) - 1))
        assert found.error == pytest.approx(error, abs=1e-6)


@given(games)
def test_what_one_side_loses_the_other_wins(some: list[Game]) -> None:
    counts = counted(some)
    assert edge(counts, HOUSE).value == pytest.approx(-edge(counts, CHALLENGER).value)
    assert edge(counts, HOUSE, 500).value >= edge(counts, HOUSE).value


def test_every_figure_of_a_few_games_is_named() -> None:
    counts = counted([(4, 2, (5, 3)), (6, 0, (2, 5)), (2, 1, (5, 0))])
    numbers = {name: number for name, number, _ in figures(counts, 500)}
    values = {name: figure.value for name, _, figure in figures(counts, 500)}
    assert (numbers["the house wins"], numbers["the challenger wins"]) == (2, 1)
    assert values["the house wins"] == pytest.approx(2 / 3)
    assert [numbers[f"{kind} games"] for kind in ("single", "double", "triple")] == [1, 1, 1]
    assert (numbers["deals in a game"], values["deals in a game"]) == (12, 4.0)
    assert (numbers["proposals, per deal"], values["proposals, per deal"]) == (3, 0.25)
    assert (numbers["deals with 0 exchanges"], values["deals with 0 exchanges"]) == (12, 1.0)
    kept = "kept of a unit on the challenger, no commission"
    assert numbers[kept] is None
    assert values[kept] == pytest.approx((1 - 2 + 3) / 3)


def test_lost_hands_are_shares_of_those_that_stood() -> None:
    row = [0] * COUNTED
    row[DEALS], row[STOOD_AT_ONCE], row[STOOD_AT_ONCE_LOST] = 90, 8, 2
    found = {name: figure.value for name, _, figure in figures(GameCounts(tuple(row)), 500)}
    assert found["stood at once and lost"] == 0.25
    assert found["refused at once and lost"] == 0.0


def printed(*things: str | Table) -> list[str]:
    """The lines that a wide console prints, without the blanks at their ends."""
    out = StringIO()
    Console(file=out, width=200).print(*things)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_a_report_of_three_games_to_the_last_digit() -> None:
    counts = counted([(4, 2, (5, 3)), (6, 0, (2, 5)), (2, 1, (5, 0))])
    assert printed(report.headline(Run(9, 7), counts, 0.5)) == [
        "3 of 9 games in 0.5 s (6 games/s): regle as the house against regle, seed 7.",
        "The house wins 66.67 ± 27.22 % of the games and +66.67 ± 145.30 % of each unit staked "
        "against it.",
    ]
    finals = printed(report.finals_table(counts))
    assert " ".join(finals[1].split()) == "the loser has 0 1 2 3 4"
    assert " ".join(finals[2].split()) == "the house wins 33.33 0.00 0.00 33.33 0.00"
    assert " ".join(finals[3].split()) == "the challenger wins 0.00 0.00 33.33 0.00 0.00"
    (_, row) = printed(report.sweep_table([({"house": "regle"}, counts)], 500))
    assert " ".join(row.split()) == "regle 66.67 ± 27.22 % +66.67 ± 145.30 % +70.00 % 4.00 33-33-33"
