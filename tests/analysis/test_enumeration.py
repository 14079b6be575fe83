"""One hand against all 65,780: the counts add up, agree with each other and with the slow way."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from casino.analysis.double_dummy import trick_table
from casino.analysis.enumeration import (
    count_tricks,
    count_tricks_by_lead,
    opponent_hands,
    unseen_cards,
)
from casino.ecarte.cards import SUITS, card_set, cards, cards_in, format_card
from tests.analysis import naive


def random_hand(seed: int) -> tuple[int, int]:
    drawn = Random(seed).sample(range(32), 6)
    return card_set(drawn[:5]), drawn[5]


def test_the_other_side_has_65780_hands() -> None:
    hand, turn_up = random_hand(1)
    others = opponent_hands(hand, turn_up)
    assert len(np.unique(others)) == 65_780
    assert not np.any(others & (hand | 1 << turn_up))
    assert {int(some).bit_count() for some in others[::997]} == {5}
    assert int(np.bitwise_or.reduce(others)) == unseen_cards(hand, turn_up)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("leads", [True, False], ids=["elder", "dealer"])
@pytest.mark.parametrize("strict", [True, False], ids=["strict", "ordinary"])
def test_the_two_ways_of_counting_agree(seed: int, leads: bool, strict: bool) -> None:
    hand, turn_up = random_hand(seed)
    law, trumps = trick_table(strict), turn_up >> 3
    counts = count_tricks(law, hand, unseen_cards(hand, turn_up), trumps, leads)
    others = opponent_hands(hand, turn_up)
    assert counts.sum() == 65_780
    assert counts.tolist() == count_tricks_by_lead(law, hand, others, trumps, leads)[32].tolist()


def test_the_counts_agree_with_the_slow_way() -> None:
    hand, turn_up = card_set(cards("8H 7H KS AD 9C")), cards("QH")[0]
    others = opponent_hands(hand, turn_up)[::1_700]
    counts = [0] * 6
    for other in others.tolist():
        mine, theirs = (frozenset(map(format_card, cards_in(some))) for some in (hand, other))
        counts[naive.tricks(mine, theirs, SUITS[turn_up >> 3], strict=True)] += 1
    assert (
        count_tricks_by_lead(trick_table(), hand, others, turn_up >> 3, True)[32].tolist() == counts
    )
