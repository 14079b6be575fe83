"""What seats and gallery may know: a view must not change when all that is hidden does."""

from __future__ import annotations

import json
import pickle
import random

import pytest
from hypothesis import given, settings

from casino.ecarte import (
    CHALLENGER,
    CLAIM,
    EXCHANGE,
    EXPOSE,
    GALLERY,
    HOUSE,
    LEAD_OUT,
    NO_CARD,
    Deal,
    View,
    can_show_all,
    cards_in,
    format_cards,
    full_view,
    legal_actions,
    legal_for,
    token,
    view,
)
from casino.errors import IllegalAction
from tests.ecarte.board import begun, dealt, say
from tests.ecarte.reshuffle import another
from tests.strategies import Course, courses

VIEWERS = (HOUSE, CHALLENGER, GALLERY)
TRIES = 6
STRONG, WEAK = "KS QS JS AS TS", "9S 8S 7S 9H 8H"


def as_bytes(seen: View) -> tuple[bytes, bytes]:
    """A view as it would travel: as JSON, and pickled field by field."""
    pickled = b"".join(pickle.dumps(value) for value in seen)
    return json.dumps(seen._asdict()).encode(), pickled


def same_to(viewer: int, deal: Deal, rng: random.Random) -> Deal | None:
    """A deal with other hidden cards, if one is found in a few tries."""
    found = (another(deal, viewer, rng) for _ in range(TRIES))
    return next((other for other in found if other is not None), None)


@settings(max_examples=60)
@given(courses())
def test_a_view_does_not_change_with_what_is_hidden(course: Course) -> None:
    rng = random.Random(repr(course))
    for deal in course.states:
        for viewer in VIEWERS:
            other = same_to(viewer, deal, rng)
            if other is None:
                continue
            assert view(other, viewer) == view(deal, viewer)
            assert as_bytes(view(other, viewer)) == as_bytes(view(deal, viewer))


@settings(max_examples=80)
@given(courses())
def test_what_a_seat_may_do_is_the_same_whatever_is_hidden(course: Course) -> None:
    rng = random.Random(repr(course))
    for deal in course.states:
        for seat in (HOUSE, CHALLENGER):
            other = same_to(seat, deal, rng)
            if other is not None:
                assert list(legal_for(other, seat)) == list(legal_for(deal, seat))


@given(courses())
def test_every_legal_action_is_some_seats_choice_or_an_accident(course: Course) -> None:
    """The choices of both seats, the cards that may be exposed and a claim are all that is legal.

    A claim is missing only while cards that would prove the revoke have not come to the table.
    """
    for deal in course.states:
        chosen = {action for seat in (HOUSE, CHALLENGER) for action in legal_for(deal, seat)}
        accidents = {action for action in legal_actions(deal) if EXPOSE <= action < LEAD_OUT}
        unseen = set(legal_actions(deal)) - chosen - accidents
        assert chosen | accidents | unseen == set(legal_actions(deal))
        assert unseen <= ({CLAIM} if any(deal.hands) else set())


@given(courses())
def test_a_view_holds_no_card_the_viewer_was_not_given(course: Course) -> None:
    for deal in course.states:
        for viewer in VIEWERS:
            seen = view(deal, viewer)
            known = {one for one in seen.deck if one != NO_CARD}
            public = set(cards_in(seen.exposed)) | {seen.turn_up}
            if viewer == GALLERY:
                assert known <= public and seen.hands == (0, 0) and seen.hand == 0
            else:
                assert seen.hands[1 - viewer] == seen.kept[1 - viewer] == 0
                assert set(cards_in(seen.hand)) <= known
                assert seen.hand == deal.hands[viewer]
            assert seen.sizes == tuple(hand.bit_count() for hand in deal.hands)


@given(courses())
def test_an_exchange_of_the_other_is_its_number_only(course: Course) -> None:
    deal = course.last
    for viewer in VIEWERS:
        exchanger = deal.elder
        for said, real in zip(view(deal, viewer).history, deal.history, strict=True):
            if real < EXCHANGE:
                assert said == real
                continue
            number = (real ^ EXCHANGE).bit_count()
            own = exchanger == viewer
            assert token(said) == (token(real) if own else "X" + "??" * number)
            exchanger = 1 - exchanger


def test_nothing_is_seen_of_the_turn_up_before_it_is_shown() -> None:
    deal = say(dealt(STRONG, WEAK, "KD"), "EKS")
    seen = view(deal, GALLERY)
    assert seen.turn_up == NO_CARD
    assert format_cards(one for one in seen.deck if one != NO_CARD) == "KS"
    assert seen.stock == view(begun("", STRONG, WEAK, "KD"), GALLERY).stock == 21


def test_a_revoke_is_not_told() -> None:
    tokens = "S QS 8S"
    hands = ("QS JS AS TS 9S", "KS 8S 7D KH 8H", "9D")
    deal = begun(tokens, *hands, enforcement="claims")
    assert "revoked" not in View._fields
    assert view(deal, CHALLENGER).offended == (False, False)
    assert view(say(deal, "V"), GALLERY).offended == (True, False)


def test_r3_3_the_full_view_shows_hands_but_not_the_discards() -> None:
    over = begun("P A XTS X9S S C", STRONG, WEAK, "7D", "7C 9C")
    seen = full_view(over)
    assert seen.hands == over.hands and seen.kept == over.kept
    assert format_cards(one for one in seen.deck if one != NO_CARD) == "7D"
    assert [token(said) for said in seen.history] == ["P", "A", "X??", "X??", "S", "C"]


@pytest.mark.parametrize("tokens", ["", "P", "P A", "S", "S KS"])
def test_r3_3_no_full_view_before_the_end(tokens: str) -> None:
    with pytest.raises(IllegalAction) as caught:
        full_view(begun(tokens, STRONG, WEAK))
    assert (caught.value.reason, caught.value.article) == ("hands_hidden", "R3.3")


@pytest.mark.parametrize(
    ("deal", "may"),
    [
        (begun("S", STRONG, WEAK), False),
        (begun("S C", STRONG, WEAK), True),
        (say(dealt(STRONG, WEAK), "EKS N"), True),
        (say(dealt(STRONG, WEAK), "EKS"), False),
        (begun("S C", STRONG, WEAK, enforcement="claims"), False),
        (begun("S C", STRONG, WEAK, enforcement="claims", score="0-3"), True),
        (begun("", STRONG, WEAK, "KD", enforcement="claims", score="0-4"), True),
    ],
    ids=["playing", "over", "annulled", "exposed", "claims", "claims, game over", "king turned"],
)
def test_r8_5_when_both_hands_may_be_shown(deal: Deal, may: bool) -> None:
    assert can_show_all(deal) == may


@given(courses())
def test_hands_are_shown_only_when_nothing_can_happen_any_more(course: Course) -> None:
    for deal in course.states:
        if can_show_all(deal):
            assert full_view(deal).hands == deal.hands
            assert not legal_actions(deal)
