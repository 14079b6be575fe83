"""What the bank asks of whatever keeps its log: one small protocol, and the errors of it.

Above this nobody knows which store it is. A store holds leaves, the tree's nodes, signatures,
balances, answers and secrets; what a group changes it makes durable together or not at all.
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
    """The store cannot be read or written now; `in_doubt`: what was being committed may stand."""

    def __init__(self, text: str, *, in_doubt: bool = False) -> None:
        super().__init__(text)
        self.in_doubt = in_doubt


class StorageRefusal(InvariantError):
    """The store's own guards refuse what the program should never have asked for."""


class _Head(msgspec.Struct):
    """What is looked at first in a leaf."""

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


ALL: Final = 1 << 62
"""More than there will ever be of anything."""


class StoredLeaf(NamedTuple):
    """A leaf as it was hashed, with its number."""

    n: int
    body: bytes

    @property
    def kind(self) -> str:
        """Its type."""
        return _head(self.body).type

    @property
    def at(self) -> int:
        """When it was written."""
        return _head(self.body).at

    @property
    def subject(self) -> str | None:
        """What it is part of."""
        return _head(self.body).game


stored_leaf: Final[Callable[[tuple[Any, ...]], StoredLeaf]] = partial(tuple.__new__, StoredLeaf)
"""Makes a leaf of its number and its bytes, sooner than its own constructor does."""


class StoredCheckpoint(NamedTuple):
    """A signed checkpoint and the size it is kept under."""

    size: int
    note: str


SUBJECT: Final = "subject"
MENTION: Final = "mention"
LISTED: Final = "listed"
"""The tables by which leaves are found."""


class IndexRow(NamedTuple):
    """A row by which leaves are found: of a subject its first and last, else one leaf."""

    table: str
    name: str
    first: int
    last: int | None


class LoadedLog(NamedTuple):
    """What the writer reads from a store at the start."""

    tree: Frontier
    entries: int
    open: frozenset[str]
    at: int
    covered: int
    newest: SignedHead | None


class LogQueries(Protocol):
    """Reading a log; within `moment` all of it is of one moment."""

    def moment(self) -> AbstractContextManager[object]:
        """A context within which nothing that others write is seen."""

    def size(self) -> int:
        """How many leaves there are."""

    def leaves(self, first: int = 0, limit: int = -1) -> Iterator[StoredLeaf]:
        """Leaves in order, from a number on."""

    def of_subject(self, subject: str) -> Iterator[StoredLeaf]:
        """The leaves of a subject, in order."""

    def spans_of(self, subject: str) -> list[tuple[int, int]]:
        """From which leaf to which one finds a subject, in order; to `ALL` while it runs."""

    def of_owner(self, owner: str) -> Iterator[StoredLeaf]:
        """The leaves that name an owner, in order; entries of a subject not among them."""

    def owners(self) -> list[str]:
        """Everybody who is, or was, named."""

    def of_kinds(
        self, kinds: Sequence[str], after: int = -1, before: int | None = None, limit: int = -1
    ) -> Iterator[StoredLeaf]:
        """Leaves of listed kinds between two numbers: in order; the newest first with `before`."""

    def entry_leaves(self, first: int = 0) -> Iterator[StoredLeaf]:
        """The leaves of entries, in order, from a leaf on, each with those it goes on in."""

    def entry(self, number: int) -> Sequence[StoredLeaf]:
        """The leaves of an entry; none if there is no such entry."""

    def answered(self, commands: Sequence[str]) -> Mapping[str, CommandReply]:
        """What commands were answered, those that were."""

    def balance(self, account: Account) -> int:
        """The balance of an account; one that nothing has moved on has 0."""

    def balances(self, prefix: str = "") -> dict[Account, int]:
        """The balances, other than 0, of accounts whose names begin so."""

    def secrets(self, subject: str) -> dict[str, bytes]:
        """What a running subject hides, by name."""

    def checkpoints(self, after: int = 0, limit: int = -1) -> Iterator[StoredCheckpoint]:
        """The checkpoints that stay and sign more than so many leaves, the oldest first."""

    def checkpoint(self) -> StoredCheckpoint | None:
        """The newest checkpoint that stays."""

    def newest(self) -> SignedHead | None:
        """The signature over all leaves."""

    def nodes(self, level: int, first: int, limit: int) -> list[Hash]:
        """Stored hashes of a level of the tree, from a place on."""

    def about(self) -> dict[str, str]:
        """The name and the public key of the log."""

    def entry_rows(self, first: int, last: int) -> list[tuple[int, int]]:
        """The numbers of entries and of their leaves, as stored."""

    def answers(self, first: int = 0, end: int = ALL) -> Iterator[tuple[int, CommandReply]]:
        """The answers that leaves in a range bind, by these leaves and their ids."""

    def look_ups(self, first: int = 0, end: int = ALL) -> Iterator[IndexRow]:
        """What is stored to find leaves of a range by; subjects that begin or end within it."""

    def subjects(self, first: int = 0, end: int = ALL) -> Iterator[IndexRow]:
        """The rows that find subjects which begin or end within a range."""

    def found_by(self, table: str, first: int, end: int) -> Iterator[tuple[str, int]]:
        """The rows of a table that find single leaves of a range: names, in order, and leaves."""

    def hidden(self) -> dict[str, dict[str, bytes]]:
        """All secrets, by subject and name."""

    def close(self) -> None:
        """Let go of it."""


class Store(LogQueries, Protocol):
    """A log that is written, by one writer."""

    def load(self) -> LoadedLog:
        """Where the writer goes on."""

    def append(
        self,
        rows: Rows,
        meanwhile: Callable[[int], None],
        before_commit: Callable[[], None],
    ) -> None:
        """Make rows durable, all of them or none, or raise a `StorageError`.

        Before each step `meanwhile` is told how many rows it stores; `before_commit` is called
        when only the disk is still to be waited for.
        """

    def holds(self, rows: Rows) -> bool:
        """Whether rows whose COMMIT gave no clear answer are stored after all (L11)."""

    def introduce(self, facts: Mapping[str, str]) -> None:
        """Write down, once, whose log this is."""

    def check(self) -> None:
        """Refuse a store that is damaged."""

    def empty_journal(self) -> None:
        """Bring all that is written to where it stays, for a clean stop."""
