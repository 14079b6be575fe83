"""Streams, uniform numbers, decks and slips."""

from __future__ import annotations

import hmac
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casino.ecarte import CHALLENGER, HOUSE, PACK, SEATS, cards, cut_for_deal, format_cards
from casino.fairness import (
    SeededRandom,
    blocks,
    bot_draws,
    bot_seed,
    combine,
    deck,
    exchange_commitment,
    exposed_card,
    first_dealer,
    words,
)
from tests.fairness import CUT, DECKS, GAME, SEED
from tests.naive import fair as naive

TOP = 2**32


@pytest.mark.parametrize(("deal", "names"), list(enumerate(DECKS)))
def test_decks_match_published_example(deal: int, names: str) -> None:
    assert format_cards(deck(SEED, GAME, CUT, deal)) == names


@given(st.binary(min_size=32, max_size=32), st.integers(0, 40), st.lists(st.text(max_size=16)))
def test_naive_decks_agree(seed: bytes, deal: int, opened: list[str]) -> None:
    cut = naive.cut_of(opened)
    assert combine(opened) == cut
    assert format_cards(deck(seed, GAME, cut, deal)) == naive.deck_of(seed.hex(), GAME, deal, cut)


@pytest.mark.parametrize(
    ("begins", "dealer"),
    [
        ("KS QS", HOUSE),
        ("QS KS", CHALLENGER),
        ("AS JS", CHALLENGER),
        ("AS TS", HOUSE),
        ("8C 7S", HOUSE),
        ("KS KH QD JD", HOUSE),
        ("KS KH 7D 8D", CHALLENGER),
        ("7S 7H 8S 8H 9S 9H TS AS", CHALLENGER),
    ],
)
def test_r2_1_higher_cut_card_deals_first(begins: str, dealer: int) -> None:
    top = cards(begins)
    rest = [one for one in PACK if one not in top]
    assert cut_for_deal((*top, *rest)) == dealer


@given(st.binary(min_size=32, max_size=32), st.text("0123456789abcdef", min_size=64, max_size=64))
def test_r2_1_naive_first_dealer_agrees(seed: bytes, cut: str) -> None:
    assert SEATS[first_dealer(seed, GAME, cut)] == naive.first_dealer_of(seed.hex(), GAME, cut)


def test_each_decision_has_its_own_stream() -> None:
    seed = bot_seed(SEED, GAME, HOUSE)
    stream = hmac.digest(seed, b"3|12|0", "sha256") + hmac.digest(seed, b"3|12|1", "sha256")
    expected = [int.from_bytes(stream[at : at + 4], "big") for at in range(0, 64, 4)]
    draws = bot_draws(seed, deal=3, decision=12)
    assert [draws.randrange(TOP) for _ in range(16)] == expected


def test_r8_1_slip_uses_two_words_of_one_hmac() -> None:
    drawn = hmac.digest(SEED, b"t1-000001|slip|3", "sha256")
    first, second = (int.from_bytes(drawn[at : at + 4], "big") for at in (0, 4))
    assert exposed_card(SEED, GAME, 3, 1000) == second % 10
    assert exposed_card(SEED, GAME, 3, first % 1000) is None
    assert exposed_card(SEED, GAME, 3, first % 1000 + 1) == second % 10
    assert exposed_card(SEED, GAME, 3, 0) is None


@given(st.binary(min_size=32, max_size=32), st.integers(1, 40), st.integers(0, 1000))
def test_r8_1_naive_slips_agree(seed: bytes, deal: int, permille: int) -> None:
    assert exposed_card(seed, GAME, deal, permille) == naive.slip_of(
        seed.hex(), GAME, deal, permille
    )


def test_exchange_commitment_is_keyed_by_the_seed() -> None:
    sealed = hmac.new(SEED, b"t1-000001|exchange|2|5|X7H8D", "sha256").hexdigest()
    assert exchange_commitment(SEED, GAME, 2, 5, "X7H8D") == sealed
    assert exchange_commitment(SEED, GAME, 2, 5, "X8D7H") != sealed


def test_stream_is_made_of_numbered_hmac_blocks() -> None:
    found = list(islice(blocks(b"key", "a|b"), 12))
    assert found == [hmac.digest(b"key", f"a|b|{k}".encode(), "sha256") for k in range(12)]


def test_words_are_big_endian() -> None:
    stream = [bytes(range(32)), b"\xff" * 32]
    assert list(words(stream))[:9] == [
        *(0x00010203, 0x04050607, 0x08090A0B, 0x0C0D0E0F),
        *(0x10111213, 0x14151617, 0x18191A1B, 0x1C1D1E1F),
        0xFFFFFFFF,
    ]


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
    assert SeededRandom(stream).randrange(stop) == drawn
    assert [*given_words, 77][taken:] == list(stream)


def test_shuffle_swaps_from_the_end() -> None:
    items = list("abcd")
    SeededRandom(iter([1, 0, 1])).shuffle(
        items
    )  # abcd, i=3 j=1: adcb; i=2 j=0: cdab; i=1 j=1: cdab
    assert items == list("cdab")


@given(st.lists(st.integers(TOP - 40, TOP - 1) | st.integers(0, TOP - 1), max_size=60))
def test_shuffle_draws_like_randrange(given_words: list[int]) -> None:
    shuffled, swapped = list(range(32)), list(range(32))
    one, other = (iter([*given_words, *range(40)]) for _ in range(2))
    SeededRandom(one).shuffle(shuffled)
    for i in range(31, 0, -1):
        j = SeededRandom(other).randrange(i + 1)
        swapped[i], swapped[j] = swapped[j], swapped[i]
    assert shuffled == swapped
    assert list(one) == list(other)


def test_sample_swaps_from_the_front() -> None:
    stream = iter([2, 0, 9])
    assert SeededRandom(stream).sample("abcd", 2) == ["c", "b"]
    assert list(stream) == [9]
