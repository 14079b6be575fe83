"""The shipped chart of all hands, checked against exact counts and printed odds."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from casino.ecarte import card_set
from casino.errors import CardsError
from casino.solver.evaluation.hand_chart import CLASSES, TURNED, class_of, classes, lookup
from casino.solver.evaluation.odds import OddsQuery, compute_odds
from tools.chart_table import count_class_tricks
from tools.double_dummy import trick_table


@pytest.mark.parametrize("strict", [True, False], ids=["strict", "ordinary"])
@pytest.mark.parametrize("step", [101, pytest.param(1, marks=pytest.mark.nightly)])
def test_chart_file_matches_exact_counts(step: int, strict: bool) -> None:
    chart = list(classes(strict=strict))
    assert len(chart) == CLASSES and sum(row.hands for row in chart) == 169_911
    hands = np.array([row.hand for row in chart[::step]])
    for elder in (True, False):
        counted = count_class_tricks(trick_table(strict), hands, TURNED, elder).tolist()
        assert counted == [list(row.elder if elder else row.dealer) for row in chart[::step]]


@pytest.mark.parametrize("seed", range(12))
def test_any_hand_and_turn_up_has_exact_odds(seed: int) -> None:
    drawn = Random(seed).sample(range(32), 6)
    hand, turn_up = drawn[:5], drawn[5]
    row = class_of(card_set(hand), turn_up)
    for elder, tricks in ((True, row.elder), (False, row.dealer)):
        assert compute_odds(OddsQuery(tuple(hand), turn_up, elder)).tricks == tricks


@pytest.mark.parametrize(
    ("hand", "turn_up"),
    [
        ("", "8H"),
        ("7HKCQCJC", "8H"),
        ("7HKCQCJC7S9S", "8H"),
        ("7HKCQCJCJC", "8H"),
        ("7HKCQCJC7S", "7H"),
        ("7HKCQCJC7S", ""),
        ("7HKCQCJC7S", "8H9H"),
        ("7HKCQCJC1S", "8H"),
        ("??KCQCJC7S", "8H"),
    ],
)
def test_invalid_hand_is_refused(hand: str, turn_up: str) -> None:
    with pytest.raises(CardsError):
        lookup(hand, turn_up)
