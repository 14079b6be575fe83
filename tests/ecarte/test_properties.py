"""Properties of every state of a deal, tested on random deals."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casino import ecarte
from casino.ecarte import NO_CARD, NO_SEAT, Deal, Game
from casino.ecarte.actions import ANNULLED, DEALING, OVER
from casino.ecarte.observation.view import deck_positions
from casino.errors import IllegalAction
from tests.strategies import Course, courses

TOKENS = [
    *"PSARKCNOWV",
    *(before + ecarte.token(one) for before in ("", "E", "L") for one in ecarte.PACK),
    "X",
    *("X" + ecarte.token(one) for one in ecarte.PACK),
]
ALL_ACTIONS = [ecarte.parse_token(one) for one in TOKENS]
few = settings(max_examples=60)


def played(course: Course, at: int) -> list[int]:
    """Return the cards on the table or in tricks since the play last began."""
    cards: list[int] = []
    for action in course.states[at].history:
        if action == ecarte.CLAIM:
            cards.clear()
        elif 0 <= action < 32:
            cards.append(action)
        elif ecarte.LEAD_OUT <= action < ecarte.LEAD_OUT + 32:
            cards.append(action - ecarte.LEAD_OUT)
        elif action == ecarte.parse_token("W"):
            cards.pop()
    return cards


@given(courses())
def test_pack_is_always_32_different_cards(course: Course) -> None:
    for at, deal in enumerate(course.states):
        discards = [
            one
            for action in deal.history
            if action >= ecarte.EXCHANGE
            for one in ecarte.cards_in(action ^ ecarte.EXCHANGE)
        ]
        turned = [deal.deck[10]]
        assert deal.turn_up in (NO_CARD, *turned)
        held = [one for hand in deal.hands for one in ecarte.cards_in(hand)]
        everything = held + played(course, at) + discards + turned + list(deal.deck[deal.drawn :])
        assert sorted(everything) == sorted(ecarte.PACK)


@given(courses())
def test_hand_comes_from_its_own_deck_positions(course: Course) -> None:
    for deal in course.states:
        for seat in (0, 1):
            places = deck_positions(deal.laws, deal.dealer, deal.history, seat)
            given_cards = ecarte.card_set(deal.deck[place] for place in places)
            assert deal.kept[seat] & ~given_cards == deal.hands[seat] & ~deal.kept[seat] == 0


@given(courses())
def test_legal_actions_exist_until_the_end(course: Course) -> None:
    for deal in course.states:
        legal = list(ecarte.legal_actions(deal))
        assert len(set(legal)) == len(legal)
        if deal.phase not in (OVER, ANNULLED):
            assert legal or deal.phase == DEALING
        else:
            assert deal.turn == NO_SEAT and set(legal) <= {ecarte.CLAIM}


@given(courses())
def test_every_legal_action_can_be_applied(course: Course) -> None:
    for deal in course.states:
        for action in list(ecarte.legal_actions(deal))[:40]:
            after = ecarte.apply(deal, action)
            assert after.history == (*deal.history, action)
            assert ecarte.actor(deal, action) in (0, 1) or action == ecarte.CLAIM


@few
@given(courses())
def test_illegal_action_is_refused_and_changes_nothing(course: Course) -> None:
    for deal in course.states:
        before, mark = pickle.dumps(deal), hash(deal)
        legal = set(ecarte.legal_actions(deal))
        for action in ALL_ACTIONS:
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


@given(courses())
def test_finished_deal_updates_the_game(course: Course) -> None:
    deal = course.last
    if deal.phase not in (OVER, ANNULLED):
        return
    laws = deal.laws._replace(first_dealer="cut", deal="alternate")
    before: Game = ecarte.new_game(laws, deal.dealer)._replace(score=deal.score_before)
    game = ecarte.after_deal(before, deal)
    assert game.score == deal.score
    assert (ecarte.winner(game) is not None) == game.over == (laws.target in deal.score)
    assert (ecarte.stake(game) or 1) in (1, 2, 3)
    assert game.dealer == (deal.dealer if deal.phase == ANNULLED else 1 - deal.dealer)
