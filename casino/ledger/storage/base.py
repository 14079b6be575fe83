"""Stored leaves and storage errors, shared by all backends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

import msgspec

from casino.errors import CasinoError, RefusalReason
from casino.ledger.entries import BROKEN, WALLET

CANNOT_WRITE: Final = RefusalReason(
    "cannot_write", "unavailable", "this casino takes no bets at the moment: try again later"
)


class StorageError(CasinoError):
    """Raised if a store cannot be read or written; a COMMIT that raises it may be durable."""


class DamagedFileError(StorageError):
    """Raised if a part of a log's file cannot be read."""

    exit_status = 2

    def __init__(self, file: str, fault: str) -> None:
        super().__init__(f"{file} is damaged ({fault}): restore a backup with casino restore")


class _Players(msgspec.Struct):
    challenger: str


class _Head(msgspec.Struct, gc=False):
    type: str
    at: int
    game: str | None = None
    player: str | None = None
    players: _Players | None = None
    postings: msgspec.Raw = msgspec.Raw()


_decode_head = msgspec.json.Decoder(_Head).decode
_decode_postings = msgspec.json.Decoder(tuple[tuple[str, int], ...]).decode
_NOTHING = _Head("", 0)


def _head(body: bytes) -> _Head:
    try:
        return _decode_head(body)
    except BROKEN:
        return _NOTHING


def _owners(head: _Head) -> tuple[str, ...]:
    if head.player is not None:
        return (head.player,)
    if head.players is not None:
        # The challenger's stake is moved although no bet is logged for it.
        return (head.players.challenger,)
    # An entry that names its game is found through that game.
    if head.game is not None or head.type != "entry":
        return ()
    try:
        postings = _decode_postings(head.postings)
    except BROKEN:
        return ()
    return tuple(name[len(WALLET) :] for name, _ in postings if name.startswith(WALLET))


def look_up(body: bytes) -> tuple[str | None, str | None, str | None]:
    """Return the values by which a leaf is looked up: columns `kind` and `owner`, and its subject.

    `kind` is set for `INDEXED_TYPES`, and for entries that have several owners.
    """
    head = _head(body)
    owners = _owners(head)
    is_listed = head.type in INDEXED_TYPES or len(owners) > 1
    owner = owners[0] if len(owners) == 1 else None
    return head.type if is_listed else None, owner, head.game


ALL: Final = 1 << 62  # larger than any count

# Values of the table `people`, by kind and name; None deletes a row.
PeopleRows: TypeAlias = Mapping[tuple[str, str], str | None]


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

    @property
    def owners(self) -> tuple[str, ...]:
        """The players under whose names the leaf is found."""
        return _owners(_head(self.body))


# Rare types of leaves, which are looked up by type.
INDEXED_TYPES: Final = frozenset((
    "game_over", "game_void", "grant_terms", "key_rotated", "limit", "seat", "seed_chain", "terms",
))  # fmt: skip
