"""Reproducible random numbers: streams of HMAC blocks, read as uniform numbers.

A *stream* is made of blocks; block k is the HMAC-SHA256 under a key of a message with `|k`
appended. `words` reads it as unsigned 32-bit big-endian words, and `SeededRandom` turns words into
uniform numbers. Only `fresh_seed` is random: every other seed is an argument.

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
_INNER: Final = bytes(byte ^ 0x36 for byte in range(256))
_OUTER: Final = bytes(byte ^ 0x5C for byte in range(256))

Item = TypeVar("Item")


def fresh_seed() -> bytes:
    """Return 32 secret bytes from the operating system's secure generator."""
    return os.urandom(SEED_BYTES)


def hmac_sha256(key: bytes, message: bytes) -> bytes:
    """Return the HMAC-SHA256 of a message (RFC 2104).

    The standard library's releases the interpreter lock, so each block of a stream would wait for
    other threads.
    """
    inner, outer = _pads(key)
    return sha256(outer + sha256(inner + message).digest()).digest()


@lru_cache(maxsize=256)
def _pads(key: bytes) -> tuple[bytes, bytes]:
    """Return the inner and outer HMAC pads of a key."""
    block = (sha256(key).digest() if len(key) > _BLOCK else key).ljust(_BLOCK, b"\0")
    return block.translate(_INNER), block.translate(_OUTER)


def blocks(key: bytes, message: str) -> Iterator[bytes]:
    """Yield the HMACs of `message|0`, `message|1`, … without end."""
    beginning = f"{message}|".encode("ascii")
    for block in count():
        yield hmac_sha256(key, beginning + b"%d" % block)


def words(stream: Iterable[bytes]) -> Iterator[int]:
    """Yield the unsigned 32-bit big-endian words of a stream."""
    return chain.from_iterable(map(_WORDS, stream))


class SeededRandom:
    """Uniform random numbers from a stream of words, the same for everyone who has the stream.

    The methods are named like those of `random.Random`, but their results are specified here to the
    last word, so that other programs can recompute them. All of them draw by `randrange` only.
    """

    def __init__(self, stream: Iterator[int]) -> None:
        self._words = stream

    def randrange(self, stop: int) -> int:
        """Return a number from 0 to `stop - 1`, each equally likely.

        Take the next word w, from 0 to 2³² - 1. While w ≥ 2³² - (2³² mod stop), take the next
        instead. The number is w mod stop. A stop of 1 takes a word as well. For a stop above 2³², w
        is made of as many words as are needed for 2³²ⁿ ≥ stop, the first the highest, and 2³²ⁿ
        stands for 2³².
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
        """Shuffle the items in place.

        For i from the last index down to 1: draw j = `randrange(i + 1)`, swap items i and j.
        """
        stream, surely_taken = self._words, _WORD - len(items)
        for i in range(len(items) - 1, 0, -1):
            # This is `randrange`, written out: a deck is thirty-one of its calls.
            drawn = next(stream)
            while drawn >= surely_taken and drawn >= _WORD - _WORD % (i + 1):
                drawn = next(stream)
            j = drawn % (i + 1)
            items[i], items[j] = items[j], items[i]

    def sample(self, items: Sequence[Item], k: int) -> list[Item]:
        """Draw k of the items, in random order.

        Copy the items. For i from 0 to k - 1: draw j = i + `randrange(len(items) - i)`, swap
        items i and j. The sample is the first k.
        """
        if not 0 <= k <= len(items):
            raise ValueError(f"{k} of {len(items)} items cannot be drawn")
        pool = list(items)
        for i in range(k):
            j = i + self.randrange(len(pool) - i)
            pool[i], pool[j] = pool[j], pool[i]
        return pool[:k]

    def _word(self, size: int) -> int:
        """Return a number from 0 to `size - 1`, drawing as many words as it takes."""
        drawn = next(self._words)
        while size > _WORD:
            drawn = drawn * _WORD + next(self._words)
            size >>= 32
        return drawn
