"""Chance is an argument: whoever draws cards is given where the random numbers come from.

>>> class Last:
...     def randrange(self, stop: int) -> int:
...         return stop - 1
>>> sample(["K", "Q", "J"], 2, Last())
['J', 'Q']
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")


class Rng(Protocol):
    """Where random numbers come from: `random.Random` is one."""

    def randrange(self, stop: int, /) -> int:
        """A number from 0 to `stop - 1`, each as likely."""


def sample(some: Sequence[T], number: int, chance: Rng) -> list[T]:
    """A number of the things, in random order, every choice equally likely."""
    left = list(some)
    return [left.pop(chance.randrange(len(left))) for _ in range(number)]


def shuffled(some: Sequence[T], chance: Rng) -> list[T]:
    """All the things, in random order."""
    return sample(some, len(some), chance)
