"""The leaves of the log: what was recorded, as the exact bytes that are hashed.

A leaf is a frozen value of a class of its own and becomes canonical JSON: keys sorted, no spaces,
UTF-8, nothing in it but texts, whole numbers that every language can hold, lists and objects.
The bank has two leaves of its own; it takes all others as they come (see `casino.events`), and
knows of them only what stands here: their bytes, their kind, the game and the player to find
them by. docs/log.md names every kind.

>>> encode(LogOpened(at=5, key="k", name="casino", version=1))
b'{"at":5,"key":"k","name":"casino","type":"log_opened","version":1}'
>>> encode(LogOpened(at=5, key="k", name="casino", version=2**53))
Traceback (most recent call last):
    ...
casino.errors.InvariantBroken: no leaf can hold this: Expected `int` <= 9007199254740991 - at ...
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Annotated, Final, TypeAlias

import msgspec
from msgspec import Meta, Struct

from casino.errors import InvariantBroken

GREATEST: Final = 2**53 - 1
"""The greatest whole number that JSON readers of every language keep exactly."""

LONGEST: Final = 65_535
"""The most bytes of a leaf: readers of log tiles take no longer ones."""

UNSTAMPED: Final = -1
"""The time of a leaf that is not written yet."""

UNNUMBERED: Final = 0
"""The number of an entry that is not written yet."""

Whole: TypeAlias = Annotated[int, Meta(ge=-GREATEST, le=GREATEST)]
Time: TypeAlias = Annotated[int, Meta(ge=0, le=GREATEST)]


class Part(Struct, frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True):
    """An object in a leaf; what is None or has its default is left out of it."""


class Leaf(Part, frozen=True, kw_only=True, tag_field="type"):
    """What every leaf has: when it was written, and the command that asked for it, if any did.

    Both are stamped when it is written.
    """

    at: Time = UNSTAMPED
    command: str | None = None

    @property
    def kind(self) -> str:
        """The type that the leaf names."""
        tag = self.__struct_config__.tag
        assert isinstance(tag, str)
        return tag

    @property
    def columns(self) -> tuple[str, str | None, str | None]:
        """What helps to find the leaf: its kind, its game, its player."""
        return self.kind, getattr(self, "game", None), getattr(self, "player", None)


class LogOpened(Leaf, frozen=True, kw_only=True, tag="log_opened"):
    """The first leaf: whose log this is."""

    key: str
    name: str
    version: Whole


class Entry(Leaf, frozen=True, kw_only=True, tag="entry"):
    """Money moves: a balanced transaction, numbered when it is written."""

    corrects: Whole | None = None
    entry: Whole
    game: str | None = None
    move: str
    postings: tuple[tuple[str, Whole], ...]
    reason: str | None = None


_sorted: Final[Callable[[object], bytes]] = msgspec.json.Encoder(order="sorted").encode


@cache
def reader(kind: type[Leaf]) -> Callable[[bytes], Leaf]:
    """What reads the leaves of one class; it raises one of `BROKEN`."""
    return msgspec.json.Decoder(kind).decode


BROKEN: Final = (msgspec.DecodeError, ValueError, RecursionError)


def encode(leaf: Leaf) -> bytes:
    """The bytes of a leaf, read back once: a value that has no place in it is a fault."""
    try:
        body = _sorted(leaf)
        again = reader(type(leaf))(body)
    except (*BROKEN, TypeError) as error:
        raise InvariantBroken(f"no leaf can hold this: {error}") from None
    if again != leaf:
        raise InvariantBroken(f"no leaf can hold this: {leaf} would be read as {again}")
    if len(body) > LONGEST:
        raise InvariantBroken(f"a leaf of {len(body)} bytes: no more than {LONGEST} may stand")
    return body


def canonical(part: Part) -> bytes:
    """The canonical bytes of a leaf, or of a part of one, that was read."""
    return _sorted(part)
