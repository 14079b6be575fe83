"""Storage protocol of the log, and its errors.

Code above this layer does not depend on the backend. A store contains leaves, tree nodes,
signatures, balances, responses and secrets; a group is stored as a whole or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, Final, NamedTuple, Protocol

import msgspec

from casino.errors import CasinoError, InvariantError
from casino.ledger.accounts import Account
from casino.ledger.entries import BROKEN
from casino.ledger.tlog.merkle import Frontier, Hash
from casino.ledger.transaction import CommandReply, Rows, SignedHead


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


class LoadedLog(NamedTuple):
    """The state that the writer loads from a store at startup."""

    tree: Frontier
    entries: int
    open: frozenset[str]
    at: int
    covered: int
    newest: SignedHead | None


class LogQueries(Protocol):
    """Queries on a log; within `snapshot` all of them see the same state."""

    def snapshot(self) -> AbstractContextManager[object]:
        """Return a context within which all reads see one snapshot of the log."""

    def size(self) -> int:
        """Return the number of leaves."""

    def leaves(self, first: int = 0, limit: int = -1) -> Iterator[StoredLeaf]:
        """Yield leaves in order, beginning with number `first`; -1 means no limit."""

    def of_subject(self, subject: str) -> Iterator[StoredLeaf]:
        """Yield the leaves of a subject, in order."""

    def open_subjects(self) -> frozenset[str]:
        """Return the subjects that have begun and not ended."""

    def of_owner(self, owner: str) -> Iterator[StoredLeaf]:
        """Yield the leaves that name an owner, in order."""

    def owners(self) -> list[str]:
        """Return the names of all owners in the log, sorted."""

    def of_kinds(
        self, kinds: Sequence[str], after: int = -1, before: int | None = None, limit: int = -1
    ) -> Iterator[StoredLeaf]:
        """Yield leaves of indexed types numbered above `after`; below `before`, newest first."""

    def entry_leaves(self, first: int = 0) -> Iterator[StoredLeaf]:
        """Yield all leaves of the entries that begin at leaf `first` or later, also later parts."""

    def entry(self, number: int) -> Sequence[StoredLeaf]:
        """Return the leaves of an entry, or an empty list if there is no such entry."""

    def stored_replies(self, commands: Sequence[str]) -> Mapping[str, CommandReply]:
        """Return the stored responses to commands, by id."""

    def balance(self, account: Account) -> int:
        """Return an account's balance in cents, 0 for an unused account."""

    def balances(self, prefix: str = "") -> dict[Account, int]:
        """Return the non-zero balances of all accounts whose names start with a prefix."""

    def secrets(self, subject: str) -> dict[str, bytes]:
        """Return the secrets of a running subject, by name."""

    def checkpoints(self, after: int = 0, limit: int = -1) -> Iterator[StoredCheckpoint]:
        """Yield the published checkpoints that sign more than `after` leaves, oldest first."""

    def checkpoint(self) -> StoredCheckpoint | None:
        """Return the newest published checkpoint, or None before the first."""

    def signed_head(self) -> SignedHead | None:
        """Return the signature over all leaves, or None for an empty log."""

    def nodes(self, level: int, first: int, limit: int) -> list[Hash]:
        """Return up to `limit` stored hashes of a tree level, beginning with index `first`."""

    def identity(self) -> dict[str, str]:
        """Return the log's `name` and public `key`; empty before they are stored."""

    def answers(self, first: int = 0, end: int = ALL) -> Iterator[tuple[int, CommandReply]]:
        """Yield each response with the number of its `answers` leaf, from `first` to `end - 1`."""

    def all_secrets(self) -> dict[str, dict[str, bytes]]:
        """Return all secrets, by subject and name."""

    def close(self) -> None:
        """Close the connection."""


class Store(LogQueries, Protocol):
    """A log open for writing, by a single writer."""

    def load(self) -> LoadedLog:
        """Load the state that the writer needs at startup."""

    def append(
        self, rows: Rows, meanwhile: Callable[[int], None], before_commit: Callable[[], None]
    ) -> None:
        """Make all rows durable in one transaction, or raise `StorageError`.

        `meanwhile` is called before each batch with its number of rows, and `before_commit` when
        only the wait for the disk remains.
        """

    def holds(self, rows: Rows) -> bool:
        """Return True if the rows were stored by a COMMIT whose outcome is in doubt (L11)."""

    def store_identity(self, facts: Mapping[str, str]) -> None:
        """Store the log's name and key, which cannot be changed later."""

    def check(self) -> None:
        """Raise `FileError` if the store is damaged or would lose commits."""

    def check_files(self) -> None:
        """Raise `InvariantError` if the log's files were moved or replaced since it was opened."""

    def flush_journal(self) -> None:
        """Move any write-ahead log into the main file, for a clean stop."""
