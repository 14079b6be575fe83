"""Counter-based random numbers of simulated games (SplitMix64).

A key is a 63-bit number. `word` mixes a key with a number into another 63-bit number, used as a
random word or as a subkey. The keys of series derive from a run's seed, those of games from their
series, and those of deals from their game, so any draw can be repeated by itself. Plain Python and
compiled code draw the same numbers.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from itertools import pairwise
from math import perm
from random import Random
from typing import Any, Final, TypeAlias

import numpy as np
from numba.core import types
from numba.extending import overload, overload_method, register_jitable

from casino.ecarte import HOUSE, NO_SEAT, PACK, Card, CardSet, Seat, cut_dealer

# In compiled code these are arrays: the 32 cards of a pack, and a key with its next draw's number.
Deck: TypeAlias = MutableSequence[Card]
Draws: TypeAlias = Any

_GAMMA: Final = 0x9E3779B97F4A7C15
_FIRST: Final = 0xBF58476D1CE4E5B9
_SECOND: Final = 0x94D049BB133111EB
_WORD: Final = (1 << 64) - 1
WORD_BITS: Final = 63  # bits of a random word
FRACTION_BITS: Final = 58  # bits of a word used for a draw: multiplied by 32 they fit in 63 bits
CHOICES: Final = 1 << 20  # number of a deal's first draw for decisions; lower ones shuffle

# A pack is shuffled in blocks, one random word for each; these are the block boundaries.
BLOCKS: Final = (0, 11, 18, 25, 32)


def word(key: int, number: int) -> int:
    """Return the random word or subkey with this number under a key."""
    mixed = key + (number + 1) * _GAMMA & _WORD
    mixed = (mixed ^ mixed >> 30) * _FIRST & _WORD
    mixed = (mixed ^ mixed >> 27) * _SECOND & _WORD
    return (mixed ^ mixed >> 31) >> 1


@overload(word, strict=False)
def _word_compiled(_key: Any, _number: Any) -> Any:
    """Compile `word` with unsigned integers, which overflow without a mask."""
    gamma, first, second = np.uint64(_GAMMA), np.uint64(_FIRST), np.uint64(_SECOND)

    def code(_key: Any, _number: Any) -> Any:
        mixed = np.uint64(_key) + np.uint64(_number + 1) * gamma
        mixed = (mixed ^ mixed >> np.uint64(30)) * first
        mixed = (mixed ^ mixed >> np.uint64(27)) * second
        return np.int64((mixed ^ mixed >> np.uint64(31)) >> np.uint64(1))

    return code


_FRACTION: Final = (1 << FRACTION_BITS) - 1
# Lemire's method rejects a draw below these thresholds, because it would be biased.
_LEAST: Final = tuple(
    (1 << FRACTION_BITS) % perm(len(PACK) - first, end - first) for first, end in pairwise(BLOCKS)
)


@register_jitable
def below(draws: Draws, ways: int) -> int:
    """Draw a uniform number from 0 to `ways` - 1."""
    while True:
        scaled = (word(draws[0], draws[1]) >> 5) * ways
        draws[1] += 1
        rest = scaled & _FRACTION
        # Lemire's method: the costly remainder is computed only if the cheap test fails.
        if rest >= ways or rest >= (1 << FRACTION_BITS) % ways:
            return scaled >> FRACTION_BITS


@overload_method(types.Array, "randrange", strict=False)  # type: ignore[call-arg]
def _randrange_compiled(_draws: Any, _stop: Any) -> Any:
    """Let compiled functions draw from `Draws` as plain ones do from an `Rng`."""
    return lambda _draws, _stop: below(_draws, _stop)


@register_jitable(forceinline=True)
def shuffle(deck: Deck, key: int, block: int) -> None:
    """Shuffle one block of a pack; the first begins with a fresh pack, the others follow in turn.

    One word draws all positions of the block: the fraction left by a draw serves for the next
    (batched Lemire's method). The last fraction shows whether the word must be rejected.
    """
    if block == 0:
        for card in range(len(deck)):
            deck[card] = card
    number = block
    fair = False
    while not fair:
        rest = word(key, number) >> 5
        for index in range(BLOCKS[block], BLOCKS[block + 1]):
            scaled = rest * (32 - index)
            other = index + (scaled >> FRACTION_BITS)
            rest = scaled & _FRACTION
            drawn = deck[other]
            deck[other] = deck[index]
            deck[index] = drawn
        fair = rest >= _LEAST[block]
        # A rejected word is replaced by one that no other block uses.
        number += len(BLOCKS)


class KeyDraws(Random):
    """A `Random` that yields the draws of a key from draw `number` on, for bots that expect one."""

    def __init__(self, key: int, number: int) -> None:
        super().__init__(0)
        self.draws = [key, number]

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        """Return a number from the range; `randrange(n)` draws as compiled games do."""
        if stop is not None or step != 1:
            return super().randrange(start, stop, step)
        return below(self.draws, start)

    def random(self) -> float:
        """Return a number from 0 to 1, exclusive."""
        return self.getrandbits(53) / (1 << 53)

    def getrandbits(self, k: int) -> int:
        """Return `k` random bits as a number; the inherited methods of `Random` build on it."""
        bits = 0
        for _ in range(0, k, WORD_BITS):
            bits = bits << WORD_BITS | word(*self.draws)
            self.draws[1] += 1
        return bits >> -k % WORD_BITS


@register_jitable(forceinline=True)
def hands_dealt(size: int, elder_places: int, deck: Deck) -> tuple[CardSet, CardSet]:
    """Return the hands of elder and dealer; `elder_places` are the elder's deck positions."""
    elder = 0
    both = 0
    for index in range(2 * size):
        bit = 1 << deck[index]
        both |= bit
        elder |= bit & -(elder_places >> index & 1)
    return elder, both ^ elder


@register_jitable(forceinline=True)
def cut_first(deck: Deck, key: int) -> Seat:
    """Cut for deal: turn up pairs of cards until their ranks differ; return the first dealer."""
    for block in range(len(BLOCKS) - 1):
        shuffle(deck, key, block)
        # A pair that straddles two blocks is compared once the second block is shuffled.
        for index in range(BLOCKS[block] // 2, BLOCKS[block + 1] // 2):
            dealer = cut_dealer(deck[2 * index], deck[2 * index + 1])
            if dealer != NO_SEAT:
                return dealer
    # All pairs were equal.
    return HOUSE
