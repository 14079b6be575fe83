"""Rows and errors of the storage, which are the same for all backends."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

import msgspec

from casino.errors import CasinoError, InvariantError
from casino.ledger.entries import BROKEN


class StorageError(CasinoError):
    """Raised if a store cannot be read or written; if `in_doubt`, the commit may be durable."""

    def __init__(self, text: str, *, in_doubt: bool = False) -> None:
        super().__init__(text)
        self.in_doubt = in_doubt


class StorageRefusal(InvariantError):
    """Raised if a constraint refuses a write that the program should never attempt."""


class _Head(msgspec.Struct):
    type: str
    at: int
    game: str | None = None


_decode = msgspec.json.Decoder(_Head).decode
_NOTHING = _Head("", 0)


def _head(body: bytes) -> _Head:
    try:
        return _decode(body)
    except BROKEN:
        return _NOTHING


ALL: Final = 1 << 62  # larger than any count


class StoredLeaf(NamedTuple):
    """A leaf's number and the exact bytes that were hashed."""

    n: int
    body: bytes

    @property
    def kind(self) -> str:
        """The leaf's type, empty if the bytes cannot be decoded."""
        return _head(self.body).type

    @property
    def time(self) -> int:
        """The leaf's time in milliseconds, 0 if the bytes cannot be decoded."""
        return _head(self.body).at

    @property
    def subject(self) -> str | None:
        """The game or other subject that the leaf belongs to, if any."""
        return _head(self.body).game


# Builds a leaf from a row, faster than the constructor.
stored_leaf: Final[Callable[[tuple[Any, ...]], StoredLeaf]] = partial(tuple.__new__, StoredLeaf)


class StoredCheckpoint(NamedTuple):
    """A published checkpoint, with its size and signed note."""

    size: int
    note: str


# Rare types of leaves, which are looked up by type.
INDEXED_TYPES: Final = (
    "game_over", "game_void", "grant_terms", "key_rotated", "limit", "seat", "seed_chain", "terms",
)  # fmt: skip
