"""Counts and figures: they match the records, add up in any order, have correct errors."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from math import sqrt
from operator import add
from random import Random
from statistics import mean, pvariance
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table

from casino.ecarte import CHALLENGER, HOUSE, Laws, card, read_record, replay
from casino.simulate import report
from casino.simulate.report import as_json
from casino.simulate.series import Run, play_series
from casino.simulate.statistics import (
    BY_DEALS,
    COUNTED,
    EXCHANGES,
    FINALS,
    SIDE,
    SQUARES,
    Estimate,
    Event,
    GameCounts,
    edge,
    figures,
    per_deal,
    per_game,
    share,
)
from tests.simulate.test_report import shown

Game = tuple[int, int, tuple[int, int]]
"""A game by its deals, its proposals and its final score."""

scores = st.sampled_from([(5, lost) for lost in range(5)] + [(won, 5) for won in range(5)])
games = st.lists(st.tuples(st.integers(1, 9), st.integers(0, 12), scores), min_size=2, max_size=40)


def counted(some: list[Game]) -> GameCounts:
    row = [0] * COUNTED
    for deals, proposals, (house, challenger) in some:
        for event, had in ((Event.DEALS, deals), (Event.PROPOSALS, proposals)):
            row[event] += had
            row[SQUARES + event] += had * had
            row[BY_DEALS + event] += had * deals
        row[EXCHANGES] += deals
        row[FINALS + SIDE * house + challenger] += 1
    return GameCounts(tuple(row))


@pytest.mark.parametrize(
    ("part", "whole", "value", "error"),
    [
        (0, 0, 0, 0),
        (0, 9, 0, sqrt(22 / 13**3)),
        (9, 9, 1, sqrt(22 / 13**3)),
        (1, 2, 0.5, sqrt(0.125)),
        (1, 4, 0.25, sqrt(3) / 8),
    ],
)
def test_share_has_binomial_error(part: int, whole: int, value: float, error: float) -> None:
    assert share(part, whole) == pytest.approx(Estimate(value, error))


@given(games)
def test_mean_per_game(some: list[Game]) -> None:
    deals = [game[0] for game in some]
    found = per_game(counted(some), Event.DEALS)
    assert found.value == pytest.approx(mean(deals))
    assert found.error == pytest.approx(sqrt(pvariance(deals) / (len(some) - 1)), abs=1e-7)


@given(games)
def test_ratio_per_deal(some: list[Game]) -> None:
    number = len(some)
    deals, proposals = [game[0] for game in some], [game[1] for game in some]
    ratio = Fraction(sum(proposals), sum(deals))
    left = sum((had - ratio * of) ** 2 for had, of in zip(proposals, deals, strict=True))
    error = sqrt(left * number / (number - 1)) / sum(deals)
    found = per_deal(counted(some), Event.PROPOSALS)
    assert found.value == pytest.approx(float(ratio))
    assert found.error == pytest.approx(error, abs=1e-7)


@given(games, st.sampled_from([0, 250, 500, 10_000]))
def test_edge_is_mean_return_of_the_house(some: list[Game], bp: int) -> None:
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


def test_figures_of_three_games() -> None:
    counts = counted([(4, 2, (5, 3)), (6, 0, (2, 5)), (2, 1, (5, 0))])
    numbers = {name: number for name, number, _ in figures(counts, 500)}
    values = {name: figure.value for name, _, figure in figures(counts, 500)}
    assert (numbers["the house wins"], numbers["the challenger wins"]) == (2, 1)
    assert values["the house wins"] == pytest.approx(2 / 3)
    assert [numbers[f"{kind} games"] for kind in ("single", "double", "triple")] == [1, 1, 1]
    assert (numbers["deals in a game"], values["deals in a game"]) == (12, 4.0)
    assert (numbers["proposals, per deal"], values["proposals, per deal"]) == (3, 0.25)
    assert (numbers["deals with 0 exchanges"], values["deals with 0 exchanges"]) == (12, 1.0)
    row = [0] * COUNTED
    row[EXCHANGES + 1] = row[EXCHANGES + 2] = 1
    names = [name for name, _, _ in figures(GameCounts(tuple(row)), 0)]
    assert "deals with 1 exchange" in names and "deals with 2 exchanges" in names
    kept = "house edge, bets on the challenger, no commission"
    assert numbers[kept] is None
    assert values[kept] == pytest.approx((1 - 2 + 3) / 3)


def test_lost_hands_are_shares_of_hands_stood() -> None:
    row = [0] * COUNTED
    row[Event.DEALS], row[Event.STOOD_AT_ONCE], row[Event.STOOD_AT_ONCE_LOST] = 90, 8, 2
    found = {name: figure.value for name, _, figure in figures(GameCounts(tuple(row)), 500)}
    assert found["stood at once and lost"] == 0.25
    assert found["refused at once and lost"] == 0.0


def printed(*things: str | Table) -> list[str]:
    return [line.rstrip() for line in shown(*things, width=200).splitlines()]


def test_report_of_three_games() -> None:
    counts = counted([(4, 2, (5, 3)), (6, 0, (2, 5)), (2, 1, (5, 0))])
    run = Run(9, 7, "regle", "novice", Laws(7, "ordinary"))
    assert printed(report.headline(run, counts, 0.5)) == [
        "3 of 9 games in 0.5 s (6 games/s): regle as the house against novice, seed 7, target 7, "
        "play ordinary.",
        "The house wins 66.67 ± 53.34 % of the games and +66.67 ± 284.78 % of each unit staked "
        "against it (± is the 95 % confidence interval, unreliable for so few games).",
    ]
    proposals = next(line for line in printed(report.figures_table(counts, 0)) if "prop" in line)
    assert proposals.split() == ["proposals,", "per", "deal", "3", "0.25000", "–"]
    assert "games/s" not in printed(report.headline(run, counts, 0.0))[0]
    finals = printed(report.finals_table(counts))
    assert " ".join(finals[1].split()) == "the loser has 0 1 2 3 4"
    assert " ".join(finals[2].split()) == "the house wins 33.33 0.00 0.00 33.33 0.00"
    assert " ".join(finals[3].split()) == "the challenger wins 0.00 0.00 33.33 0.00 0.00"
    (_, row, _) = printed(report.sweep_table([({"house": "regle"}, counts)], 500))
    assert " ".join(row.split()) == "regle 66.67 ± 53.34 % +66.67 ± 284.78 % +70.00 % 4.00 33-33-33"


RUNS = [
    Run(400, 1),
    Run(400, 2, "novice", "regle", Laws(7, "ordinary", 2)),
    Run(300, 3, "novice", "novice", Laws(packets=(2, 3), deal="house")),
    Run(200, 4, "regle", "novice", Laws(11, first_dealer="loser")),
]


def from_records(lines: str) -> dict[str, Any]:
    """Return the expected `--json` figures of games, by replaying their records."""
    records = list(map(read_record, lines.splitlines()))
    games = [replay(record) for record in records]
    deals = [deal for game in games for deal in game.deals]
    stakes = [game.stake for game in games]
    signed = [(1 if game.winner == HOUSE else -1) * (game.stake or 0) for game in games]
    stood = [deal for deal in deals if deal.history[:1] == (33,)]
    refused = [deal for deal in deals if deal.history[:2] == (32, 35)]
    exchanged = [deal.history.count(34) for deal in deals]
    finals = ["-".join(map(str, game.game.score)) for game in games]
    return {
        "games": len(games),
        "house_wins": sum(game.winner == HOUSE for game in games),
        "challenger_wins": sum(game.winner == CHALLENGER for game in games),
        "single": stakes.count(1),
        "double": stakes.count(2),
        "triple": stakes.count(3),
        "deals": len(deals),
        "first_dealer_wins": sum(
            game.winner == record.first_dealer for game, record in zip(games, records, strict=True)
        ),
        "five_tricks": sum(5 in deal.tricks for deal in deals),
        "voles": sum(5 in deal.tricks and 34 in deal.history for deal in deals),
        "kings_turned": sum(deal.deck[10] & 7 == card("KS") for deal in deals),
        "kings_marked": sum(36 in deal.history for deal in deals),
        "proposals": sum(deal.history.count(32) for deal in deals),
        "stood_at_once": len(stood),
        "stood_at_once_lost": sum(deal.tricks[deal.dealer] >= 3 for deal in stood),
        "refused_first": len(refused),
        "refused_first_lost": sum(deal.tricks[deal.elder] >= 3 for deal in refused),
        "exchanges_per_deal": [exchanged.count(n) for n in range(max(exchanged) + 1)],
        "final_scores": {score: finals.count(score) for score in sorted(set(finals))},
        "stake_points_house": sum(signed),
    }


@pytest.mark.parametrize("run", RUNS, ids=range(len(RUNS)))
def test_counts_match_the_records(run: Run) -> None:
    played = play_series(run, 0, recording=True)
    found = as_json(run, played.counts, 500, 2.0)
    for key, value in from_records(played.lines).items():
        assert (key, found[key]) == (key, value)


@given(st.lists(st.lists(st.integers(0, 1 << 40), min_size=COUNTED, max_size=COUNTED), max_size=5))
def test_counts_add_up_in_any_order(rows: list[list[int]]) -> None:
    parts = [GameCounts(tuple(row)) for row in rows]
    whole = sum(parts, GameCounts())
    Random(1).shuffle(parts)
    assert reduce(add, parts, GameCounts()) == whole
    assert sum(whole.row) == sum(map(sum, rows))
