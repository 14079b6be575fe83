"""Read access to the log: SQL statements shared by all backends, Merkle proofs and receipts.

Each backend implements row fetching and snapshots; its `Dialect` holds what differs in the SQL.

Proofs need the hashes of subtrees. These are read by *tile* (256 hashes of a stored level, and the
nodes above them up to the next stored level) and cached, which makes neighbouring receipts cheap.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from heapq import merge
from itertools import islice
from operator import attrgetter
from typing import Any, ClassVar, Final

import msgspec

from casino.errors import FileError
from casino.ledger import tlog
from casino.ledger.accounts import HOUSE, Account, spending_account
from casino.ledger.entries import Entry, as_entry
from casino.ledger.storage.base import ALL, StoredLeaf
from casino.ledger.storage.schema import Dialect
from casino.ledger.tlog import Frontier, Hash, KeyChain, Tile
from casino.ledger.transaction import CommandReply, StoredCheckpoint

_BY_NUMBER: Final = attrgetter("n")
_ENTRY: Final = '"type":"entry"'  # in the JSON of every entry, and of no other leaf
_TILES_KEPT: Final = 64


class LogReader(ABC):
    """A log open for reading; within `snapshot` all queries see the same state."""

    dialect: ClassVar[Dialect]

    def __init__(self) -> None:
        self._tiles: dict[Tile, list[list[Hash]]] = {}

    @abstractmethod
    def rows(self, sql: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query, in which placeholders are written `?`."""

    @abstractmethod
    def many_rows(self, sql: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query whose result may not fit into memory."""

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[object]:
        """Return a context within which all reads see one snapshot of the log."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection."""

    def number(self, sql: str, values: Sequence[object] = ()) -> int:
        """Return the single number that a query selects."""
        number: int = next(self.rows(sql, values))[0]
        return number

    def size(self) -> int:
        """Return the number of leaves."""
        return self.number("SELECT coalesce(max(n) + 1, 0) FROM leaf")

    def _leaves(
        self, condition: str, values: Sequence[object], limit: int = ALL, order: str = ""
    ) -> Iterator[StoredLeaf]:
        sql = (
            f"SELECT n, {self.dialect.body} FROM leaf WHERE {condition} ORDER BY n {order} LIMIT ?"
        )
        ask = self.many_rows if limit == ALL else self.rows
        return map(StoredLeaf._make, ask(sql, (*values, limit)))

    def leaf_rows(self, first: int, limit: int) -> list[tuple[Any, ...]]:
        """Return leaves as plain rows: number, bytes, and the columns `kind` and `owner`."""
        sql = f"""
            SELECT n, {self.dialect.body}, kind, owner FROM leaf WHERE n >= ? ORDER BY n LIMIT ?
        """
        return list(self.rows(sql, (first, limit)))

    def leaves(self, first: int = 0, limit: int = ALL) -> Iterator[StoredLeaf]:
        """Yield leaves in order, beginning with number `first`."""
        return self._leaves("n >= ?", (first,), limit)

    def of_subject(self, subject: str, kinds: Sequence[str] = ()) -> Iterator[StoredLeaf]:
        """Yield the leaves of a subject in order, or faster those that are indexed as `kinds`."""
        text = f'"game":{msgspec.json.encode(subject).decode()}'
        wanted = f"kind IN ({', '.join('?' * len(kinds))}) AND" if kinds else ""
        condition = f"{wanted} n BETWEEN ? AND ? AND {self.dialect.contains}"
        for first, last in self.spans(subject):
            yield from self._leaves(condition, (*kinds, first, last, text))

    def spans(self, subject: str) -> list[tuple[int, int]]:
        """Return the first and last leaf number of each range that contains a subject's leaves."""
        sql = "SELECT first, coalesce(last, ?) FROM subject WHERE name = ? ORDER BY first"
        return [(first, last) for first, last in self.rows(sql, (ALL, subject))]

    def subjects(self) -> set[tuple[str, int, int | None]]:
        """Return the leaf ranges of all subjects as (name, first, last); `last` is None if open."""
        return {(name, first, last) for name, first, last in self.rows("SELECT * FROM subject")}

    def open_subjects(self) -> dict[str, int]:
        """Return the subjects that have begun but not ended, each with its first leaf's number."""
        return dict(self.rows("SELECT name, first FROM subject WHERE last IS NULL"))

    def of_owner(self, owner: str) -> Iterator[StoredLeaf]:
        """Yield the leaves that name an owner, in order."""
        # Entries with several owners are found by their type.
        others = (leaf for leaf in self.of_kinds(["entry"]) if owner in leaf.owners)
        return merge(self._leaves("owner = ?", (owner,)), others, key=_BY_NUMBER)

    def owners(self) -> list[str]:
        """Return the names of all owners in the log, sorted."""
        rows = self.rows("SELECT DISTINCT owner FROM leaf WHERE owner IS NOT NULL")
        names = {name for (name,) in rows}
        return sorted(names.union(*(leaf.owners for leaf in self.of_kinds(["entry"]))))

    def of_kinds(
        self, kinds: Sequence[str], after: int = -1, before: int | None = None, limit: int = ALL
    ) -> Iterator[StoredLeaf]:
        """Yield leaves indexed as `kinds` between two numbers, newest first if `before` is set."""
        end, order = (ALL, "") if before is None else (before, "DESC")
        by_kind = [
            self._leaves("kind = ? AND n > ? AND n < ?", (kind, after, end), limit, order)
            for kind in kinds
        ]
        return islice(merge(*by_kind, key=_BY_NUMBER, reverse=before is not None), limit)

    def of_table(self, table: str, kind: str) -> Iterator[StoredLeaf]:
        """Yield the leaves indexed as `kind` that name a table, in order."""
        text = f'"table":{msgspec.json.encode(table).decode()}'
        return self._leaves(f"kind = ? AND {self.dialect.contains}", (kind, text))

    def entry_leaves(self, first: int = 0) -> Iterator[StoredLeaf]:
        """Yield the leaves of entries from leaf `first` on; the parts of an entry stay separate."""
        return self._leaves(f"n >= ? AND {self.dialect.contains}", (first, _ENTRY))

    def answers_leaves(self) -> Iterator[StoredLeaf]:
        """Yield the leaves that bind responses, in order."""
        # The empty columns are compared first, which makes it three times as fast.
        condition = f"kind IS NULL AND owner IS NULL AND {self.dialect.contains}"
        return self._leaves(condition, ('"type":"answers"',))

    def stored_replies(self, commands: Sequence[str]) -> dict[str, CommandReply]:
        """Return the stored responses to commands by id, with one query."""
        if not commands:
            return {}
        # Round the number of placeholders up to a power of two, to compile few distinct statements.
        places = 1 << (len(commands) - 1).bit_length()
        marks = ",".join("?" * places)
        sql = f"SELECT id, content, leaf, answer FROM command WHERE id IN ({marks})"
        rows = self.rows(sql, [*commands, *[commands[0]] * (places - len(commands))])
        return {row[0]: CommandReply(*row) for row in rows}

    def balance(self, account: Account) -> int:
        """Return an account's balance in cents, 0 for an unused account."""
        sql = "SELECT coalesce(max(balance), 0) FROM account WHERE name = ?"
        return self.number(sql, (account,))

    def balances(self, prefix: str = "") -> dict[Account, int]:
        """Return the non-zero balances of all accounts whose names start with a prefix."""
        sql = "SELECT name, balance FROM account WHERE balance <> 0"
        if not prefix:
            return dict(self.rows(f"{sql} ORDER BY name"))
        span = (prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1))
        return dict(self.rows(f"{sql} AND name >= ? AND name < ? ORDER BY name", span))

    def checkpoints(self, after: int = 0, limit: int = ALL) -> Iterator[StoredCheckpoint]:
        """Yield the published checkpoints that sign more than `after` leaves, oldest first."""
        sql = "SELECT size, note FROM checkpoint WHERE size > ? ORDER BY size LIMIT ?"
        return map(StoredCheckpoint._make, self.many_rows(sql, (after, limit)))

    def checkpoint(self) -> StoredCheckpoint | None:
        """Return the newest published checkpoint, or None before the first."""
        sql = "SELECT size, note FROM checkpoint ORDER BY size DESC LIMIT 1"
        return next(map(StoredCheckpoint._make, self.rows(sql)), None)

    def published_size(self) -> int:
        """Return the number of leaves that the newest published checkpoint signs."""
        return self.number("SELECT coalesce(max(size), 0) FROM checkpoint")

    def signed_head(self) -> StoredCheckpoint | None:
        """Return the checkpoint, perhaps unpublished, over all leaves; None for an empty log."""
        return next(map(StoredCheckpoint._make, self.rows("SELECT size, note FROM newest")), None)

    def nodes(self, level: int, first: int, limit: int) -> list[Hash]:
        """Return up to `limit` stored hashes of a tree level, beginning with index `first`."""
        sql = "SELECT hash FROM node WHERE level = ? AND place >= ? AND place < ? ORDER BY place"
        return [node for (node,) in self.rows(sql, (level, first, first + limit))]

    def keys(self) -> KeyChain:
        """Return the key chain of a log that is not empty."""
        first = next(self.leaves(0, 1), None)
        return tlog.chain_of(first and first.body, self.of_kinds(["key_rotated"]))

    def identity(self) -> dict[str, str]:
        """Return the log's `name` and public `key`; empty before they are stored."""
        return dict(self.rows("SELECT name, value FROM about"))

    def answers(self, first: int = 0, end: int = ALL) -> Iterator[tuple[int, CommandReply]]:
        """Yield each response with the number of its `answers` leaf, from `first` to `end - 1`."""
        sql = """
            SELECT bound, id, content, leaf, answer FROM command
            WHERE bound >= ? AND bound < ? ORDER BY bound, id
        """
        for row in self.many_rows(sql, (first, end)):
            yield row[0], CommandReply._make(row[1:])

    def secrets(self) -> dict[str, dict[str, bytes]]:
        """Return all secrets, by subject and name."""
        secrets: dict[str, dict[str, bytes]] = {}
        for subject, name, value in self.rows("SELECT subject, name, value FROM secret"):
            secrets.setdefault(subject, {})[name] = value
        return secrets

    def people(self) -> dict[tuple[str, str], str]:
        """Return what is stored about people's accounts, keyed by kind and name."""
        rows = self.rows("SELECT kind, name, value FROM people")
        return {(kind, name): value for kind, name, value in rows}

    def last_entry(self) -> int:
        """Return the number of the newest entry, 0 if there is none."""
        newest = next(self._leaves(self.dialect.contains, (_ENTRY,), 1, "DESC"), None)
        return 0 if newest is None else as_entry(newest.body).entry

    def first_at(self, at: int) -> int:
        """Return the first leaf number at or after a time, or the log's size if there is none."""
        # Bisection works because leaf times never decrease (L20).
        return bisect_left(range(self.size()), at, key=lambda n: next(self.leaves(n, 1)).time)

    def receipt(self, number: int, cosigned: str | None = None) -> str | None:
        """Return a leaf's receipt, or None if no published checkpoint covers the leaf yet.

        If `cosigned`, a cosigned checkpoint, covers the leaf, the receipt contains that one.
        """
        covering = next(self.checkpoints(number, 1), None)
        leaf = next(self.leaves(number, 1), None)
        if covering is None or leaf is None:
            return None
        size, note = covering.size, covering.note
        if cosigned is not None and (seen := tlog.open_checkpoint(cosigned, None).size) > number:
            size, note = seen, cosigned
        return tlog.Receipt(leaf.body, number, self.inclusion(number, size), note).text()

    def funds(self, player: str) -> int:
        """Return a player's cents, including those at risk."""
        escrows = self.balances("escrow/").items()
        at_risk_cents = sum(cents for name, cents in escrows if name.endswith(f"/{player}"))
        return self.balance(spending_account(player)) + at_risk_cents

    def last_grant(self, player: str, reason: str) -> Entry | None:
        """Return the newest grant to a player for a reason, or None if there is none."""
        condition = f"owner = ? AND {self.dialect.contains}"
        grants = list(self._leaves(condition, (player, '"move":"grant"'), order="DESC"))
        entries = (as_entry(leaf.body) for leaf in grants)
        return next((entry for entry in entries if entry.reason == reason), None)

    def root(self, size: int) -> Hash:
        """Return the Merkle root of the log's first `size` leaves."""
        return self.frontier(size).root()

    def frontier(self, size: int) -> Frontier:
        """Return the tree of the log's first `size` leaves, to which more can be added."""
        return tlog.frontier_of(size, tlog.subtree_reader(size, self._rows))

    def inclusion(self, number: int, size: int) -> list[Hash]:
        """Return the inclusion proof of a leaf in the log's first `size` leaves."""
        return tlog.inclusion_proof(number, size, tlog.subtree_reader(size, self._rows))

    def consistency(self, old: int, size: int) -> list[Hash]:
        """Return the consistency proof between two sizes of the log."""
        return tlog.consistency_proof(old, size, tlog.subtree_reader(size, self._rows))

    def tile(self, tile: Tile) -> list[Hash]:
        """Return the hashes of a tile; raise `FileError` if the log lacks any."""
        if tile.level:
            hashes = self.nodes(tlog.TILE * tile.level, tile.first, tile.width)
        else:
            leaves = self.leaves(tile.first, tile.width)
            hashes = [tlog.leaf_hash(leaf.body) for leaf in leaves]
        if len(hashes) < tile.width:
            raise FileError(f"the log lacks hashes of {tile.path()}")
        return hashes

    def _rows(self, tile: Tile) -> list[list[Hash]]:
        rows = self._tiles.get(tile)
        if rows is None:
            if len(self._tiles) == _TILES_KEPT:
                self._tiles.clear()
            rows = self._tiles[tile] = tlog.tile_rows(self.tile(tile))
        return rows


def leaves_about(log: LogReader, owner: str) -> Iterator[StoredLeaf]:
    """Yield, in order, the leaves that name an owner, and all about the same games or poules.

    Together they include every movement of the owner's chips. For the house, yield all leaves.
    """
    if owner == HOUSE:
        yield from log.leaves()
        return
    leaves: dict[int, StoredLeaf] = {}
    for leaf in log.of_owner(owner):
        if leaf.n not in leaves:
            subject = leaf.subject
            near = [leaf] if subject is None else log.of_subject(subject)
            leaves.update((stored.n, stored) for stored in near)
    for number in sorted(leaves):
        yield leaves[number]


def sum_entries(leaves: Iterable[StoredLeaf]) -> Counter[Account]:
    """Return the balances that entries add up to, including balances of 0."""
    balances: Counter[Account] = Counter()
    for leaf in leaves:
        for account, cents in as_entry(leaf.body).postings:
            balances[account] += cents
    return balances
