"""The storage protocol of the log, and its errors.

Nothing above this knows which backend is used. A store holds leaves, tree nodes, signatures,
balances, answers and secrets; the changes of a group become durable together or not at all.
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
    """The store cannot be read or written now; `in_doubt`: the last commit may have succeeded."""

    def __init__(self, text: str, *, in_doubt: bool = False) -> None:
        super().__init__(text)
        self.in_doubt = in_doubt


class StorageRefusal(InvariantError):
    """The store's own guards refuse a write that the program should never attempt."""


class _Head(msgspec.Struct):
    """The fields of a leaf that are decoded first."""

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
    """A leaf as it was hashed, with its number."""

    n: int
    body: bytes

    @property
    def kind(self) -> str:
        """Its type."""
        return _head(self.body).type

    @property
    def time(self) -> int:
        """When it was written."""
        return _head(self.body).at

    @property
    def subject(self) -> str | None:
        """What it is part of."""
        return _head(self.body).game


# Builds a leaf from its number and bytes faster than the constructor.
stored_leaf: Final[Callable[[tuple[Any, ...]], StoredLeaf]] = partial(tuple.__new__, StoredLeaf)


class StoredCheckpoint(NamedTuple):
    """A signed checkpoint and the size it is stored under."""

    size: int
    note: str


SUBJECT: Final = "subject"
MENTION: Final = "mention"
LISTED: Final = "listed"  # the tables that index leaves


class IndexRow(NamedTuple):
    """A row that indexes leaves: a subject's first and last, else one leaf."""

    table: str
    name: str
    first: int
    last: int | None


class LoadedLog(NamedTuple):
    """What the writer reads from a store at startup."""

    tree: Frontier
    entries: int
    open: frozenset[str]
    at: int
    covered: int
    newest: SignedHead | None


class LogQueries(Protocol):
    """Queries on a log; within `snapshot` all of them see the same state."""

    def snapshot(self) -> AbstractContextManager[object]:
        """Return a context that sees one snapshot of the log."""

    def size(self) -> int:
        """Return the number of leaves."""

    def leaves(self, first: int = 0, limit: int = -1) -> Iterator[StoredLeaf]:
        """Yield leaves in order, from a number on."""

    def of_subject(self, subject: str) -> Iterator[StoredLeaf]:
        """Yield the leaves of a subject, in order."""

    def spans_of(self, subject: str) -> list[tuple[int, int]]:
        """Return the leaf ranges of a subject; the last ends at `ALL` while it runs."""

    def of_owner(self, owner: str) -> Iterator[StoredLeaf]:
        """Yield the leaves that name an owner, in order."""

    def owners(self) -> list[str]:
        """Return everyone who is, or was, named."""

    def of_kinds(
        self, kinds: Sequence[str], after: int = -1, before: int | None = None, limit: int = -1
    ) -> Iterator[StoredLeaf]:
        """Yield leaves of some types between two numbers, in order; newest first with `before`."""

    def entry_leaves(self, first: int = 0) -> Iterator[StoredLeaf]:
        """Yield the leaves of entries from a leaf on, each with its following parts."""

    def entry(self, number: int) -> Sequence[StoredLeaf]:
        """Return the leaves of an entry; none if there is no such entry."""

    def stored_replies(self, commands: Sequence[str]) -> Mapping[str, CommandReply]:
        """Return the stored replies to some commands."""

    def balance(self, account: Account) -> int:
        """Return the balance of an account, 0 if nothing has moved on it."""

    def balances(self, prefix: str = "") -> dict[Account, int]:
        """Return the balances other than 0 of accounts whose names have a prefix."""

    def secrets(self, subject: str) -> dict[str, bytes]:
        """Return the secrets of a running subject, by name."""

    def checkpoints(self, after: int = 0, limit: int = -1) -> Iterator[StoredCheckpoint]:
        """Yield the published checkpoints that sign more than `after` leaves, oldest first."""

    def checkpoint(self) -> StoredCheckpoint | None:
        """Return the newest published checkpoint."""

    def signed_head(self) -> SignedHead | None:
        """Return the signature over all leaves."""

    def nodes(self, level: int, first: int, limit: int) -> list[Hash]:
        """Return stored hashes of a level of the tree, from an index on."""

    def identity(self) -> dict[str, str]:
        """Return the name and the public key of the log."""

    def entry_rows(self, first: int, last: int) -> list[tuple[int, int]]:
        """Return the stored numbers of entries and their leaves."""

    def answers(self, first: int = 0, end: int = ALL) -> Iterator[tuple[int, CommandReply]]:
        """Yield the answers bound by the leaves of a range, with these leaves."""

    def index_rows(self, first: int = 0, end: int = ALL) -> Iterator[IndexRow]:
        """Yield the index rows of a range; subjects are included if they begin or end within it."""

    def subjects(self, first: int = 0, end: int = ALL) -> Iterator[IndexRow]:
        """Yield the rows of subjects that begin or end within a range."""

    def single_leaf_rows(self, table: str, first: int, end: int) -> Iterator[tuple[str, int]]:
        """Yield the rows of a table that index single leaves of a range, ordered by name."""

    def all_secrets(self) -> dict[str, dict[str, bytes]]:
        """Return all secrets, by subject and name."""

    def close(self) -> None:
        """Close the connection."""


class Store(LogQueries, Protocol):
    """A log that is written, by one writer."""

    def load(self) -> LoadedLog:
        """Return the writer's initial state."""

    def append(
        self, rows: Rows, meanwhile: Callable[[int], None], before_commit: Callable[[], None]
    ) -> None:
        """Make rows durable, all or none, or raise a `StorageError`.

        Before each step `meanwhile` is called with the number of rows it stores; `before_commit` is
        called when only the disk is still to be waited for.
        """

    def holds(self, rows: Rows) -> bool:
        """Return True if rows are stored although their COMMIT gave no clear answer (L11)."""

    def store_identity(self, facts: Mapping[str, str]) -> None:
        """Store once the name and the key of the log."""

    def check(self) -> None:
        """Refuse a damaged store."""

    def flush_journal(self) -> None:
        """Flush the journal for a clean stop."""
