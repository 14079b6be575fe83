"""The classes of hands: how many there are, what makes two hands one, what all come to."""

from __future__ import annotations

from itertools import combinations

import pytest

from casino.analysis.double_dummy import trick_table
from casino.analysis.enumeration import count_class_tricks, hand_classes
from casino.analysis.odds import OddsQuery, compute_odds
from casino.ecarte import PACK, Laws, card, card_set, cards_in


def sorted_suits(hand: int, trumps: int) -> tuple[int, ...]:
    suits = [hand >> 8 * suit & 255 for suit in range(4)]
    return suits[trumps], *sorted(suits[:trumps] + suits[trumps + 1 :])


@pytest.mark.parametrize("turned", ["7S", "QH", "KC"])
def test_the_classes_hold_every_hand(turned: str) -> None:
    turn_up = card(turned)
    sizes: dict[tuple[int, ...], int] = {}
    for chosen in combinations([one for one in PACK if one != turn_up], 5):
        key = sorted_suits(card_set(chosen), turn_up >> 3)
        sizes[key] = sizes.get(key, 0) + 1
    classes = hand_classes(turn_up)
    found = {
        sorted_suits(hand, turn_up >> 3): size
        for hand, size in zip(classes.hands.tolist(), classes.sizes.tolist(), strict=True)
    }
    assert found == sizes
    assert len(classes.hands) == len(found) == 31_913


def test_a_class_takes_the_tricks_that_its_hand_has_odds_of() -> None:
    turn_up = card("QH")
    some = hand_classes(turn_up).hands[::6_000]
    for law in (Laws(), Laws(play="ordinary")):
        for elder in (True, False):
            counted = count_class_tricks(trick_table(law.play == "strict"), some, turn_up, elder)
            for hand, counts in zip(some.tolist(), counted.tolist(), strict=True):
                asked = OddsQuery(cards_in(hand), turn_up, elder, laws=law)
                assert compute_odds(asked).tricks == tuple(counts)


def test_all_11_176_745_580_pairs_of_hands() -> None:
    classes = hand_classes(card("7S"))
    counts = classes.sizes @ count_class_tricks(trick_table(), classes.hands, card("7S"), True)
    pairs = int(counts.sum())
    assert pairs == 11_176_745_580
    assert round(100 * int(counts[3:].sum()) / pairs, 3) == 56.878
    assert round(100 * int(counts[5]) / pairs, 2) == 9.44
    assert round(100 * int(counts[0]) / pairs, 2) == 7.39
