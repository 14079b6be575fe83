"""Streams, words and uniform numbers: each step as it is written down."""

from __future__ import annotations

import hmac
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casino.fairness import SeededRandom, blocks, words


def test_the_stream_is_made_of_numbered_blocks() -> None:
    found = list(islice(blocks(b"key", "a|b"), 12))
    assert found == [hmac.digest(b"key", f"a|b|{k}".encode(), "sha256") for k in range(12)]


def test_words_are_big_endian() -> None:
    stream = [bytes(range(32)), b"\xff" * 32]
    assert list(words(stream))[:9] == [
        *(0x00010203, 0x04050607, 0x08090A0B, 0x0C0D0E0F),
        *(0x10111213, 0x14151617, 0x18191A1B, 0x1C1D1E1F),
        0xFFFFFFFF,
    ]


# --- uniform numbers ---------------------------------------------------------------------------


TOP = 2**32


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
def test_the_rule_of_rejection(stop: int, given_words: list[int], drawn: int, taken: int) -> None:
    stream = iter([*given_words, 77])
    assert SeededRandom(stream).randrange(stop) == drawn
    assert [*given_words, 77][taken:] == list(stream)


def test_a_shuffle_swaps_from_the_end() -> None:
    items = list("abcd")
    SeededRandom(iter([1, 0, 1])).shuffle(
        items
    )  # abcd, i=3 j=1: adcb; i=2 j=0: cdab; i=1 j=1: cdab
    assert items == list("cdab")


@given(st.lists(st.integers(TOP - 40, TOP - 1) | st.integers(0, TOP - 1), max_size=60))
def test_a_shuffle_draws_as_single_numbers_are_drawn(given_words: list[int]) -> None:
    shuffled, swapped = list(range(32)), list(range(32))
    one, other = (iter([*given_words, *range(40)]) for _ in range(2))
    SeededRandom(one).shuffle(shuffled)
    for i in range(31, 0, -1):
        j = SeededRandom(other).randrange(i + 1)
        swapped[i], swapped[j] = swapped[j], swapped[i]
    assert shuffled == swapped
    assert list(one) == list(other)


def test_a_sample_swaps_from_the_front() -> None:
    stream = iter([2, 0, 9])
    assert SeededRandom(stream).sample("abcd", 2) == ["c", "b"]
    assert list(stream) == [9]
