"""Kinds of hands: what they tell apart, how many there are, and what is given up first."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casino.analysis.enumeration import NUMBER_OF_CLASSES, hand_classes
from casino.ecarte import PACK, card, card_set, cards, suit_of
from casino.solver.policy.abstraction import KINDS, LEADS, kind_of, kinds, lead_index

TABLE = kinds()
deals = st.lists(st.sampled_from(PACK), min_size=6, max_size=6, unique=True)


def kind(hand: str, turn_up: str) -> int:
    return kind_of(TABLE, card_set(cards(hand)), card(turn_up))


@pytest.mark.parametrize("turn_up", ["7S", "KS", "AH", "QD", "9C"])
def test_every_kind_occurs_whatever_is_turned_up(turn_up: str) -> None:
    classes = hand_classes(card(turn_up))
    found = Counter(kind_of(TABLE, hand, card(turn_up)) for hand in classes.hands.tolist())
    assert sorted(found) == list(range(KINDS))
    assert found.total() == NUMBER_OF_CLASSES


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("KS 9H 8H 7D AC", "KS 8H 7H 9D TC", True),  # low cards, and ace and ten, are alike
        ("KS 9H 8H 7D AC", "KS 9H 8H 7D JC", False),
        ("KS 9H 8H 7D AC", "QS 9H 8H 7D AC", False),
        ("9S KH QH 7D AC", "8S KH QH 7D AC", False),  # of trumps every one counts
        ("9S KH QD 7D AC", "9S KH QH 7D AC", False),  # which suit a queen is guarded in
        ("9S KH QD 7D AC", "9S KD QC 7C AH", True),
    ],
)
def test_what_a_kind_tells_apart(one: str, other: str, same: bool) -> None:
    assert (kind(one, "7S") == kind(other, "7S")) is same


@given(deals)
def test_all_plain_orders_give_one_kind(dealt: list[int]) -> None:
    *hand, turn_up = dealt
    trumps = suit_of(turn_up)
    plain = [suit for suit in range(4) if suit != trumps]
    found = set()
    for order in permutations(plain):
        to = dict(zip(plain, order, strict=True)) | {trumps: trumps}
        found.add(kind_of(TABLE, card_set(8 * to[c >> 3] + (c & 7) for c in hand), turn_up))
    assert len(found) == 1


@given(deals)
def test_what_is_led_is_known_by_the_kind_and_the_card(dealt: list[int]) -> None:
    *cards_held, turn_up = dealt
    hand, trumps = card_set(cards_held), suit_of(turn_up)
    start = LEADS * kind_of(TABLE, hand, turn_up)
    places = {one: lead_index(TABLE, hand, turn_up, one) - start for one in cards_held}
    assert set(places.values()) <= set(range(LEADS))

    def told(one: int) -> tuple[object, ...]:
        if one >> 3 == trumps:
            return (-1, one & 7)
        return (
            TABLE.code[hand >> 8 * (one >> 3) & 255],
            ("low", "ten", "J", "Q", "K")[(one & 7) - 3 if one & 7 > 4 else (one & 7) // 3],
        )

    for one, other in combinations(cards_held, 2):
        assert (places[one] == places[other]) == (told(one) == told(other))
    plain = [suit for suit in range(4) if suit != trumps]
    for order in permutations(plain):
        to = dict(zip(plain, order, strict=True)) | {trumps: trumps}
        moved = {one: 8 * to[one >> 3] + (one & 7) for one in cards_held}
        other = card_set(moved.values())
        for one in cards_held:
            assert lead_index(TABLE, other, turn_up, moved[one]) - start == places[one]
