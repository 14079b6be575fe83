"""The rule of thumb: every clause by an example, and all of it against a second statement."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casino.bots import heuristics
from casino.ecarte.cards import SUITS, card, card_set, cards, cards_in, format_card, format_cards
from tests.bots import naive_regle

TABLE = [
    # hand, in the table with hearts as trumps, why
    ("7H 8H 9H 7S 7D", True, "three trumps, any"),
    ("7H 8H 9H TH AH", True, "five trumps"),
    ("7H 8H KS 7D 8D", True, "two trumps, a king and a void"),
    ("KH 8H JS 7D 8D", True, "two trumps, the king of trumps is a king, and a void"),
    ("7H 8H QS 7D 8D", False, "a lone queen and a void, no king"),
    ("7H 8H JS 7D 8D", False, "a void, no king"),
    ("7H 8H KS 7D 8C", False, "a king, no void"),
    ("7H 8H QS 7S KD", True, "two trumps, a guarded queen"),
    ("7H 8H QS 7D 8C", False, "two trumps, the queen not guarded"),
    ("QH 8H AS 7D 8C", False, "a queen of trumps is not a queen in a plain suit"),
    ("7H 8H 7S 8S 9S", True, "two trumps, three of one plain suit"),
    ("7H KS QS JS 7D", True, "one trump, K Q J of one plain suit"),
    ("7H KS QS AS 7D", True, "one trump, a queen third"),
    ("7H QS 8S 7S 7D", True, "one trump, a queen third with two low cards"),
    ("7H KS JS AS 7D", False, "one trump, three of a suit without the queen"),
    ("7H QS 7S QD 7D", True, "one trump, two guarded queens"),
    ("7H QS 7S QD 7C", False, "one trump, one guarded queen and a lone one"),
    ("7H KS QS KD JD", False, "one trump, one guarded queen and a guarded king"),
    ("KS QS KD QD 7C", True, "no trump, four kings and queens"),
    ("KS KD KC QS QD", True, "no trump, five kings and queens"),
    ("KS QS KD JD 7C", False, "no trump, three kings and queens"),
    ("KS JS KD JD JC", False, "no trump, jacks do not count"),
]

REFUSED = [
    ("7H 8H 7S 8S 9D", True, "two trumps and two cards of a plain suit"),
    ("7H 8H KS AD JC", False, "two trumps and three plain suits"),
    ("7H 8H 9H KS AD", True, "in the table"),
    ("7H 7S 8S 7D 8D", False, "one trump and two pairs of cards"),
    ("KS QS KD QD 7C", True, "no trump, in the table"),
]

EXCHANGED = [
    ("7H KS 7S 8D QC", 5, "7S 8D QC", "neither trumps nor kings"),
    ("7S 8S 9D TD QC", 5, "7S 8S 9D TD QC", "all five"),
    ("7S 8S 9D TD QC", 3, "7S 8S 9D", "the lowest ranks first"),
    ("7S 7D 8D KC KH", 1, "7S", "of equal ranks the one of the shorter suit"),
    ("7S 7D 7C KC KH", 2, "7S 7D", "clubs are two cards with the king, which stays"),
    ("7S 7D 7C KH QH", 2, "7D 7C", "of equal suits the later first"),
    ("7S 7D 7C KH QH", 1, "7C", "of equal suits the last first"),
    ("KH QH 9H 8H 7H", 5, "7H", "only trumps: the lowest"),
    ("KS 7H 8H 9H TH", 5, "KS", "a plain king before any trump"),
    ("KS KD KC 7H 8H", 5, "KC", "equal kings: the last suit"),
    ("KS KD KC 7H 8H", 0, "", "with no stock left nothing"),
]

LED = [
    ("7H 8H 9H KS KD", "9H", "three trumps: the highest trump"),
    ("7H 8H", "8H", "only trumps: the highest"),
    ("KH", "KH", "one trump alone"),
    ("KH QH 7S 8D 9D", "9D", "two trumps: the highest of the longest plain suit"),
    ("KH AS 7S QD JD", "QD", "as long: the higher top card"),
    ("KH QS 7S QD JD", "QS", "as long and as high: the earlier suit"),
    ("7S 7D 7C", "7S", "single cards of one rank: the earlier suit"),
    ("7S 7D JC", "JC", "single cards: the highest"),
]

FOLLOWED = [
    ("KS JS 8S 7H 7D", "9S", "JS", "the cheapest card that wins"),
    ("8S 7S KH 7D", "9S", "7S", "cannot win: the lowest of the suit"),
    ("KH 7H 7D 7C", "9S", "7H", "void: the lowest trump"),
    ("8D KC 7C", "9S", "7C", "throwing: the lowest rank"),
    ("7D JC 7C", "9S", "7D", "throwing equal ranks: the shorter suit"),
    ("KD 7D JC 7C", "9S", "7D", "as short: the earlier suit"),
    ("KD QC 7S", "8H", "7S", "a trump led and none held: throwing"),
    ("KH 9H 7S", "8H", "9H", "a trump led: the cheapest that wins"),
]


@pytest.mark.parametrize(("hand", "held", "why"), TABLE)
def test_the_table_of_hands_to_stand_on(hand: str, held: bool, why: str) -> None:
    assert heuristics.should_stand(card_set(cards(hand)), 1) is held, why


@pytest.mark.parametrize(("hand", "refused", "why"), REFUSED)
def test_the_dealer_refuses(hand: str, refused: bool, why: str) -> None:
    assert heuristics.should_refuse(card_set(cards(hand)), 1) is refused, why


@pytest.mark.parametrize(("hand", "most", "given_up", "why"), EXCHANGED)
def test_the_cards_exchanged(hand: str, most: int, given_up: str, why: str) -> None:
    discards = heuristics.discards(card_set(cards(hand)), 1, most)
    assert format_cards(cards_in(discards)) == format_cards(cards_in(card_set(cards(given_up)))), (
        why
    )


@pytest.mark.parametrize(("hand", "led", "why"), LED)
def test_the_lead(hand: str, led: str, why: str) -> None:
    assert format_card(heuristics.lead(card_set(cards(hand)), 1)) == led, why


@pytest.mark.parametrize(("hand", "led", "reply", "why"), FOLLOWED)
@pytest.mark.parametrize("strict", [True, False])
def test_the_card_played_to_a_lead(hand: str, led: str, reply: str, why: str, strict: bool) -> None:
    assert format_card(heuristics.follow(card_set(cards(hand)), card(led), 1, strict)) == reply, why


@settings(max_examples=1_500)
@given(
    st.lists(st.integers(0, 31), min_size=2, max_size=6, unique=True),
    st.integers(0, 3),
    st.integers(0, 5),
    st.booleans(),
)
def test_all_of_it_agrees_with_a_second_statement(
    drawn: list[int], trumps: int, most: int, strict: bool
) -> None:
    *held, led = drawn
    hand, names, trump = card_set(held), [format_card(one) for one in held], SUITS[trumps]
    assert heuristics.should_stand(hand, trumps) == naive_regle.in_table(names, trump)
    assert heuristics.should_refuse(hand, trumps) == naive_regle.refuses(names, trump)
    discards = {format_card(one) for one in cards_in(heuristics.discards(hand, trumps, most))}
    assert discards == naive_regle.discards(names, trump, most)
    assert format_card(heuristics.lead(hand, trumps)) == naive_regle.lead(names, trump)
    reply = heuristics.follow(hand, led, trumps, strict)
    assert format_card(reply) == naive_regle.follow(names, format_card(led), trump, strict)


@given(st.integers(0, (1 << 32) - 1), st.integers(1, 8))
def test_a_suit_is_marked_if_it_holds_so_many_cards(hand: int, number: int) -> None:
    marked = [7 + 8 * suit for suit in range(4) if (hand >> 8 * suit & 255).bit_count() >= number]
    assert heuristics.holding(hand, number) == card_set(marked)
