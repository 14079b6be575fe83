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


# Types of leaves that are few and looked up by type.
INDEXED_TYPES: Final = (
    "game_over", "game_void", "grant_terms", "key_rotated", "limit", "seat", "seed_chain", "terms",
)  # fmt: skip


class LeafFields(NamedTuple):
    """SQL expressions over a leaf's JSON, each of them indexed, and null for most leaves.

    `kind` has the types that are looked up, and "entry" for those entries outside games that move
    more wallets than `owner` can name.
    """

    game: str
    kind: str
    owner: str

    @classmethod
    def of(cls, field: Callable[..., str]) -> LeafFields:
        """Return the expressions, given the one for the value at a path."""
        game, kind, types = field("game"), field("type"), ", ".join(map(repr, INDEXED_TYPES))
        first, second, third = (field("postings", at, 0) for at in range(3))
        return cls(
            game,
            f"CASE WHEN {kind} IN ({types}) OR {game} IS NULL AND {kind} = 'entry'"
            f" AND ({third} IS NOT NULL OR substr({first}, 1, 7) = 'wallet/') THEN {kind} END",
            f"coalesce({field('player')}, {field('players', 'challenger')}, CASE WHEN {game} IS"
            f" NULL AND substr({second}, 1, 7) = 'wallet/' THEN substr({second}, 8) END)",
        )

    def indexes(self) -> str:
        """Return the SQL that makes the indexes."""
        return "".join(
            f"CREATE INDEX leaf_{name} ON leaf (({field})) WHERE ({field}) IS NOT NULL;\n"
            for name, field in self._asdict().items()
        )


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

    def open_subjects(self) -> frozenset[str]:
        """Return the subjects that have begun and not ended."""

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
