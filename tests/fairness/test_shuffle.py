"""Streams, uniform numbers, decks and slips."""

from __future__ import annotations

import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casino import fairness
from casino.ecarte import HOUSE, format_cards
from tests.fairness import CUT, DECKS, GAME, SEED

TOP = 2**32


@pytest.mark.parametrize(("deal", "names"), list(enumerate(DECKS)))
def test_decks_match_published_example(deal: int, names: str) -> None:
    assert format_cards(fairness.deck(SEED, GAME, CUT, deal)) == names


def test_each_decision_has_its_own_stream() -> None:
    seed = fairness.bot_seed(SEED, GAME, HOUSE)
    stream = hmac.digest(seed, b"3|12|0", "sha256") + hmac.digest(seed, b"3|12|1", "sha256")
    expected = [int.from_bytes(stream[at : at + 4], "big") for at in range(0, 64, 4)]
    draws = fairness.bot_draws(seed, deal=3, decision=12)
    assert [draws.randrange(TOP) for _ in range(16)] == expected


def test_r8_1_slip_uses_two_words_of_one_hmac() -> None:
    drawn = hmac.digest(SEED, b"t1-000001|slip|3", "sha256")
    first, second = (int.from_bytes(drawn[at : at + 4], "big") for at in (0, 4))
    assert fairness.exposed_card(SEED, GAME, 3, 1000) == second % 10
    assert fairness.exposed_card(SEED, GAME, 3, first % 1000) is None
    assert fairness.exposed_card(SEED, GAME, 3, first % 1000 + 1) == second % 10
    assert fairness.exposed_card(SEED, GAME, 3, 0) is None


def test_exchange_commitment_is_keyed_by_the_seed() -> None:
    sealed = hmac.new(SEED, b"t1-000001|exchange|2|5|X7H8D", "sha256").hexdigest()
    assert fairness.exchange_commitment(SEED, GAME, 2, 5, "X7H8D") == sealed
    assert fairness.exchange_commitment(SEED, GAME, 2, 5, "X8D7H") != sealed


@pytest.mark.parametrize(
    ("stop", "given_words", "drawn", "taken"),
    [
        (1, [TOP - 1], 0, 1),
        (2, [TOP - 1], 1, 1),
        (32, [TOP - 1], 31, 1),
        (3, [TOP - 1, 5], 2, 2),  # 2³² mod 3 = 1: only the last word is refused
        (3, [TOP - 2], 2, 1),
        (7, [TOP - 4, TOP - 1, TOP - 5], 6, 3),  # 2³² mod 7 = 4
        (31, [TOP - 4, 30], 30, 2),  # 2³² mod 31 = 4
        (31, [TOP - 5], 30, 1),
        (TOP, [TOP - 1], TOP - 1, 1),
        (TOP - 1, [TOP - 1, TOP - 2], TOP - 2, 2),
        (TOP + 1, [1, 0], TOP, 2),
        (TOP + 1, [TOP - 1, TOP - 1, 2, 3], (2 * TOP + 3) % (TOP + 1), 4),
        (TOP**2, [1, 2], TOP + 2, 2),
        (TOP**2 + 1, [0, 1, 2], TOP + 2, 3),
    ],
)
def test_randrange_rejects_biased_words(
    stop: int, given_words: list[int], drawn: int, taken: int
) -> None:
    stream = iter([*given_words, 77])
    assert fairness.SeededRandom(stream).randrange(stop) == drawn
    assert [*given_words, 77][taken:] == list(stream)


@given(st.lists(st.integers(TOP - 40, TOP - 1) | st.integers(0, TOP - 1), max_size=60))
def test_shuffle_draws_like_randrange(given_words: list[int]) -> None:
    shuffled, swapped = list(range(32)), list(range(32))
    one, other = (iter([*given_words, *range(40)]) for _ in range(2))
    fairness.SeededRandom(one).shuffle(shuffled)
    for i in range(31, 0, -1):
        j = fairness.SeededRandom(other).randrange(i + 1)
        swapped[i], swapped[j] = swapped[j], swapped[i]
    assert shuffled == swapped
    assert list(one) == list(other)


def test_sample_swaps_from_the_front() -> None:
    stream = iter([6, 4, 9])  # 6 mod 4 = 2, then 4 mod 3 = 1
    drawn = fairness.SeededRandom(stream)
    assert drawn.sample("abcd", 2) == ["c", "a"]
    assert drawn.sample("abcd", 0) == [] and drawn.sample("a", 1) == ["a"]
    assert list(stream) == []
    with pytest.raises(ValueError, match=r"^5 of 4 items cannot be drawn$"):
        drawn.sample("abcd", 5)
    with pytest.raises(ValueError, match=r"^-1 of 4 "):
        drawn.sample("abcd", -1)
    with pytest.raises(ValueError, match=r"^there is no number from 0 to -1$"):
        drawn.randrange(0)
