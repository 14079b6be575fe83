"""Random numbers by key and index: the same in Python and compiled code, and uniform."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from casino.analysis.numba_support import compiled
from casino.simulate.compiled.splitmix import BLOCKS, Draws, KeyDraws, below, shuffle, word
from casino.simulate.reference_engine import shuffled_pack

KEYS = st.integers(0, (1 << 63) - 1)


@compiled
def word_compiled(key: int, number: int) -> int:
    return word(key, number)


@compiled
def below_compiled(draws: Draws, ways: int) -> int:
    return below(draws, ways)


@compiled
def shuffle_compiled(deck: NDArray[np.int64], key: int, block: int) -> None:
    shuffle(deck, key, block)  # type: ignore[arg-type]


def splitmix(state: int) -> Iterator[int]:
    mask = (1 << 64) - 1
    while True:
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        yield z ^ (z >> 31)


def chi_square(counts: Counter[int], cells: int) -> float:
    """Return how many standard deviations χ² lies above its mean for uniform draws."""
    expected = sum(counts.values()) / cells
    found = sum((counts[cell] - expected) ** 2 / expected for cell in range(cells))
    return (found - (cells - 1)) / sqrt(2 * (cells - 1))


@given(KEYS)
def test_words_match_reference_splitmix(key: int) -> None:
    expected = [one >> 1 for one in islice(splitmix(key), 20)]
    assert [word(key, number) for number in range(20)] == expected


def test_words_match_published_splitmix() -> None:
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert [word(1234567, number) for number in range(3)] == [one >> 1 for one in published]


@settings(deadline=None)  # the first call compiles
@given(KEYS, st.integers(0, 1 << 40))
def test_compiled_words_are_the_same(key: int, number: int) -> None:
    assert word_compiled(key, number) == word(key, number)


@settings(deadline=None)  # the first call compiles
@given(KEYS, st.integers(0, 1 << 30), st.integers(1, 32))
def test_compiled_draws_are_the_same(key: int, number: int, ways: int) -> None:
    compiled_draws, draws = np.array([key, number]), [key, number]
    assert below_compiled(compiled_draws, ways) == below(draws, ways)  # type: ignore[arg-type]
    assert compiled_draws.tolist() == draws


@settings(deadline=None)  # the first call compiles
@given(KEYS)
def test_compiled_shuffles_are_the_same(key: int) -> None:
    deck = np.arange(32)
    for block in range(len(BLOCKS) - 1):
        shuffle_compiled(deck, key, block)
    assert deck.tolist() == shuffled_pack(key)


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
