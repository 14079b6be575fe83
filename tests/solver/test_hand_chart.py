"""The shipped chart of all hands, held against exact counts and against the expert's tables."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from casino.analysis.odds import OddsQuery, compute_odds
from casino.ecarte import card, card_set, cards
from casino.errors import CardsError
from casino.solver.evaluation.hand_chart import CLASSES, HandClass, class_of, classes, lookup
from tools.chart_table import exact

PRINTED = {
    "7H KC QC JC 7S": 44_724, "8C 7C KH JS 7D": 44_459, "8C 7C 9H 8H 7H": 47_768,
    "8H 7H KS AD 9C": 44_034, "8H 7H KS 7S 7D": 46_039, "8S 7S KD TC TH": 43_434,
    "8D 7D 8C 7C KH": 45_374, "8D 7D 8S QH QC": 44_766, "8C 7C 9D 8D QS": 44_169,
    "8C 7C AD QS JH": 46_779, "8D 7D JS AS 8H": 44_766,
}  # fmt: skip
"""Hands in print, trumps first, with how many of the other side's hands they beat."""


@pytest.fixture(scope="module")
def counted() -> list[HandClass]:
    return exact()


def test_the_file_holds_what_is_counted(counted: Sequence[HandClass]) -> None:
    assert list(classes()) == counted
    assert len(counted) == CLASSES and sum(row.hands for row in counted) == 169_911


@pytest.mark.parametrize("hand", PRINTED)
def test_hands_in_print_win_as_often_as_printed(hand: str) -> None:
    held = card_set(cards(hand))
    for rank in "KQJAT9":
        assert class_of(held, card(rank + hand[1])).elder_wins == PRINTED[hand]


@pytest.mark.parametrize("seed", range(12))
def test_any_hand_with_any_turn_up_has_its_exact_odds(seed: int) -> None:
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
def test_what_is_no_hand_is_refused(hand: str, turn_up: str) -> None:
    with pytest.raises(CardsError):
        lookup(hand, turn_up)
