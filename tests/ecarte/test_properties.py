"""Laws that hold in every state of every deal, tried on random courses."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casino.ecarte import (
    CLAIM,
    EXCHANGE,
    LEAD_OUT,
    NO_CARD,
    NO_SEAT,
    PACK,
    Deal,
    Game,
    actor,
    after_deal,
    apply,
    card_set,
    cards_in,
    legal_actions,
    new_game,
    parse_token,
    stake,
    token,
    winner,
)
from casino.ecarte.observation.view import deck_positions
from casino.ecarte.phase import ANNULLED, DEALING, OVER
from casino.errors import IllegalAction
from tests.strategies import Course, courses

TOKENS = [
    *"PSARKCNOWV",
    *(before + token(one) for before in ("", "E", "L") for one in PACK),
    "X",
    *("X" + token(one) for one in PACK),
]
EVERY = [parse_token(one) for one in TOKENS]
few = settings(max_examples=60)


def played(course: Course, at: int) -> list[int]:
    """The cards on the table or in tricks at a place of a course, since the play last began."""
    cards: list[int] = []
    for action in course.states[at].history:
        if action == CLAIM:
            cards.clear()
        elif 0 <= action < 32:
            cards.append(action)
        elif LEAD_OUT <= action < LEAD_OUT + 32:
            cards.append(action - LEAD_OUT)
        elif action == parse_token("W"):
            cards.pop()
    return cards


@given(courses())
def test_the_pack_is_always_32_different_cards(course: Course) -> None:
    for at, deal in enumerate(course.states):
        discards = [
            one
            for action in deal.history
            if action >= EXCHANGE
            for one in cards_in(action ^ EXCHANGE)
        ]
        turned = [deal.deck[10]]
        assert deal.turn_up in (NO_CARD, *turned)
        held = [one for hand in deal.hands for one in cards_in(hand)]
        everything = held + played(course, at) + discards + turned + list(deal.deck[deal.drawn :])
        assert sorted(everything) == sorted(PACK)


@given(courses())
def test_a_hand_comes_from_its_own_places_of_the_deck(course: Course) -> None:
    for deal in course.states:
        for seat in (0, 1):
            places = deck_positions(deal.laws, deal.dealer, deal.history, seat)
            given_cards = card_set(deal.deck[place] for place in places)
            assert deal.kept[seat] & ~given_cards == deal.hands[seat] & ~deal.kept[seat] == 0


@given(courses())
def test_legal_is_never_empty_before_the_end(course: Course) -> None:
    for deal in course.states:
        legal = list(legal_actions(deal))
        assert len(set(legal)) == len(legal)
        if deal.phase not in (OVER, ANNULLED):
            assert legal or deal.phase == DEALING
        else:
            assert deal.turn == NO_SEAT and set(legal) <= {CLAIM}


@given(courses())
def test_every_legal_action_is_taken_by_somebody(course: Course) -> None:
    for deal in course.states:
        for action in list(legal_actions(deal))[:40]:
            after = apply(deal, action)
            assert after.history == (*deal.history, action)
            assert actor(deal, action) in (0, 1) or action == CLAIM


@few
@given(courses())
def test_every_illegal_token_is_refused_and_nothing_changes(course: Course) -> None:
    for deal in course.states:
        before, mark = pickle.dumps(deal), hash(deal)
        legal = set(legal_actions(deal))
        for action in EVERY:
            if action in legal:
                apply(deal, action)
                continue
            with pytest.raises(IllegalAction) as caught:
                apply(deal, action)
            assert caught.value.article.startswith("R")
        assert (pickle.dumps(deal), hash(deal)) == (before, mark)


@given(courses(), st.integers())
def test_every_int_is_legal_or_refused(course: Course, action: int) -> None:
    for deal in course.states:
        if action in legal_actions(deal):
            assert isinstance(apply(deal, action), Deal)
        else:
            with pytest.raises(IllegalAction):
                apply(deal, action)


@given(courses())
def test_states_are_values(course: Course) -> None:
    for deal in course.states:
        for other in (copy.copy(deal), copy.deepcopy(deal), pickle.loads(pickle.dumps(deal))):
            assert (other, hash(other), type(other)) == (deal, hash(deal), Deal)
    assert len(set(course.states)) == len(course.states)


@given(courses())
def test_a_finished_deal_goes_into_the_game(course: Course) -> None:
    deal = course.last
    if deal.phase not in (OVER, ANNULLED):
        return
    laws = deal.laws._replace(first_dealer="cut", deal="alternate")
    before: Game = new_game(laws, deal.dealer)._replace(score=deal.score_before)
    game = after_deal(before, deal)
    assert game.score == deal.score
    assert (winner(game) is not None) == game.over == (laws.target in deal.score)
    assert (stake(game) or 1) in (1, 2, 3)
    assert game.dealer == (deal.dealer if deal.phase == ANNULLED else 1 - deal.dealer)
