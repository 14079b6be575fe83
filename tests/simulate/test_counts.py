"""Counts and figures: what the records say, added up in any order, with honest errors."""

from __future__ import annotations

from functools import reduce
from operator import add
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casino.ecarte import CHALLENGER, HOUSE, Deal, Laws, card, read_record, replay
from casino.simulate.counts import COUNTED, FINALS, SIDE, STAKE_POINTS, GameCounts
from casino.simulate.series import Run, play_series
from casino.simulate.statistics import as_json, edge

RUNS = [
    Run(400, 1),
    Run(400, 2, "novice", "regle", Laws(7, "ordinary", 2)),
    Run(300, 3, "novice", "novice", Laws(packets=(2, 3), deal="house")),
    Run(200, 4, "regle", "novice", Laws(11, first_dealer="loser")),
]


def from_records(run: Run, lines: str) -> dict[str, Any]:
    """What `--json` must say of these games, found in their records by replaying them."""
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
        "stood_at_once_lost": sum(took(deal, deal.dealer) for deal in stood),
        "refused_first": len(refused),
        "refused_first_lost": sum(took(deal, deal.elder) for deal in refused),
        "exchanges_per_deal": [exchanged.count(n) for n in range(max(exchanged) + 1)],
        "final_scores": {score: finals.count(score) for score in sorted(set(finals))},
        "stake_points_house": sum(signed),
    }


def took(deal: Deal, seat: int) -> bool:
    return deal.tricks[seat] >= 3


@pytest.mark.parametrize("run", RUNS, ids=range(len(RUNS)))
def test_counts_are_what_the_records_say(run: Run) -> None:
    played = play_series(run, 0, recording=True)
    found = as_json(run, played.counts, 500, 2.0)
    for key, value in from_records(run, played.lines).items():
        assert (key, found[key]) == (key, value)


@given(st.lists(st.lists(st.integers(0, 1 << 40), min_size=COUNTED, max_size=COUNTED), max_size=5))
def test_counts_add_up_in_any_order(rows: list[list[int]]) -> None:
    parts = [GameCounts(tuple(row)) for row in rows]
    whole = sum(parts, GameCounts())
    Random(1).shuffle(parts)
    assert reduce(add, parts, GameCounts()) == whole
    assert sum(whole.row) == sum(map(sum, rows))


@pytest.mark.parametrize(
    ("house", "challenger", "points"),
    [(5, 4, 1), (5, 3, 1), (5, 2, 2), (5, 1, 2), (5, 0, 3), (0, 5, -3), (2, 5, -2), (3, 5, -1)]
    + [(7, 2, 2), (11, 10, 1), (0, 11, -3), (0, 0, 0)],
)
def test_r7_2_what_a_final_score_is_worth(house: int, challenger: int, points: int) -> None:
    assert STAKE_POINTS[FINALS + SIDE * house + challenger] == points


def one_game(**finals: int) -> GameCounts:
    row = [0] * COUNTED
    for name, number in finals.items():
        house, challenger = map(int, name[1:].split("_"))
        row[FINALS + SIDE * house + challenger] = number
    return GameCounts(tuple(row))


@pytest.mark.parametrize(
    ("finals", "backed", "commission_bp", "kept"),
    [
        ({"s5_3": 1, "s3_5": 1}, CHALLENGER, 0, 0.0),
        ({"s5_3": 1, "s3_5": 1}, CHALLENGER, 500, 0.025),
        ({"s5_3": 1, "s3_5": 1}, HOUSE, 500, 0.025),
        ({"s5_0": 1, "s3_5": 1}, CHALLENGER, 0, 1.0),
        ({"s5_0": 1, "s3_5": 1}, CHALLENGER, 500, 1.025),
        ({"s5_0": 1, "s3_5": 1}, HOUSE, 0, -1.0),
        ({"s5_0": 1, "s3_5": 1}, HOUSE, 500, -0.925),
        ({"s2_5": 3, "s5_2": 1}, CHALLENGER, 1000, -0.85),
        ({"s2_5": 1}, CHALLENGER, 10_000, 0.0),
    ],
)
def test_g12_the_edge_and_its_commission(
    finals: dict[str, int], backed: int, commission_bp: int, kept: float
) -> None:
    assert edge(one_game(**finals), backed, commission_bp).value == pytest.approx(kept)
