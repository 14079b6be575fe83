"""The chain of seeds: published example, naive chain, refusals."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casino.errors import SeedError
from casino.fairness import SeedChain, is_hash, parse_seed
from tests.fairness import ANCHOR, MASTER, SECOND_SEED, SEED, TENTH_SEED
from tests.naive import fair as naive


def example() -> SeedChain:
    return SeedChain(MASTER, "t1", 1, 10)


def test_chain_matches_published_example() -> None:
    chain = example()
    assert chain.anchor == ANCHOR
    assert [chain.seed(k).hex() for k in (1, 2, 10)] == [SEED.hex(), SECOND_SEED, TENTH_SEED]


@settings(max_examples=60)
@given(st.binary(min_size=32, max_size=32), st.integers(1, 3), st.integers(1, 130), st.data())
def test_seeds_can_be_read_in_any_order(
    master: bytes, number: int, length: int, data: st.DataObject
) -> None:
    chain, full = (
        SeedChain(master, "t9", number, length),
        naive.chain_of(master.hex(), "t9", number, length),
    )
    assert chain.anchor == full[0]
    for k in data.draw(st.lists(st.integers(1, length), max_size=12)):
        assert chain.seed(k).hex() == full[k]


@pytest.mark.parametrize("k", [-1, 0, 11])
def test_chain_refuses_numbers_out_of_range(k: int) -> None:
    with pytest.raises(SeedError, match=f"it has seeds 1 to 10, not {k}: begin a new chain"):
        example().seed(k)


@pytest.mark.parametrize("text", ["", "00", "0" * 63, "0" * 71, "g" * 64, "A" * 64, " " * 64])
def test_malformed_seed_is_refused(text: str) -> None:
    wanted = f"^seed: '{text[:70]}' must be 64 digits of 0-9 a-f, which write 32 bytes$"
    with pytest.raises(SeedError, match=wanted):
        parse_seed(text)


@pytest.mark.parametrize(
    "text", ["", "a" * 63, "a" * 65, "A" * 64, "a" * 64 + "\n", "g" * 64, "１" * 64, " " + "a" * 63]
)
def test_hash_is_exactly_64_hex_digits(text: str) -> None:
    assert is_hash("0123456789abcdef" * 4)
    assert not is_hash(text)
