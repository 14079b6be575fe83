"""The rule bot against a naive implementation."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from casino.bots import rule_bot
from casino.ecarte.cards import SUITS, card_set, cards_in, format_card
from tests.bots import naive_regle


@settings(max_examples=1_500)
@given(
    st.lists(st.integers(0, 31), min_size=2, max_size=6, unique=True),
    st.integers(0, 3),
    st.integers(0, 5),
    st.booleans(),
)
def test_naive_rule_bot_agrees(drawn: list[int], trumps: int, most: int, strict: bool) -> None:
    *held, led = drawn
    hand, names, trump = card_set(held), [format_card(one) for one in held], SUITS[trumps]
    assert rule_bot.should_stand(hand, trumps) == naive_regle.in_table(names, trump)
    assert rule_bot.should_refuse(hand, trumps) == naive_regle.refuses(names, trump)
    discards = {format_card(one) for one in cards_in(rule_bot.discards(hand, trumps, most))}
    assert discards == naive_regle.discards(names, trump, most)
    assert format_card(rule_bot.lead(hand, trumps)) == naive_regle.lead(names, trump)
    reply = rule_bot.follow(hand, led, trumps)
    assert format_card(reply) == naive_regle.follow(names, format_card(led), trump, strict)


@given(st.integers(0, (1 << 32) - 1), st.integers(1, 8))
def test_holding_marks_suits_of_enough_cards(hand: int, number: int) -> None:
    marked = [7 + 8 * suit for suit in range(4) if (hand >> 8 * suit & 255).bit_count() >= number]
    assert rule_bot.holding(hand, number) == card_set(marked)
