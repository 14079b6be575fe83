"""Random numbers by key and index: the same in Python and compiled code, and uniform."""

from __future__ import annotations

from collections import Counter
from math import sqrt

import pytest

from casino.simulate.compiled.splitmix import KeyDraws, shuffle, word


def chi_square(counts: Counter[int], cells: int) -> float:
    """Return how many standard deviations χ² lies above its mean for uniform draws."""
    expected = sum(counts.values()) / cells
    found = sum((counts[cell] - expected) ** 2 / expected for cell in range(cells))
    return (found - (cells - 1)) / sqrt(2 * (cells - 1))


def test_words_match_published_splitmix() -> None:
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert [word(1234567, number) for number in range(3)] == [one >> 1 for one in published]


@pytest.mark.parametrize("ways", [1, 2, 3, 5, 7, 8, 31, 32])
def test_draws_are_uniform(ways: int) -> None:
    draws = KeyDraws(99, 0)
    counts = Counter(draws.randrange(ways) for _ in range(20_000))
    assert set(counts) <= set(range(ways))
    assert ways == 1 or chi_square(counts, ways) < 4.5


def test_key_draws_support_the_random_interface() -> None:
    draws = KeyDraws(99, 0)
    counts = Counter(draws.choice(range(3)) for _ in range(20_000))
    assert chi_square(counts, 3) < 4.5
    assert {draws.randrange(5, 8) for _ in range(50)} == {5, 6, 7}
    assert all(0 <= draws.random() < 1 for _ in range(50))
    assert 1 << 99 < max(draws.getrandbits(100) for _ in range(50)) < 1 << 100


def test_biased_word_is_drawn_again() -> None:
    """A known share of the words for eleven cards is rejected: the remainder modulo the ways.

    A block's next attempt has its own number, so the words used can be told apart.
    """
    ways = 1
    for left in range(22, 33):
        ways *= left
    refused = (1 << 58) % ways
    again = 0
    for number in range(4_000):
        key = word(8, number)
        rest = word(key, 0) >> 5
        for place in range(11):
            rest = rest * (32 - place) % (1 << 58)
        if rest < refused:
            again += 1
            deck = list(range(32))
            shuffle(deck, key, 0)
            once = list(range(32))
            left = word(key, 0) >> 5
            for place in range(11):
                other = place + (left * (32 - place) >> 58)
                left = left * (32 - place) % (1 << 58)
                once[place], once[other] = once[other], once[place]
            assert deck[:11] != once[:11]
    expected = 4_000 * refused / (1 << 58)
    assert abs(again - expected) < 5 * sqrt(expected) + 1
