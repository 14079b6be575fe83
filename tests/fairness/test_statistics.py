"""The generator under test: statistics of twenty thousand decks.

Each statistic is a χ² against its value at 99.9 %; the seeds are fixed, so a run never fails by
bad luck.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from itertools import permutations
from math import comb
from typing import TypeAlias, TypeVar

import pytest

from casino.ecarte.cards import cards
from casino.ecarte.rules import KING_RANK
from casino.fairness import combine, deck

Decks: TypeAlias = Sequence[Sequence[int]]
Cell = TypeVar("Cell", bound=Hashable)

SEED = sha256(b"the generator under test").digest()
N = 20_000

LIMITS = {3: 16.266, 31: 61.098, 119: 172.418, 961: 1102.196, 991: 1134.294}
"""The 99.9 % quantile of χ², by degrees of freedom."""


def chi_square(counts: Mapping[Cell, int], expected: Mapping[Cell, float]) -> float:
    assert set(counts) <= set(expected)
    return sum((counts.get(cell, 0) - mean) ** 2 / mean for cell, mean in expected.items())


def is_even(found: Iterable[Cell], cells: Iterable[Cell], total: int) -> bool:
    everywhere = list(cells)
    expected = dict.fromkeys(everywhere, total / len(everywhere))
    return chi_square(Counter(found), expected) < LIMITS[len(everywhere) - 1]


def every_card_in_every_place(decks: Decks) -> bool:
    found = Counter((place, one) for deck in decks for place, one in enumerate(deck))
    expected = {(place, one): len(decks) / 32 for place in range(32) for one in range(32)}
    # Every deck fills each place once and holds each card once: 31 × 31 cells are free, and
    # the sum over all of them is 32/31 times a χ².
    return chi_square(found, expected) * 31 / 32 < LIMITS[31 * 31]


def neighbours(decks: Decks) -> bool:
    """Check that every card follows every other equally often, at one place per deck."""
    places = (number % 31 for number in range(len(decks)))
    found = ((deck[at], deck[at + 1]) for deck, at in zip(decks, places, strict=True))
    return is_even(found, permutations(range(32), 2), len(decks))


def kings_in_a_hand(decks: Decks) -> bool:
    """Check the number of kings in the elder's first hand; three and four share a cell."""
    hands = ((*deck[0:3], *deck[6:8]) for deck in decks)
    found = Counter(min(3, sum(one & 7 == KING_RANK for one in hand)) for hand in hands)
    ways = [comb(4, kings) * comb(28, 5 - kings) for kings in range(5)]
    cells = [*ways[:3], ways[3] + ways[4]]
    expected = {kings: len(decks) * cell / comb(32, 5) for kings, cell in enumerate(cells)}
    return chi_square(found, expected) < LIMITS[len(cells) - 1]


def turn_ups(decks: Decks) -> bool:
    return is_even((deck[10] for deck in decks), range(32), len(decks))


def orders_of_five_cards(decks: Decks) -> bool:
    five = cards("KS QS JS AS TS")
    found = (tuple(one for one in deck if one in five) for deck in decks)
    return is_even(found, permutations(five), len(decks))


STATISTICS = (
    every_card_in_every_place, neighbours, kings_in_a_hand, turn_ups, orders_of_five_cards,
)  # fmt: skip


@cache
def fair_decks() -> Decks:
    cut = combine(["statistics"])
    return [deck(SEED, "rng", cut, number) for number in range(1, N + 1)]


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda one: one.__name__)
def test_decks_of_one_game_are_random(statistic: Callable[[Decks], bool]) -> None:
    assert statistic(fair_decks())


def test_decks_of_many_games_are_random() -> None:
    seeds = (sha256(SEED + number.to_bytes(4, "big")).digest() for number in range(N))
    decks = [deck(seed, f"t{n}-1", combine([str(n)]), 1) for n, seed in enumerate(seeds)]
    assert [one.__name__ for one in STATISTICS if not one(decks)] == []
