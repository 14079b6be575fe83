"""The bots' choices in compiled code: what they may do, how often, by which draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casino.bots import heuristics
from casino.ecarte import card, card_set, cards, cards_in, legal_replies, max_exchange, min_exchange
from casino.simulate.compiled import bot_actions
from casino.simulate.compiled.bot_actions import NOVICE, REGLE
from casino.simulate.compiled.splitmix import word

HAND = card_set(cards("KH 7H QS 9D 8D"))
KEYS = [word(11, number) for number in range(6_000)]

hands = st.sets(st.integers(0, 31), min_size=5, max_size=5).map(card_set)
keys = st.integers(0, (1 << 63) - 1)


def evenly(found: Counter[int], ways: int) -> bool:
    """Whether so many things came about equally often, as far as chance allows."""
    assert len(found) == ways
    expected = found.total() / ways
    return all(abs(number - expected) < 5 * sqrt(expected) for number in found.values())


@given(some=st.sets(st.integers(0, 31), min_size=1).map(card_set), data=st.data())
def test_a_card_by_its_place_is_that_of_members(some: int, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, some.bit_count() - 1))
    assert bot_actions.card_at(some, place) == cards_in(some)[place]


@given(hand=hands, trumps=st.integers(0, 3), key=keys, number=st.integers(0, 99))
def test_regle_draws_nothing(hand: int, trumps: int, key: int, number: int) -> None:
    proposed = bot_actions.proposes(REGLE, hand, trumps, key, number)
    assert proposed == (not heuristics.should_stand(hand, trumps), number)
    assert bot_actions.refuses(REGLE, hand, trumps, key, number) == (
        heuristics.should_refuse(hand, trumps),
        number,
    )
    assert bot_actions.lead(REGLE, hand, trumps, key, number) == (
        heuristics.lead(hand, trumps),
        number,
    )
    thrown, after = bot_actions.discards(REGLE, hand, trumps, 21, key, number)
    assert (thrown, after) == (heuristics.discards(hand, trumps, 5), number)
    assert thrown & ~hand == 0


@pytest.mark.parametrize("says", [bot_actions.proposes, bot_actions.refuses])
def test_novice_says_yes_half_the_time(
    says: Callable[[int, int, int, int, int], tuple[bool, int]],
) -> None:
    found = [says(NOVICE, HAND, 1, key, 0) for key in KEYS]
    assert {after for _, after in found} == {1}
    assert evenly(Counter(int(said) for said, _ in found), 2)


def test_novice_leads_every_card_as_often() -> None:
    found = [bot_actions.lead(NOVICE, HAND, 1, key, 7) for key in KEYS]
    assert {after for _, after in found} == {8}
    assert {one for one, _ in found} == set(cards_in(HAND))
    assert evenly(Counter(one for one, _ in found), 5)


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("led", ["QH", "JD", "AS", "7C"])
def test_novice_replies_with_every_legal_card_as_often(led: str, strict: bool) -> None:
    legal = legal_replies(HAND, card(led), 1, strict)
    replies = [bot_actions.reply(NOVICE, HAND, card(led), 1, strict, key, 0)[0] for key in KEYS]
    assert set(replies) == set(cards_in(legal))
    assert evenly(Counter(replies), legal.bit_count())


@given(hand=hands, led=st.integers(0, 31), trumps=st.integers(0, 3), strict=st.booleans(), key=keys)
def test_both_bots_reply_by_the_rules(
    hand: int, led: int, trumps: int, strict: bool, key: int
) -> None:
    if hand >> led & 1:
        return
    legal = legal_replies(hand, led, trumps, strict)
    for bot in (NOVICE, REGLE):
        played, _ = bot_actions.reply(bot, hand, led, trumps, strict, key, 0)
        assert legal >> played & 1


@pytest.mark.parametrize("stock", [21, 5, 4, 2, 1])
def test_novice_exchanges_every_number_allowed_as_often(stock: int) -> None:
    least, most = min_exchange(stock), max_exchange(stock, 5)
    found = [bot_actions.discards(NOVICE, HAND, 1, stock, key, 0) for key in KEYS]
    assert all(thrown & ~HAND == 0 for thrown, _ in found)
    assert all(after == 1 + thrown.bit_count() for thrown, after in found)
    numbers = Counter(thrown.bit_count() for thrown, _ in found)
    assert set(numbers) == set(range(least, most + 1))
    assert evenly(numbers, most - least + 1)


def test_novice_throws_every_card_as_often() -> None:
    found: Counter[int] = Counter()
    for key in KEYS:
        found.update(cards_in(bot_actions.discards(NOVICE, HAND, 1, 21, key, 0)[0]))
    expected = found.total() / 5
    assert all(abs(number - expected) < 5 * sqrt(expected) for number in found.values())
