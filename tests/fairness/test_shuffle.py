"""What follows from seed and cut: the published decks, the first dealer, slips, bots' chance."""

from __future__ import annotations

import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casino.ecarte import CHALLENGER, HOUSE, PACK, SEATS, cards, cut_for_deal, format_cards
from casino.fairness import (
    bot_draws,
    bot_seed,
    combine,
    deck,
    exchange_commitment,
    exposed_card,
    first_dealer,
)
from tests.fairness import CUT, DECKS, GAME, SEED
from tests.naive import fair as naive

TOP = 2**32


@pytest.mark.parametrize(("deal", "names"), list(enumerate(DECKS)))
def test_the_decks_of_the_published_example(deal: int, names: str) -> None:
    assert format_cards(deck(SEED, GAME, CUT, deal)) == names


@given(st.binary(min_size=32, max_size=32), st.integers(0, 40), st.lists(st.text(max_size=16)))
def test_the_decks_of_a_second_program(seed: bytes, deal: int, opened: list[str]) -> None:
    cut = naive.cut_of(opened)
    assert combine(opened) == cut
    assert format_cards(deck(seed, GAME, cut, deal)) == naive.deck_of(seed.hex(), GAME, deal, cut)


# --- the cut for first deal --------------------------------------------------------------------


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
def test_r2_1_the_higher_cut_card_deals_first(begins: str, dealer: int) -> None:
    top = cards(begins)
    rest = [one for one in PACK if one not in top]
    assert cut_for_deal((*top, *rest)) == dealer


@given(st.binary(min_size=32, max_size=32), st.text("0123456789abcdef", min_size=64, max_size=64))
def test_r2_1_a_second_program_names_the_same_dealer(seed: bytes, cut: str) -> None:
    assert SEATS[first_dealer(seed, GAME, cut)] == naive.first_dealer_of(seed.hex(), GAME, cut)


# --- the bots' own numbers ---------------------------------------------------------------------


def test_every_decision_draws_from_a_stream_of_its_own() -> None:
    seed = bot_seed(SEED, GAME, HOUSE)
    stream = hmac.digest(seed, b"3|12|0", "sha256") + hmac.digest(seed, b"3|12|1", "sha256")
    expected = [int.from_bytes(stream[at : at + 4], "big") for at in range(0, 64, 4)]
    draws = bot_draws(seed, deal=3, decision=12)
    assert [draws.randrange(TOP) for _ in range(16)] == expected


# --- slips and exchanges -----------------------------------------------------------------------


def test_r8_1_a_slip_is_two_words_of_one_hmac() -> None:
    drawn = hmac.digest(SEED, b"t1-000001|slip|3", "sha256")
    first, second = (int.from_bytes(drawn[at : at + 4], "big") for at in (0, 4))
    assert exposed_card(SEED, GAME, 3, 1000) == second % 10
    assert exposed_card(SEED, GAME, 3, first % 1000) is None
    assert exposed_card(SEED, GAME, 3, first % 1000 + 1) == second % 10
    assert exposed_card(SEED, GAME, 3, 0) is None


@given(st.binary(min_size=32, max_size=32), st.integers(1, 40), st.integers(0, 1000))
def test_r8_1_slips_of_a_second_program(seed: bytes, deal: int, permille: int) -> None:
    assert exposed_card(seed, GAME, deal, permille) == naive.slip_of(
        seed.hex(), GAME, deal, permille
    )


def test_an_exchange_is_sealed_under_the_seed() -> None:
    sealed = hmac.new(SEED, b"t1-000001|exchange|2|5|X7H8D", "sha256").hexdigest()
    assert exchange_commitment(SEED, GAME, 2, 5, "X7H8D") == sealed
    assert exchange_commitment(SEED, GAME, 2, 5, "X8D7H") != sealed
