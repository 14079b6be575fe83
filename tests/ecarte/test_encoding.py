"""Actions and views as numbers: complete, and without hidden information."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given

from casino import ecarte
from casino.ecarte import CHALLENGER, GALLERY, HOUSE, CardSet, Deal, Laws, View
from casino.ecarte.actions import EXCHANGE, HIDDEN_EXCHANGE, exchanged_number, hidden_exchange
from casino.ecarte.observation import encoding
from casino.ecarte.observation.encoding import (
    FIRST_EXCHANGE,
    MAX_VALUES,
    NUM_ACTIONS,
    NUMBERS,
    OBSERVATION_SIZE,
    PLANES,
    card_planes,
    decode_action,
    encode_action,
    information_state,
    legal_mask,
    observation,
    scalar_features,
)
from casino.errors import InputError
from tests.ecarte.deal_helpers import begun, say
from tests.strategies import Course, courses


@given(courses())
def test_mask_marks_exactly_the_legal_actions(course: Course) -> None:
    for deal in course.states:
        for seat in (HOUSE, CHALLENGER):
            hand = deal.hands[seat]
            legal = [
                one
                for one in ecarte.legal_for(deal, seat)
                if not ecarte.LEAD_OUT <= one < ecarte.LEAD_OUT + 32
            ]
            marked = [number for number, may in enumerate(legal_mask(legal, hand)) if may]
            assert len(marked) == len(legal)
            assert sorted(decode_action(number, hand) for number in marked) == sorted(legal)
            assert len(legal_mask(ecarte.legal_for(deal, seat), hand)) == NUM_ACTIONS


def test_hand_has_31_exchanges() -> None:
    hand = ecarte.card_set(ecarte.cards("KS 7S QH 9D 8C"))
    found = {decode_action(number, hand) for number in range(FIRST_EXCHANGE + 1, NUM_ACTIONS)}
    assert len(found) == 31 and NUM_ACTIONS == 74
    assert all(encode_action(action, hand) > FIRST_EXCHANGE for action in found)
    assert encode_action(ecarte.exchange(0), hand) == FIRST_EXCHANGE == 42
    assert decode_action(FIRST_EXCHANGE, hand) == ecarte.exchange(0)
    assert decode_action(FIRST_EXCHANGE + 1, hand) == ecarte.exchange(1 << ecarte.cards_in(hand)[0])


@pytest.mark.parametrize("number", [-1, NUM_ACTIONS, True, None, 1.0, "P"])
def test_invalid_action_number_is_refused(number: Any) -> None:
    with pytest.raises(InputError, match="use 0 to 73"):
        decode_action(number, 31)
    with pytest.raises(InputError, match="more cards than the hand has"):
        decode_action(FIRST_EXCHANGE + 0b1000, ecarte.card_set(ecarte.cards("KS QS JS")))


@pytest.mark.parametrize("action", [42, 64, ecarte.LEAD_OUT, ecarte.exchange(1 << 31), 1 << 33, -1])
def test_action_no_seat_chooses_has_no_number(action: int) -> None:
    with pytest.raises(InputError, match="has no number"):
        encode_action(action, ecarte.card_set(ecarte.cards("KS QS JS AS TS")))


def planes(seen: View) -> dict[str, CardSet]:
    return dict(zip(PLANES, card_planes(seen), strict=True))


@given(courses())
def test_observation_matches_view_within_its_bounds(course: Course) -> None:
    for deal in course.states:
        for seat in (HOUSE, CHALLENGER):
            seen = ecarte.view(deal, seat)
            found = planes(seen)
            assert found["hand"] == seen.hand and found["exposed"] == seen.exposed
            assert found["hand when play began"] == seen.kept[seat]
            row = observation(seen)
            assert len(row) == OBSERVATION_SIZE and sum(row[: 32 * len(PLANES)]) == sum(
                plane.bit_count() for plane in card_planes(seen)
            )
            assert all(0 <= one <= most for one, most in zip(row, MAX_VALUES, strict=True))


def test_equal_observations_mean_equal_views() -> None:
    """In every state of 32 tiny packs, equal rows mean equal views and legal actions.

    Only the order in which the viewer's own cards came and went is lost.
    """
    laws = Laws(target=2, packets=(1, 1))
    found: dict[tuple[int, ...], set[View]] = {}
    for order in list(permutations(ecarte.cards("KS QS KH QH JH KD JD")))[::160]:
        for deal in whole_tree(ecarte.new_deal(laws, HOUSE, order)):
            seen = ecarte.view(deal, HOUSE)
            found.setdefault(tuple(observation(seen)), set()).add(without_order(seen))
    assert len(found) > 4_000
    assert all(len(views) == 1 for views in found.values())


def whole_tree(deal: Deal) -> Iterator[Deal]:
    yield deal
    for action in ecarte.legal_actions(deal):
        yield from whole_tree(ecarte.apply(deal, action))


def without_order(seen: View) -> View:
    gone = sum(one ^ EXCHANGE for one in seen.history if one >= EXCHANGE and one < HIDDEN_EXCHANGE)
    history = tuple(
        hidden_exchange(exchanged_number(one)) if one >= EXCHANGE else one for one in seen.history
    )
    deck = (seen.hand, gone)
    return seen._replace(deck=deck, history=history)


def nonzero(seen: View) -> dict[str, int]:
    numbers = zip(NUMBERS, scalar_features(seen), strict=True)
    return {name: number for name, number in numbers if number}


def test_tricks_exchanges_and_marks_are_encoded() -> None:
    hands = ("KS QS JS AS TS", "KH QH 9S 8S 7S", "7H", "7C 8C 9C")
    deal = begun("P A XTSAS X9S S KS K 7S", *hands, score="1-2", deal="house")
    elder, dealer = (ecarte.view(deal, seat) for seat in (CHALLENGER, HOUSE))
    always = {"target": 5, "phase": 6, "stock": 18, "own cards": 4, "other's cards": 4,
              "strict play": 1, "vole unexchanged": 1, "first packet": 3,
              "house always deals": 1}  # fmt: skip
    assert nonzero(elder) == always | {
        "own score": 1, "other's score": 3, "own score before": 1, "other's score before": 2,
        "own turn": 1, "own tricks": 1, "other's mark": 1, "own exchange 1": 2,
        "other's exchange 1": 1, "own lead of trick 1": 1,
    }  # fmt: skip
    assert nonzero(dealer) == always | {
        "own score": 3, "other's score": 1, "own score before": 2, "other's score before": 1,
        "own deal": 1, "other's tricks": 1, "own mark": 1, "own exchange 1": 1,
        "other's exchange 1": 2,
    }  # fmt: skip
    for seen in (elder, dealer):
        found = planes(seen)
        assert found["led to trick 1"] == ecarte.card_set(ecarte.cards("KS"))
        assert found["reply to trick 1"] == ecarte.card_set(ecarte.cards("7S"))
        assert found["trumps"] == ecarte.card_set(c for c in ecarte.PACK if c >> 3 == 1)
    assert planes(elder)["own discards"] == ecarte.card_set(ecarte.cards("TS AS"))
    assert planes(elder)["shown by the other"] == ecarte.card_set(ecarte.cards("KH 7S"))


def test_information_state_parses_as_a_position() -> None:
    deal = say(begun(""), "S KS")
    line = information_state(ecarte.view(deal, HOUSE)).removeprefix("house sees: ")
    assert ecarte.parse_position(line).history == deal.history


def test_order_of_a_hand_does_not_matter() -> None:
    one = begun("P A XKSQS X9S", "KS QS JS AS TS", "KH QH 9S 8S 7S", "7H", "7C 8C 9C")
    two = begun("P A XKSQS X9S", "AS TS KS JS QS", "KH QH 9S 8S 7S", "7H", "8C 7C 9C")
    seen, same = ecarte.view(one, CHALLENGER), ecarte.view(two, CHALLENGER)
    assert seen != same
    assert information_state(seen) == information_state(same)
    assert observation(seen) == observation(same)
    assert information_state(ecarte.view(one, HOUSE)) == information_state(ecarte.view(two, HOUSE))


def test_only_seats_with_five_cards_are_encoded() -> None:
    with pytest.raises(InputError, match="the gallery does not play"):
        observation(ecarte.view(ecarte.new_deal(Laws(), HOUSE, ecarte.PACK), GALLERY))
    with pytest.raises(InputError, match="at most 5 cards"):
        observation(ecarte.view(ecarte.new_deal(Laws(packets=(3, 3)), HOUSE, ecarte.PACK), HOUSE))
    assert (encoding.MAX_HAND, OBSERVATION_SIZE, sum(MAX_VALUES)) == (5, 628, 815)
