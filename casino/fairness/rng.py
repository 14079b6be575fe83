"""Reproducible random numbers from HMAC-SHA256 in counter mode.

A stream has a key and a message; its block k is the HMAC of the message with `|k` appended. `words`
splits the blocks into unsigned 32-bit big-endian words, and `SeededRandom` turns these into uniform
numbers. Only `fresh_seed` asks the system for randomness; all other seeds are arguments.

>>> draws = SeededRandom(words(blocks(bytes(32), "example")))
>>> [draws.randrange(6) + 1 for _ in range(8)]
[2, 1, 3, 2, 2, 5, 4, 4]
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, MutableSequence, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import chain, count
from struct import Struct
from typing import Any, Final, TypeVar

SEED_BYTES: Final = 32

_WORD: Final = 1 << 32
_WORDS: Final = Struct(">8I").unpack
_BLOCK: Final = 64
# The XOR with ipad and opad of RFC 2104, as tables for `bytes.translate`.
_INNER: Final = bytes(byte ^ 0x36 for byte in range(256))
_OUTER: Final = bytes(byte ^ 0x5C for byte in range(256))

Item = TypeVar("Item")


def fresh_seed() -> bytes:
    """Return 32 secret bytes from the operating system's secure generator."""
    return os.urandom(SEED_BYTES)


def hmac_sha256(key: bytes, message: bytes) -> bytes:
    """Return the HMAC-SHA256 of a message (RFC 2104).

    Not by `hmac.digest`: it releases the interpreter lock, so that every block of random numbers
    would wait for other threads to return it.
    """
    inner, outer = _pads(key)
    return sha256(outer + sha256(inner + message).digest()).digest()


@lru_cache(maxsize=256)
def _pads(key: bytes) -> tuple[bytes, bytes]:
    block = (sha256(key).digest() if len(key) > _BLOCK else key).ljust(_BLOCK, b"\0")
    return block.translate(_INNER), block.translate(_OUTER)


def blocks(key: bytes, message: str) -> Iterator[bytes]:
    """Yield the HMACs of `message|0`, `message|1` and so on, without end."""
    beginning = f"{message}|".encode("ascii")
    for block in count():
        yield hmac_sha256(key, beginning + b"%d" % block)


def words(stream: Iterable[bytes]) -> Iterator[int]:
    """Return the unsigned 32-bit big-endian words of a stream, eight from each block."""
    return chain.from_iterable(map(_WORDS, stream))


class SeededRandom:
    """Uniform random numbers drawn from a stream of words.

    The methods are named like those of `random.Random`, but their algorithms are specified exactly,
    so that other programs can reproduce the results. All of them draw as `randrange` does.
    """

    def __init__(self, stream: Iterator[int]) -> None:
        self._words = stream

    def randrange(self, stop: int) -> int:
        """Return a uniform number from 0 to `stop - 1`, by rejection sampling.

        Take the next word w. While w ≥ 2³² - (2³² mod stop), discard it and take the next. Return w
        mod stop. A word is taken even if stop is 1. If stop exceeds 2³², w consists of n words, the
        most significant first, where n is the smallest number with 2³²ⁿ ≥ stop; 2³²ⁿ replaces 2³².
        """
        if stop < 1:
            raise ValueError(f"there is no number from 0 to {stop - 1}")
        size = _WORD
        while size < stop:
            size *= _WORD
        limit = size - size % stop
        drawn = next(self._words) if size == _WORD else self._word(size)
        while drawn >= limit:
            drawn = self._word(size)
        return drawn % stop

    def choice(self, items: Sequence[Item]) -> Item:
        """Return the item at index `randrange(len(items))`."""
        return items[self.randrange(len(items))]

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Shuffle the items in place (Fisher–Yates).

        For i from the last index down to 1: draw j = `randrange(i + 1)`, swap items i and j.
        """
        stream, surely_taken = self._words, _WORD - len(items)
        for i in range(len(items) - 1, 0, -1):
            # `randrange` inlined: shuffling a deck would call it 31 times.
            drawn = next(stream)
            while drawn >= surely_taken and drawn >= _WORD - _WORD % (i + 1):
                drawn = next(stream)
            j = drawn % (i + 1)
            items[i], items[j] = items[j], items[i]

    def sample(self, items: Sequence[Item], k: int) -> list[Item]:
        """Return k of the items in random order.

        Copy the items. For i from 0 to k - 1: draw j = i + `randrange(len(items) - i)`, swap items
        i and j. Return the first k.
        """
        if not 0 <= k <= len(items):
            raise ValueError(f"{k} of {len(items)} items cannot be drawn")
        pool = list(items)
        for i in range(k):
            j = i + self.randrange(len(pool) - i)
            pool[i], pool[j] = pool[j], pool[i]
        return pool[:k]

    def _word(self, size: int) -> int:
        drawn = next(self._words)
        while size > _WORD:
            drawn = drawn * _WORD + next(self._words)
            size >>= 32
        return drawn
