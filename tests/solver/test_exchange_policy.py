"""What the tables say before play: bytes decoded as they were packed, for every row."""

from __future__ import annotations

from random import Random

import pytest

from casino.bots import heuristics
from casino.ecarte import card_set
from casino.solver.policy import tables
from casino.solver.policy.abstraction import KINDS, kind_of
from casino.solver.policy.infosets import (
    MIXES,
    MOST,
    STEPS,
    WORDS,
    cards_to_discard,
    exchange_counts,
    second_word_share,
    take_row,
    word_row,
)

BRAIN = tables.policy_tables(True)


def hands(number: int, turn_up: int, seed: int = 1) -> list[int]:
    rng, pack = Random(seed), [one for one in range(32) if one != turn_up]
    return [card_set(rng.sample(pack, 5)) for _ in range(number)]


def test_words_are_looked_up_where_they_stand() -> None:
    for turn_up in (0, 12, 31):
        for hand in hands(60, turn_up):
            kind = kind_of(BRAIN.kinds, hand, turn_up)
            for game, context in ((0, 0), (48, 4), (17, 7)):
                found = second_word_share(BRAIN, game, context, hand, turn_up)
                assert found == BRAIN.words[(game * WORDS + context) * KINDS + kind] <= STEPS
    assert word_row(3, 2, KINDS) == (3 * WORDS + 2) * KINDS


def test_numbers_are_unpacked_as_they_were_packed() -> None:
    for hand in hands(200, 9):
        kind = kind_of(BRAIN.kinds, hand, 9)
        for game, context in ((0, 0), (30, 6)):
            packed = BRAIN.takes[take_row(game, context, KINDS) + kind]
            number, other, share = exchange_counts(BRAIN, game, context, hand, 9)
            assert ((number - 1) * MOST + other - 1) * MIXES + share == packed
            assert 1 <= number <= MOST and 1 <= other <= MOST and share < STEPS // 2
            assert (number == other) or share > 0


@pytest.mark.parametrize(
    ("packed", "due"),
    [(0, (1, 1, 0)), (7, (1, 1, 7)), (8, (1, 2, 0)), (43, (2, 1, 3)), (199, (5, 5, 7))],
)
def test_a_byte_of_the_tables_is_read_as_three_numbers(
    packed: int, due: tuple[int, int, int]
) -> None:
    (hand,) = hands(1, 9)
    at = take_row(30, 6, KINDS) + kind_of(BRAIN.kinds, hand, 9)
    for byte in (packed, packed - 256):
        assert exchange_counts(BRAIN._replace(takes={at: byte}), 30, 6, hand, 9) == due


@pytest.mark.parametrize("number", range(1, 6))
def test_the_cheapest_cards_are_given_up(number: int) -> None:
    for hand in hands(80, 20, 4):
        found = cards_to_discard(hand, 20, number, 5)
        assert found & ~hand == 0 and found.bit_count() == number
        left = hand
        for _ in range(number):
            left ^= 1 << heuristics.cheapest_discard(left, hand, 2)
        assert found == hand ^ left
        assert cards_to_discard(hand, 20, number, 2).bit_count() == min(2, number)
