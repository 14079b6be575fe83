"""Who deals first by the cut, and whose the cards dealt are, as the engine says it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from casino.analysis.numba_support import compiled
from casino.ecarte import CHALLENGER, HOUSE, PACK, cut_for_deal
from casino.simulate.compiled import splitmix
from casino.simulate.compiled.splitmix import BLOCKS, Deck, cut_first, word
from casino.simulate.reference_engine import shuffled_pack


@compiled
def cut_all(keys: NDArray[np.int64], dealers: NDArray[np.int64]) -> None:
    """Cut for every key, in machine code and with one deck for all of them."""
    deck = np.empty(32, np.int64)
    for at in range(len(keys)):
        dealers[at] = cut_first(deck, keys[at])  # type: ignore[arg-type]


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
