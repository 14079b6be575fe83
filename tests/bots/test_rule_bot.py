"""The rule of thumb against a second statement of it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from casino.bots import heuristics
from casino.ecarte.cards import SUITS, card_set, cards_in, format_card
from tests.bots import naive_regle


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
