"""Streams, words and uniform numbers: each step as it is written down."""

from __future__ import annotations

import hmac
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casino.fairness import SeededRandom, blocks, bot_draws, hmac_sha256, words


@pytest.mark.parametrize("length", [0, 1, 32, 63, 64, 65, 200])
def test_the_hmac_is_that_of_the_standard_library(length: int) -> None:
    key, message = bytes(range(length)), b"t1-000001|1|" * length
    assert hmac_sha256(key, message) == hmac.digest(key, message, "sha256")


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


@pytest.mark.parametrize("stop", [0, -1])
def test_there_is_no_number_below_nothing(stop: int) -> None:
    with pytest.raises(ValueError, match="there is no number"):
        SeededRandom(iter([1, 2])).randrange(stop)


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


def test_a_shuffle_passes_over_refused_words() -> None:
    items = list("abcd")
    SeededRandom(iter([1, TOP - 1, 0, 1])).shuffle(items)
    assert items == list("cdab")


def test_a_sample_swaps_from_the_front() -> None:
    stream = iter([2, 0, 9])
    assert SeededRandom(stream).sample("abcd", 2) == ["c", "b"]
    assert list(stream) == [9]


def test_a_sample_of_more_than_there_is_is_refused() -> None:
    with pytest.raises(ValueError, match="5 of 4 items"):
        SeededRandom(iter([0] * 9)).sample("abcd", 5)


def test_a_choice_takes_one_word() -> None:
    assert SeededRandom(iter([6])).choice("abcd") == "c"


@given(st.lists(st.integers(), max_size=40), st.binary(min_size=32, max_size=32), st.data())
def test_draws_keep_what_they_are_given(items: list[int], seed: bytes, data: st.DataObject) -> None:
    kept = list(items)
    shuffled = list(items)
    bot_draws(seed, 1, 1).shuffle(shuffled)
    assert sorted(shuffled) == sorted(items)
    k = data.draw(st.integers(0, len(items)))
    sample = bot_draws(seed, 1, 2).sample(range(len(items)), k)
    assert len(set(sample)) == k
    assert items == kept
