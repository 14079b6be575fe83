"""Kinds of hands: what they tell apart, how many there are, and what is given up first."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casino.analysis.enumeration import NUMBER_OF_CLASSES, hand_classes
from casino.bots import heuristics
from casino.ecarte import PACK, card, card_set, cards, cards_in, suit_of
from casino.solver.policy.abstraction import (
    BUCKETS,
    HAND,
    LEADS,
    bucket_of,
    buckets,
    discard_order,
    first_discards,
    lead_index,
)

TABLE = buckets()
deals = st.lists(st.sampled_from(PACK), min_size=6, max_size=6, unique=True)


def bucket(hand: str, turn_up: str) -> int:
    return bucket_of(TABLE, card_set(cards(hand)), card(turn_up))


@pytest.mark.parametrize("turn_up", ["7S", "KS", "AH", "QD", "9C"])
def test_every_kind_occurs_whatever_is_turned_up(turn_up: str) -> None:
    """All numbers from 0 on are used, and every class of hands has one."""
    classes = hand_classes(card(turn_up))
    found = Counter(bucket_of(TABLE, hand, card(turn_up)) for hand in classes.hands.tolist())
    assert sorted(found) == list(range(BUCKETS))
    assert found.total() == NUMBER_OF_CLASSES


@given(deals, st.permutations(range(4)))
def test_plain_suits_may_trade_places(dealt: list[int], order: list[int]) -> None:
    """Suits renamed, the trumps with them, leave the kind as it is."""
    *hand, turn_up = dealt
    renamed = [8 * order[one >> 3] + (one & 7) for one in dealt]
    assert bucket_of(TABLE, card_set(hand), turn_up) == bucket_of(
        TABLE, card_set(renamed[:-1]), renamed[-1]
    )


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
    """Spades are trumps, the seven of them is turned up."""
    assert (bucket(one, "7S") == bucket(other, "7S")) is same


def test_the_turned_card_is_taken_out_of_the_trumps() -> None:
    """The best trumps left count alike whichever card is turned up, so long as it is no king."""
    assert bucket("KS QS 8H 7D AC", "7S") == bucket("KS QS 8H 7D AC", "JS")
    assert bucket("KS AS 8H 7D AC", "QS") != bucket("KS AS 8H 7D AC", "7S")
    assert bucket("QS JS 8H 7D AC", "KS") == bucket("KS QS 8H 7D AC", "7S")


@given(deals)
def test_all_plain_orders_give_one_kind(dealt: list[int]) -> None:
    """Whichever plain suit holds which cards."""
    *hand, turn_up = dealt
    trumps = suit_of(turn_up)
    plain = [suit for suit in range(4) if suit != trumps]
    found = set()
    for order in permutations(plain):
        to = dict(zip(plain, order, strict=True)) | {trumps: trumps}
        found.add(bucket_of(TABLE, card_set(8 * to[c >> 3] + (c & 7) for c in hand), turn_up))
    assert len(found) == 1


@given(deals)
def test_what_is_led_is_known_by_the_kind_and_the_card(dealt: list[int]) -> None:
    """Each card has a place of its kind's own; cards alike share one, plain suits may trade."""
    *cards_held, turn_up = dealt
    hand, trumps = card_set(cards_held), suit_of(turn_up)
    start = LEADS * bucket_of(TABLE, hand, turn_up)
    places = {one: lead_index(TABLE, hand, turn_up, one) - start for one in cards_held}
    assert set(places.values()) <= set(range(LEADS))

    def told(one: int) -> tuple[object, ...]:
        """What a place may tell of a card."""
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


@given(deals, st.integers(0, 3))
def test_cards_are_given_up_as_the_rule_of_thumb_values_them(dealt: list[int], trumps: int) -> None:
    """The order has each card once, the least valuable first."""
    hand = card_set(dealt[:HAND])
    order = discard_order(hand, trumps)
    listed = [order >> 5 * at & 31 for at in range(HAND)]
    assert sorted(listed) == sorted(cards_in(hand))
    left = hand
    for one in listed:
        assert one == heuristics.cheapest_discard(left, hand, trumps)
        left ^= 1 << one
    for number in range(HAND + 1):
        assert first_discards(order, number) == card_set(listed[:number])


def test_trumps_and_kings_go_last() -> None:
    """In a hand with everything: low plain cards, the plain king, then trumps from below."""
    order = discard_order(card_set(cards("7S JS KH 7D QC")), 0)
    assert [order >> 5 * at & 31 for at in range(HAND)] == list(cards("7D QC KH 7S JS"))


def test_kinds_are_as_likely_as_their_hands() -> None:
    """Of hands dealt at random, none of a dozen kinds comes up oftener than it should."""
    rng = Random(4)
    usual = Counter[int]()
    classes = hand_classes(0)
    for hand, size in zip(classes.hands.tolist(), classes.sizes.tolist(), strict=True):
        usual[bucket_of(TABLE, hand, 0)] += size
    dealt = Counter(
        bucket_of(TABLE, card_set(rng.sample(range(1, 32), HAND)), 0) for _ in range(20_000)
    )
    for one, number in usual.most_common(12):
        expected = 20_000 * number / usual.total()
        assert abs(dealt[one] - expected) < 5 * expected**0.5
