"""Parsing of cards, tokens and laws, and invalid arguments."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casino import ecarte
from casino.ecarte import CHALLENGER, HOUSE, Exchanges, Laws, card
from casino.ecarte.actions import exchanged_number, hidden_exchange
from casino.ecarte.cards import parse_record_cards
from casino.ecarte.laws import ALLOWED
from casino.ecarte.observation import encoding
from casino.errors import CardsError, InputError, LawsError, PositionError
from tests.strategies import HANDS, JSON, TOKENS


@pytest.mark.parametrize(
    "name", ["", "K", "HK", "1S", "KHQ", " K", "♠K", "K\n", "110H", "0H", "TTH"]
)
def test_invalid_card_name_is_refused(name: str) -> None:
    with pytest.raises(CardsError):
        card(name)


@pytest.mark.parametrize("name", ["TH", "th", "10H", "10h", "10♥", "T♥", "10♡", "10♥\ufe0f"])
def test_card_parser_accepts_common_spellings(name: str) -> None:
    assert card(name) == card("TH")
    assert ecarte.cards(f"ks{name} 7♣") == ecarte.cards(f"KS {name}7c") == ecarte.cards("KSTH7C")


@pytest.mark.parametrize("names", ["kh", "10H", "1S", "K", "KH7", "KH 7S", "K♥", "KHKH"])
def test_record_cards_have_one_spelling(names: str) -> None:
    with pytest.raises(CardsError):
        parse_record_cards(names)


@given(st.lists(st.sampled_from(ecarte.PACK), unique=True))
def test_cards_parse_with_and_without_spaces(some: list[int]) -> None:
    assert (
        ecarte.cards(ecarte.format_cards(some))
        == ecarte.cards(" ".join(map(ecarte.format_card, some)))
        == tuple(some)
    )
    assert ecarte.cards_in(ecarte.card_set(some)) == tuple(
        one for one in ecarte.PACK if one in some
    )


def test_every_token_round_trips() -> None:
    actions = [ecarte.parse_token(one) for one in TOKENS]
    assert [ecarte.token(action) for action in actions] == TOKENS
    assert len(set(actions)) == len(TOKENS)


@given(HANDS)
def test_exchange_token_names_its_cards(some: int) -> None:
    action = ecarte.exchange(some)
    assert ecarte.parse_token(ecarte.token(action)) == action
    assert ecarte.parse_token("X" + ecarte.format_cards(reversed(ecarte.cards_in(some)))) == action
    assert exchanged_number(action) == some.bit_count()
    assert ecarte.token(hidden_exchange(some.bit_count())) == "X" + "??" * some.bit_count()


@pytest.mark.parametrize(
    "said",
    ["", " ", "p", "PP", "ks", "E", "L", "EE", "EK", "LKSQS", "XK", "XKS QS", "X KS", "XKSKS", "X?",
     "x", "V ", "é", "KS\n", "10S", "X" * 200],
)  # fmt: skip
def test_invalid_token_is_refused(said: str) -> None:
    with pytest.raises(CardsError) as caught:
        ecarte.parse_token(said)
    assert len(str(caught.value)) < 200


@given(st.text())
def test_arbitrary_text_is_a_token_or_refused(said: str) -> None:
    try:
        action = ecarte.parse_token(said)
    except CardsError:
        return
    assert ecarte.parse_token(ecarte.token(action)) == action


@given(HANDS, st.integers(0, 6), st.integers(0, 6))
def test_exchanges_are_a_sequence(hand: int, least: int, most: int) -> None:
    some = Exchanges(hand, least, most)
    held = ecarte.cards_in(hand)
    expected = {
        ecarte.exchange(ecarte.card_set(chosen))
        for number in range(least, most + 1)
        for chosen in combinations(held, number)
    }
    listed = tuple(some)
    assert set(listed) == expected and len(some) == len(listed) == len(expected)
    assert listed == tuple(some[at] for at in range(len(some)))
    assert [exchanged_number(one) for one in listed] == sorted(map(exchanged_number, listed))
    assert some[-3:] == listed[-3:] and some[::2] == listed[::2] and some[1:4] == listed[1:4]
    assert tuple(reversed(some)) == listed[::-1]
    for at, one in enumerate(listed):
        assert one in some and some.index(one) == at and some.count(one) == 1
        assert some[at - len(some)] == one
    with pytest.raises(IndexError):
        some[len(some)]


@given(HANDS, st.integers())
def test_exchanges_contain_only_their_actions(hand: int, action: int) -> None:
    some = Exchanges(hand, 1, 5)
    assert (action in some) == (action in tuple(some))
    anything: list[object] = ["XKS", None, 1.0]
    assert not any(one in some for one in anything)


BAD_LAWS: list[Any] = [
    {"target": 6}, {"target": "5"}, {"target": 5.0}, {"target": True}, {"target": None},
    {"play": "Strict"}, {"play": ""}, {"vole_unexchanged": True}, {"vole_unexchanged": 0},
    {"packets": [5]}, {"packets": [3, 2, 0]}, {"packets": [3.0, 2]}, {"packets": "32"},
    {"packets": [True, 2]}, {"packets": [[3], 2]}, {"deal": "challenger"},
    {"first_dealer": "elder"}, {"enforcement": []}, {"stake": 1}, {"": 5}, {"Target": 5},
    None, [], 5, "laws",
]  # fmt: skip


@pytest.mark.parametrize("given_laws", BAD_LAWS, ids=repr)
def test_bad_laws_are_refused(given_laws: Any) -> None:
    with pytest.raises(LawsError) as caught:
        ecarte.parse_laws(given_laws)
    if isinstance(given_laws, dict):
        assert next(iter(given_laws)) in str(caught.value)


@given(st.dictionaries(st.sampled_from(list(ALLOWED)), JSON) | JSON)
def test_arbitrary_value_is_laws_or_refused(given_laws: Any) -> None:
    try:
        agreed = ecarte.parse_laws(given_laws)
    except LawsError:
        return
    assert all(getattr(agreed, law) in values for law, values in ALLOWED.items())


LAWS = Laws()
DEAL = ecarte.new_deal(LAWS, HOUSE, ecarte.PACK)
SEEN = ecarte.view(DEAL, HOUSE)
GAME = ecarte.new_game(LAWS, HOUSE)


@pytest.mark.parametrize(
    ("deck", "said"),
    [
        ([*ecarte.PACK[:31], ecarte.PACK[0]], "KS is repeated"),
        ((ecarte.PACK[0],) * 32, "KS is repeated"),
        (ecarte.PACK[:10], "10 cards are too few"),
        ([], "0 cards are too few"),
        ([*ecarte.PACK[:31], 32], "32 is not a card"),
        ([*ecarte.PACK[:31], -1], "ints from 0 to 31"),
        ([*ecarte.PACK[:31], "KS"], "ints from 0 to 31"),
        ([*ecarte.PACK[:31], 7.0], "ints from 0 to 31"),
        ("KSQS", "ints from 0 to 31"),
        (None, "ints from 0 to 31"),
    ],
)
def test_r2_3_invalid_pack_is_refused(deck: Any, said: str) -> None:
    with pytest.raises(CardsError, match=said):
        ecarte.new_deal(LAWS, HOUSE, deck)


def test_pack_may_be_any_sequence_of_ints() -> None:
    assert ecarte.new_deal(LAWS, HOUSE, list(ecarte.PACK)) == ecarte.new_deal(
        LAWS, HOUSE, ecarte.PACK
    )
    assert all(
        type(card) is int for card in ecarte.deal_cards(LAWS, HOUSE, [True, 0, *range(2, 32)]).deck
    )
    assert ecarte.new_deal(LAWS, HOUSE, ecarte.PACK[:11]).stock == 0


@pytest.mark.parametrize("seat", [2, -1, True, False, None, "house", 0.0])
def test_r1_1_dealer_must_be_a_seat(seat: Any) -> None:
    with pytest.raises(InputError, match="the dealer must be HOUSE"):
        ecarte.new_deal(LAWS, seat, ecarte.PACK)
    with pytest.raises(InputError, match="the first dealer must be HOUSE"):
        ecarte.new_game(LAWS, seat)


@pytest.mark.parametrize(
    ("laws", "said"),
    [
        (Laws(target=0), "law target: 0"),
        (Laws(target=True), "law target: True"),
        (Laws(play="loose"), "law play: 'loose'"),
        (Laws(packets=(3, 2, 1)), "law packets"),  # type: ignore[arg-type]
        (Laws(packets=(-1, 6)), "law packets"),
        (Laws(enforcement="none"), "law enforcement: 'none'"),
        (("strict",), "the laws must be Laws"),
        ({"target": 7}, "the laws must be Laws"),
    ],
)
def test_invalid_laws_are_refused(laws: Any, said: str) -> None:
    with pytest.raises(LawsError, match=said):
        ecarte.new_deal(laws, HOUSE, ecarte.PACK)
    with pytest.raises(LawsError, match=said):
        ecarte.new_game(laws, HOUSE)


@pytest.mark.parametrize(
    "score", [(5, 0), (0, 7), (-1, 0), (1.0, 2), (True, 0), None, 3, "31", (1, 2, 3), ("1", 2)]
)
def test_r7_1_deal_at_impossible_score_is_refused(score: Any) -> None:
    with pytest.raises(PositionError):
        ecarte.new_deal(LAWS, CHALLENGER, ecarte.PACK, score)
    with pytest.raises(PositionError):
        ecarte.set_up("7H KC", score=score)


@pytest.mark.parametrize(
    ("call", "given", "said"),
    [
        (lambda given: ecarte.view(given, HOUSE), SEEN, "must be a Deal, not a View"),
        (lambda given: ecarte.view(given, HOUSE), GAME, "must be a Deal, not a Game"),
        (lambda given: ecarte.view(given, HOUSE), None, "must be a Deal, not None"),
        (lambda given: ecarte.legal_for(DEAL, given), -1, "the seat must be HOUSE"),
        (ecarte.possible_deals, DEAL, "must be a View, not a Deal"),
        (encoding.observation, DEAL, "must be a View, not a Deal"),
        (encoding.information_state, DEAL, "must be a View, not a Deal"),
        (ecarte.position_of_deal, SEEN, "must be a Deal, not a View"),
        (ecarte.position_of_view, DEAL, "must be a View, not a Deal"),
        (ecarte.format_position, DEAL, "must be a Position, not a Deal"),
        (lambda given: ecarte.next_deal(given, Random(1)), DEAL, "must be a Game, not a Deal"),
        (lambda given: ecarte.next_deal(GAME, given), None, "must have a method randrange"),
        (lambda given: ecarte.after_deal(given, DEAL), DEAL, "must be a Game, not a Deal"),
        (ecarte.winner, DEAL, "must be a Game, not a Deal"),
        (ecarte.stake, DEAL, "must be a Game, not a Deal"),
        (ecarte.replay, "x" * 38, f"must be a Record, not {'x' * 38!r}$"),
        (ecarte.set_up, None, "a list of cards must be a str, not None"),
        (ecarte.parse_position, None, "line must be a str, not None"),
    ],
)
def test_argument_of_wrong_class_is_refused(
    call: Callable[[Any], Any], given: Any, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        call(given)
