"""Deals as one line of text, and published hands set up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casino import ecarte
from casino.ecarte import CHALLENGER, GALLERY, HOUSE, NO_CARD, Laws
from casino.errors import PositionError
from tests.ecarte.deal_helpers import DEALER, ELDER, FIVES, TOP, begun, hand, in_order, stock
from tests.strategies import TEXT, Course, courses

DECK = "".join(ecarte.format_card(one) for one in ecarte.PACK)


@given(courses())
def test_notation_of_deals_and_views_round_trips(course: Course) -> None:
    for deal in course.states:
        position = ecarte.position_of_deal(deal)
        assert ecarte.parse_position(ecarte.format_position(position)) == position
        for viewer in (HOUSE, CHALLENGER, GALLERY):
            position = ecarte.position_of_view(ecarte.view(deal, viewer))
            assert ecarte.parse_position(ecarte.format_position(position)) == position
            assert ecarte.format_position(position).count("??") >= position.deck.count(NO_CARD)


def test_r3_5_empty_exchange_hides_nothing() -> None:
    deal = begun(f"{FIVES} P A XKD X", ELDER, DEALER, "7D", TOP)
    position = ecarte.position_of_view(ecarte.view(deal, CHALLENGER))
    assert ecarte.format_position(position).endswith(" P A XKD X")
    assert ecarte.parse_position(ecarte.format_position(position)) == position


def test_notation_of_a_position() -> None:
    laws = Laws(target=7, packets=(2, 3), play="ordinary")
    line = f"challenger deals at 6-0, target=7, play=ordinary, packets=2-3: {DECK} P A XKS X"
    position = ecarte.parse_position(line)
    assert (position.laws, position.dealer, position.score) == (laws, CHALLENGER, (6, 0))
    assert list(position.deck) == list(ecarte.PACK)
    assert len(position.history) == 4
    assert ecarte.format_position(position) == line


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "a position reads"),
        ("house deals", "a position reads"),
        (f"nobody deals at 0-0: {DECK}", "a position reads"),
        (f"house deals at 0: {DECK}", "a position reads"),
        (f"house deals at 0-0 {DECK}", "a position reads"),
        (f"house deals at 0-0: {DECK} ", "a position reads"),
        (f"house deals at 0-0: {DECK}  P", "a position reads"),
        (f"house deals at 0-0: {DECK}\n", "a position reads"),
        (f"house deals at 0-0: {DECK[:-1]}", "'7' is not a card"),
        (f"house deals at ٣-0: {DECK}", "a position reads"),
        (f"house deals at 0-0: KK{DECK[2:]}", "'KK' is not a card"),
        (f"house deals at 0-0: QS{DECK[2:]}", "QS is repeated"),
        (f"house deals at 0-0: {DECK} Z", "'Z' is not an action"),
        (f"house deals at 0-0: {DECK} X?", "is not a card"),
        (f"house deals at 0-0: {DECK} XKSKS", "KS is repeated"),
        (f"house deals at 0-0, stake=3: {DECK}", "law stake is unknown"),
        (f"house deals at 0-0, play=loose: {DECK}", "law play: loose is not a value"),
        (f"house deals at 0-0, target=0: {DECK}", "law target: 0 is not a value"),
        (f"house deals at 0-0, target=3-2: {DECK}", "law target: 3-2 is not a value"),
        (f"house deals at 0-0, packets=5: {DECK}", "law packets: 5 is not a value"),
        (f"house deals at 0-0, target=99999: {DECK}", "law target: 99999 is not a value"),
    ],
)
def test_notation_errors_are_explained(line: str, said: str) -> None:
    with pytest.raises(PositionError) as caught:
        ecarte.parse_position(line)
    assert said in str(caught.value) and len(str(caught.value)) < 120


def test_parser_is_lenient_about_typing() -> None:
    typed = f"house deals at 0-0: {DECK.lower().replace('th', '10♥')} p a x10♥qh x?? s K♠"
    plain = f"house deals at 0-0: {DECK} P A XTHQH X?? S KS"
    assert ecarte.parse_position(typed) == ecarte.parse_position(plain)
    assert ecarte.set_up("7♥ kc qc jc 7s", turn_up="8h") == ecarte.set_up(
        "7H KC QC JC 7S", turn_up="8H"
    )


@given(
    st.text()
    | TEXT.map(lambda tail: f"house deals at 0-0: {DECK}{tail}")
    | st.text("?KQJAT987SHDCXPE ").map(lambda tail: f"house deals at 0-0, target=5: {tail}")
)
def test_arbitrary_text_is_parsed_or_refused(line: str) -> None:
    try:
        position = ecarte.parse_position(line)
    except PositionError:
        return
    assert ecarte.parse_position(ecarte.format_position(position)) == position


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (f"house deals at 5-0: {DECK}", "the game is over at 5-0"),
        (f"house deals at 0-9, target=7: {DECK}", "the game is over at 0-9"),
        (f"house deals at 0-0: {DECK[:20]}", "10 cards are too few"),
        (f"house deals at 0-0: {DECK} P A X????", "the cards of an exchange are unknown"),
        (f"house deals at 0-0: ??{DECK[2:]}", "pass the cards to use for them"),
    ],
)
def test_impossible_position_is_refused(line: str, said: str) -> None:
    with pytest.raises(PositionError, match=said):
        ecarte.parse_position(line).deal()


def test_published_hand_can_be_set_up() -> None:
    position = ecarte.set_up(
        "7H KC QC JC 7S", "AH 9D 8D 7D TC", "8H", "KD 7C", seat=CHALLENGER, score=(3, 4)
    )
    deal = position.deal(ecarte.PACK)
    assert hand(deal, HOUSE) == in_order("7H KC QC JC 7S")
    assert hand(deal, CHALLENGER) == in_order("AH 9D 8D 7D TC")
    assert (deal.turn_up, deal.score, deal.dealer) == (ecarte.card("8H"), (3, 4), CHALLENGER)
    assert stock(deal).split()[:2] == ["KD", "7C"]


def test_unknown_cards_are_filled_from_remaining_ones() -> None:
    deal = ecarte.set_up("KS", "", "7D").deal(tuple(reversed(ecarte.PACK)))
    assert deal.hands[CHALLENGER] >> ecarte.card("KS") & 1
    assert sorted(deal.deck) == sorted(ecarte.PACK)
    with pytest.raises(PositionError, match="unknown"):
        ecarte.set_up("KS").deal()
    with pytest.raises(PositionError, match="unknown"):
        ecarte.set_up("KS").deal(ecarte.cards("QS JS"))


@pytest.mark.parametrize(
    ("elder", "dealer", "turned", "draw", "said"),
    [
        ("KS QS JS AS TS 9S", "", "7D", "", "6 cards are given for the elder"),
        ("KS", "QS JS AS TS 9S 8S", "7D", "", "6 cards are given for the dealer"),
        ("KS", "QS", "7D 8D", "", "2 cards are given for the turn-up"),
        ("", "", "", DECK[:44], "22 cards are given for the stock"),
    ],
)
def test_too_many_cards_are_refused(
    elder: str, dealer: str, turned: str, draw: str, said: str
) -> None:
    with pytest.raises(PositionError, match=said):
        ecarte.set_up(elder, dealer, turned, draw)
