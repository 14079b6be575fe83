"""Random numbers as an argument: functions that draw cards take the source of randomness.

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
    """A source of random numbers, for example a `random.Random`."""

    def randrange(self, stop: int, /) -> int:
        """Return a number from 0 to `stop - 1`, each equally likely."""


def sample(items: Sequence[T], number: int, rng: Rng) -> list[T]:
    """Return this many of the items in random order, every choice equally likely."""
    left = list(items)
    return [left.pop(rng.randrange(len(left))) for _ in range(number)]


def shuffled(items: Sequence[T], rng: Rng) -> list[T]:
    """Return all items in random order."""
    return sample(items, len(items), rng)
