"""The rule bot against a naive implementation, in Python and compiled."""

from __future__ import annotations

from random import Random
from typing import TypeAlias

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from casino.analysis.numba_support import compiled, register_for_numba
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
    reply = rule_bot.follow(hand, led, trumps, strict)
    assert format_card(reply) == naive_regle.follow(names, format_card(led), trump, strict)


@given(st.integers(0, (1 << 32) - 1), st.integers(1, 8))
def test_holding_marks_suits_of_enough_cards(hand: int, number: int) -> None:
    marked = [7 + 8 * suit for suit in range(4) if (hand >> 8 * suit & 255).bit_count() >= number]
    assert rule_bot.holding(hand, number) == card_set(marked)


Case: TypeAlias = tuple[int, int, int, int, bool]

register_for_numba(rule_bot)


@compiled
def answers(cases: NDArray[np.int64]) -> NDArray[np.int64]:
    found = np.zeros((len(cases), 5), np.int64)
    for at in range(len(cases)):
        hand, trumps, most, led, strict = cases[at]
        found[at, 0] = rule_bot.should_stand(hand, trumps)
        found[at, 1] = rule_bot.should_refuse(hand, trumps)
        found[at, 2] = rule_bot.discards(hand, trumps, most)
        found[at, 3] = rule_bot.lead(hand, trumps)
        found[at, 4] = rule_bot.follow(hand, led, trumps, strict != 0)
    return found


def random_case(rng: Random) -> Case:
    """Return a hand of one to five cards, trumps, exchange limit, card led and law."""
    *held, led = rng.sample(range(32), rng.randint(2, 6))
    return card_set(held), rng.randrange(4), rng.randrange(6), led, rng.random() < 0.5


def plain(case: Case) -> list[int]:
    hand, trumps, most, led, strict = case
    return [
        rule_bot.should_stand(hand, trumps),
        rule_bot.should_refuse(hand, trumps),
        rule_bot.discards(hand, trumps, most),
        rule_bot.lead(hand, trumps),
        rule_bot.follow(hand, led, trumps, strict),
    ]


def test_compiled_rule_bot_decides_the_same() -> None:
    rng = Random(11)
    cases = [random_case(rng) for _ in range(20_000)]
    assert answers(np.array(cases, np.int64)).tolist() == [plain(case) for case in cases]
