"""Properties of every state of a deal, tested on random deals."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casino import ecarte
from casino.ecarte import Deal
from casino.ecarte.observation.view import deck_positions
from casino.errors import IllegalAction
from tests.strategies import TOKENS, Course, courses


@given(courses())
def test_hand_comes_from_its_own_deck_positions(course: Course) -> None:
    for deal in course.states:
        for seat in (0, 1):
            places = deck_positions(deal.laws, deal.dealer, deal.history, seat)
            given_cards = ecarte.card_set(deal.deck[place] for place in places)
            assert deal.kept[seat] & ~given_cards == deal.hands[seat] & ~deal.kept[seat] == 0


@settings(max_examples=60)
@given(courses())
def test_illegal_action_is_refused_and_changes_nothing(course: Course) -> None:
    for deal in course.states:
        before, mark = pickle.dumps(deal), hash(deal)
        legal = set(ecarte.legal_actions(deal))
        for action in map(ecarte.parse_token, TOKENS):
            if action in legal:
                ecarte.apply(deal, action)
                continue
            with pytest.raises(IllegalAction) as caught:
                ecarte.apply(deal, action)
            assert caught.value.article.startswith("R")
        assert (pickle.dumps(deal), hash(deal)) == (before, mark)


@given(courses(), st.integers())
def test_arbitrary_int_is_legal_or_refused(course: Course, action: int) -> None:
    for deal in course.states:
        if action in ecarte.legal_actions(deal):
            assert isinstance(ecarte.apply(deal, action), Deal)
        else:
            with pytest.raises(IllegalAction):
                ecarte.apply(deal, action)


@given(courses())
def test_states_are_copyable_hashable_and_distinct(course: Course) -> None:
    for deal in course.states:
        for other in (copy.copy(deal), copy.deepcopy(deal), pickle.loads(pickle.dumps(deal))):
            assert (other, hash(other), type(other)) == (deal, hash(deal), Deal)
    assert len(set(course.states)) == len(course.states)
