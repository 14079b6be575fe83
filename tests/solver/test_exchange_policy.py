"""What the tables say before play: bytes decoded as they were packed, for every row."""

from __future__ import annotations

from random import Random

import pytest

from casino.bots import heuristics
from casino.ecarte import card_set
from casino.solver.policy import tables
from casino.solver.policy.abstraction import BUCKETS, bucket_of, discard_order
from casino.solver.policy.infosets import (
    BIDS,
    MIXES,
    MOST,
    STEPS,
    TAKES,
    bid_row,
    bid_share,
    cards_to_discard,
    exchange_counts,
    games_to,
    take_row,
)

BRAIN = tables.policy_tables(True)


def hands(number: int, turn_up: int, seed: int = 1) -> list[int]:
    rng, pack = Random(seed), [one for one in range(32) if one != turn_up]
    return [card_set(rng.sample(pack, 5)) for _ in range(number)]


def test_words_are_looked_up_where_they_stand() -> None:
    """By score, context and kind of hand; never more than sixteen sixteenths."""
    for turn_up in (0, 12, 31):
        for hand in hands(60, turn_up):
            bucket = bucket_of(BRAIN.buckets, hand, turn_up)
            for game, context in ((0, 0), (48, 4), (17, 7)):
                found = bid_share(BRAIN, game, context, hand, turn_up)
                assert found == BRAIN.bids[(game * BIDS + context) * BUCKETS + bucket] <= STEPS
    assert bid_row(3, 2, BUCKETS) == (3 * BIDS + 2) * BUCKETS


def test_numbers_are_unpacked_as_they_were_packed() -> None:
    """The number taken most often, the other one, and how often that is taken."""
    for hand in hands(200, 9):
        bucket = bucket_of(BRAIN.buckets, hand, 9)
        for game, context in ((0, 0), (30, 6)):
            packed = BRAIN.takes[take_row(game, context, BUCKETS) + bucket]
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
    """The first number in forties, the other in eights, the share in ones; signed bytes too."""
    (hand,) = hands(1, 9)
    at = take_row(30, 6, BUCKETS) + bucket_of(BRAIN.buckets, hand, 9)
    for byte in (packed, packed - 256):
        assert exchange_counts(BRAIN._replace(takes={at: byte}), 30, 6, hand, 9) == due


def test_every_byte_of_the_tables_can_be_read() -> None:
    """No number of cards beyond five, no share beyond one half, in any row."""
    assert max(BRAIN.bids[at] for at in range(games_to(5) * BIDS * BUCKETS)) <= STEPS
    most = max(BRAIN.takes[at] for at in range(games_to(5) * TAKES * BUCKETS))
    assert most < MOST * MOST * MIXES


@pytest.mark.parametrize("number", range(1, 6))
def test_the_cheapest_cards_are_given_up(number: int) -> None:
    """In the order of the rule of thumb, and no more than the stock has."""
    for hand in hands(80, 20, 4):
        found = cards_to_discard(hand, 20, number, 5)
        assert found & ~hand == 0 and found.bit_count() == number
        left = hand
        for _ in range(number):
            left ^= 1 << heuristics.cheapest_discard(left, hand, 2)
        assert found == hand ^ left
        assert cards_to_discard(hand, 20, number, 2).bit_count() == min(2, number)


def test_the_order_of_discards_is_that_of_any_number_of_cards() -> None:
    """Of three cards there are three, each once."""
    for hand in hands(50, 3, 6):
        some = hand & hand - 1
        some &= some - 1
        order = discard_order(some, 0)
        named = [order >> 5 * at & 31 for at in range(3)]
        assert card_set(named) == some and len(set(named)) == 3
