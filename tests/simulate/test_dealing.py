"""Who deals first by the cut, and whose the cards dealt are, as the engine says it."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from casino.analysis.numba_support import compiled
from casino.ecarte import CHALLENGER, HOUSE, PACK, Laws, cut_for_deal, deal_cards
from casino.ecarte.laws import ALLOWED
from casino.simulate.compiled import splitmix
from casino.simulate.compiled.splitmix import BLOCKS, Deck, cut_first, hands_dealt, word
from casino.simulate.reference_engine import shuffled_pack


@compiled
def cut_all(keys: NDArray[np.int64], dealers: NDArray[np.int64]) -> None:
    """Cut for every key, in machine code and with one deck for all of them."""
    deck = np.empty(32, np.int64)
    for at in range(len(keys)):
        dealers[at] = cut_first(deck, keys[at])  # type: ignore[arg-type]


def test_r2_1_the_cut_is_the_engines() -> None:
    keys = np.array([word(21, number) for number in range(3_000)])
    dealers = np.full(len(keys), 99)
    cut_all(keys, dealers)
    assert dealers.tolist() == [cut_for_deal(shuffled_pack(int(key))) for key in keys]


@pytest.mark.parametrize(("number", "ties"), [(24_416, 5), (266_255, 5), (452_530, 6)])
def test_r2_1_the_pair_between_two_blocks_is_cut_too(number: int, ties: int) -> None:
    key = word(5, number)
    pack = shuffled_pack(key)
    equal = [pack[at] & 7 == pack[at + 1] & 7 for at in range(0, 2 * ties + 2, 2)]
    assert equal == [True] * ties + [False]
    dealers = np.full(1, 99)
    cut_all(np.array([key]), dealers)
    assert [cut_first(list(PACK), key)] == dealers.tolist() == [cut_for_deal(pack)]


@pytest.mark.parametrize("higher", [HOUSE, CHALLENGER])
@pytest.mark.parametrize("pairs", range(16))
def test_r2_1_the_first_unequal_pair_decides(
    pairs: int, higher: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    equal = [card for rank in range(8) for card in (rank, 8 + rank, 16 + rank, 24 + rank)]
    decisive = [31, 0] if higher == HOUSE else [0, 31]
    pack = equal[: 2 * pairs] + decisive + 15 * decisive[::-1]

    def lay(deck: Deck, key: int, block: int) -> None:
        assert key == 77
        for place in range(BLOCKS[block], BLOCKS[block + 1]):
            deck[place] = pack[place]

    monkeypatch.setattr(splitmix, "shuffle", lay)
    assert cut_first(list(PACK), 77) == higher


def test_r2_1_the_house_deals_if_all_pairs_are_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    equal = [suit + rank for rank in range(8) for suit in (0, 8, 16, 24)]

    def lay(deck: Deck, _: int, block: int) -> None:
        for place in range(BLOCKS[block], BLOCKS[block + 1]):
            deck[place] = equal[place]

    monkeypatch.setattr(splitmix, "shuffle", lay)
    assert cut_first(list(PACK), 1) == HOUSE == cut_for_deal(equal)


@given(st.permutations(PACK), st.sampled_from(ALLOWED["packets"]), st.integers(0, 1))
def test_r2_4_hands_are_those_the_engine_deals(
    deck: list[int], packets: tuple[int, int], dealer: int
) -> None:
    laws = Laws(packets=packets)
    places = deal_cards(laws, HOUSE, range(32)).hands[CHALLENGER]
    elder, dealt = hands_dealt(sum(packets), places, deck)
    hands = deal_cards(laws, dealer, deck).hands
    assert (elder, dealt) == (hands[1 - dealer], hands[dealer])


def test_a_hand_of_any_size_is_dealt() -> None:
    rng = Random(6)
    for size in range(1, 6):
        deck = rng.sample(PACK, 32)
        places = sum(1 << place for place in rng.sample(range(2 * size), size))
        elder, dealer = hands_dealt(size, places, deck)
        assert elder == sum(1 << deck[place] for place in range(32) if places >> place & 1)
        assert elder | dealer == sum(1 << card for card in deck[: 2 * size])
        assert elder & dealer == 0
