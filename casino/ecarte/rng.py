"""Random sources, which functions that draw cards take as an argument.

>>> class AlwaysLast:
...     def randrange(self, stop: int) -> int:
...         return stop - 1
>>> sample(["K", "Q", "J"], 2, AlwaysLast())
['J', 'Q']
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")


class Rng(Protocol):
    """A source of random numbers, such as a `random.Random`."""

    def randrange(self, stop: int, /) -> int:
        """Return a uniform random number from 0 to `stop - 1`."""


def sample(items: Sequence[T], number: int, rng: Rng) -> list[T]:
    """Return `number` of the items in random order; every choice is equally likely."""
    left = list(items)
    return [left.pop(rng.randrange(len(left))) for _ in range(number)]


def shuffled(items: Sequence[T], rng: Rng) -> list[T]:
    """Return all items in random order."""
    return sample(items, len(items), rng)
