"""SQL statements shared by all backends, with `?` as the placeholder.

Code above this layer does not depend on the backend. Each one implements row fetching, snapshots
and commits; a `Dialect` has the expressions in which they differ.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from heapq import merge
from itertools import chain, islice, takewhile
from operator import attrgetter
from typing import Any, ClassVar, Final

import msgspec

from casino.ledger.accounts import Account
from casino.ledger.entries import as_entry
from casino.ledger.storage.base import ALL, StoredLeaf, look_up, stored_leaf
from casino.ledger.storage.schema import Dialect, PeopleRows
from casino.ledger.tlog import Hash
from casino.ledger.transaction import CommandReply, Rows, StoredCheckpoint

_ANSWERED: Final[Callable[[tuple[Any, ...]], CommandReply]] = partial(tuple.__new__, CommandReply)
_BY_NUMBER: Final = attrgetter("n")
_MAX_ROWS: Final = 128  # rows inserted by one statement
_ENTRY: Final = '"type":"entry"'  # in the JSON of every entry, and of no other leaf


class SqlQueries(ABC):
    """A log open for reading; within `snapshot` all queries see the same state."""

    dialect: ClassVar[Dialect]

    @abstractmethod
    def rows(self, sql: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query."""

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

    def leaves(self, first: int = 0, limit: int = -1) -> Iterator[StoredLeaf]:
        """Yield leaves in order, beginning with number `first`; -1 means no limit."""
        sql = f"SELECT n, {self.dialect.body} FROM leaf WHERE n >= ? ORDER BY n LIMIT ?"
        ask = self.many_rows if limit < 0 else self.rows
        return map(stored_leaf, ask(sql, (first, _most(limit))))

    def of_subject(self, subject: str) -> Iterator[StoredLeaf]:
        """Yield the leaves of a subject, in order."""
        text = f'"game":{msgspec.json.encode(subject).decode()}'
        for first, last in self.spans(subject):
            yield from self._leaves_with(text, first, last)

    def spans(self, subject: str) -> list[tuple[int, int]]:
        """Return the first and the last leaf of each range with leaves of a subject."""
        sql = "SELECT first, coalesce(last, ?) FROM subject WHERE name = ? ORDER BY first"
        return [(first, last) for first, last in self.rows(sql, (ALL, subject))]

    def _leaves_with(
        self, text: str, first: int = 0, last: int = ALL, limit: int = -1
    ) -> Iterator[StoredLeaf]:
        """Yield the leaves of a range whose JSON contains a text."""
        sql = f"""
            SELECT n, {self.dialect.body} FROM leaf
            WHERE n BETWEEN ? AND ? AND {self.dialect.within}(body, ?) > 0 ORDER BY n LIMIT ?
        """
        return map(stored_leaf, self.many_rows(sql, (first, last, text, _most(limit))))

    def subjects(self) -> set[tuple[str, int, int | None]]:
        """Return every span of leaves that has a subject's; `last` is None while it is open."""
        return {(name, first, last) for name, first, last in self.rows("SELECT * FROM subject")}

    def open_subjects(self) -> dict[str, int]:
        """Return the subjects that have begun and not ended, with the first leaf of each."""
        return dict(self.rows("SELECT name, first FROM subject WHERE last IS NULL"))

    def of_owner(self, owner: str) -> Iterator[StoredLeaf]:
        """Yield the leaves that name an owner, in order."""
        sql = f"SELECT n, {self.dialect.body} FROM leaf WHERE owner = ? ORDER BY n"
        # Entries with several owners are found by their type.
        others = (leaf for leaf in self.of_kinds(["entry"]) if owner in leaf.owners)
        yield from merge(map(stored_leaf, self.many_rows(sql, (owner,))), others, key=_BY_NUMBER)

    def owners(self) -> list[str]:
        """Return the names of all owners in the log, sorted."""
        # Loose index scan: step from each name to the next instead of reading the whole index.
        sql = """
            WITH RECURSIVE named (name) AS (
                SELECT min(owner) FROM leaf WHERE owner IS NOT NULL
                UNION ALL
                SELECT (SELECT min(owner) FROM leaf WHERE owner > named.name) FROM named
                WHERE named.name IS NOT NULL
            )
            SELECT name FROM named WHERE name IS NOT NULL
        """
        names = {name for (name,) in self.rows(sql)}
        return sorted(names.union(*(leaf.owners for leaf in self.of_kinds(["entry"]))))

    def of_kinds(
        self, kinds: Sequence[str], after: int = -1, before: int | None = None, limit: int = -1
    ) -> Iterator[StoredLeaf]:
        """Yield leaves of `INDEXED_TYPES` between two numbers, newest first if `before` is set."""
        end, order = (ALL, "") if before is None else (before, "DESC")
        sql = f"""
            SELECT n, {self.dialect.body} FROM leaf
            WHERE kind = ? AND n > ? AND n < ? ORDER BY n {order} LIMIT ?
        """
        by_kind = [
            map(stored_leaf, self.many_rows(sql, (kind, after, end, _most(limit))))
            for kind in kinds
        ]
        return islice(merge(*by_kind, key=_BY_NUMBER, reverse=before is not None), _most(limit))

    def entry_leaves(self, first: int = 0) -> Iterator[StoredLeaf]:
        """Yield all leaves of entries, each part by itself, beginning with leaf `first`."""
        return self._leaves_with(_ENTRY, first)

    def entry(self, number: int) -> list[StoredLeaf]:
        """Return the leaves of an entry, or an empty list if there is no such entry."""

        def next_entry(first: int) -> int:
            leaf = next(self._leaves_with(_ENTRY, first, limit=1), None)
            return ALL if leaf is None else as_entry(leaf.body).entry

        first = bisect_left(range(self.size()), number, key=next_entry)
        return list(
            takewhile(lambda leaf: as_entry(leaf.body).entry == number, self.entry_leaves(first))
        )

    def stored_replies(self, commands: Sequence[str]) -> dict[str, CommandReply]:
        """Return the stored responses to commands by id, with one query."""
        if not commands:
            return {}
        # Round up to a power of two placeholders, so that few distinct statements are compiled.
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

    def secrets(self, subject: str) -> dict[str, bytes]:
        """Return the secrets of a running subject, by name."""
        return dict(self.rows("SELECT name, value FROM secret WHERE subject = ?", (subject,)))

    def checkpoints(self, after: int = 0, limit: int = -1) -> Iterator[StoredCheckpoint]:
        """Yield the published checkpoints that sign more than `after` leaves, oldest first."""
        sql = "SELECT size, note FROM checkpoint WHERE size > ? ORDER BY size LIMIT ?"
        return map(StoredCheckpoint._make, self.many_rows(sql, (after, _most(limit))))

    def checkpoint(self) -> StoredCheckpoint | None:
        """Return the newest published checkpoint, or None before the first."""
        sql = "SELECT size, note FROM checkpoint ORDER BY size DESC LIMIT 1"
        return next(map(StoredCheckpoint._make, self.rows(sql)), None)

    def published_size(self) -> int:
        """Return the number of leaves that the newest published checkpoint signs."""
        return self.number("SELECT coalesce(max(size), 0) FROM checkpoint")

    def signed_head(self) -> StoredCheckpoint | None:
        """Return the signature over all leaves, or None for an empty log."""
        return next(map(StoredCheckpoint._make, self.rows("SELECT size, note FROM newest")), None)

    def nodes(self, level: int, first: int, limit: int) -> list[Hash]:
        """Return up to `limit` stored hashes of a tree level, beginning with index `first`."""
        sql = "SELECT hash FROM node WHERE level = ? AND place >= ? AND place < ? ORDER BY place"
        return [node for (node,) in self.rows(sql, (level, first, first + limit))]

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
            yield row[0], _ANSWERED(row[1:])

    def all_secrets(self) -> dict[str, dict[str, bytes]]:
        """Return all secrets, by subject and name."""
        secrets: dict[str, dict[str, bytes]] = {}
        for subject, name, value in self.rows("SELECT subject, name, value FROM secret"):
            secrets.setdefault(subject, {})[name] = value
        return secrets

    def people(self) -> dict[tuple[str, str], str]:
        """Return what is stored about people's accounts, by kind and name."""
        rows = self.rows("SELECT kind, name, value FROM people")
        return {(kind, name): value for kind, name, value in rows}

    def last_entry(self) -> int:
        """Return the number of the newest entry, 0 if there is none."""
        sql = f"""
            SELECT {self.dialect.body} FROM leaf
            WHERE {self.dialect.within}(body, ?) > 0 ORDER BY n DESC LIMIT 1
        """
        return next((as_entry(body).entry for (body,) in self.rows(sql, (_ENTRY,))), 0)


class SqlStore(SqlQueries):
    """A log open for writing, by a single writer."""

    @abstractmethod
    def append(
        self, rows: Rows, meanwhile: Callable[[int], None], before_commit: Callable[[], None]
    ) -> None:
        """Make all rows durable in one transaction, or raise `StorageError`.

        `meanwhile` is called before each batch with its number of rows, and `before_commit` when
        only the wait for the disk remains.
        """

    @abstractmethod
    def check(self) -> None:
        """Raise `FileError` if the store is damaged or would lose commits."""

    def check_files(self) -> SqlQueries | None:
        """Raise `InvariantError` if the log's files were moved or replaced since it was opened.

        Returns a new reader to compare the log with if its file was written since the last call.
        """
        return None

    def flush_journal(self) -> None:
        """Move any write-ahead log into the main file, for a clean stop."""

    def holds(self, rows: Rows) -> bool:
        """Return True if the rows were stored by a COMMIT whose outcome is in doubt (L11)."""
        if not rows.leaves:
            return False
        # Rows are stored all or none, so the last leaf is enough to compare.
        stored = next(self.leaves(rows.size - 1, 1), None)
        return stored is not None and stored.body == rows.leaves[-1]

    @abstractmethod
    def execute(self, sql: str, values: Sequence[object] = ()) -> object:
        """Execute a statement without result."""

    @abstractmethod
    def save_people(self, rows: PeopleRows) -> None:
        """Store or delete values about people's accounts in a transaction of its own."""

    def store_identity(self, facts: Mapping[str, str]) -> None:
        """Store the log's name and key, which cannot be changed later."""
        marks = ", ".join(["(?, ?)"] * len(facts))
        values = list(chain.from_iterable(facts.items()))
        self.execute(f"INSERT INTO about (name, value) VALUES {marks}", values)

    def write(self, rows: Rows, meanwhile: Callable[[int], None]) -> None:
        """Execute the statements that store a group."""
        # sqlite3 binds a bytearray directly, but searches for an adapter for each bytes object.
        commands = [
            (name, bytearray(content), leaf, bound, bytearray(answer))
            for bound, (name, content, leaf, answer) in rows.replies
        ]
        leaves = [
            (number, body.decode(), *look_up(body)[:2])
            for number, body in enumerate(rows.leaves, rows.first)
        ]
        balances = [(account, cents) for account, cents in rows.balances.items() if cents]
        upsert = " ON CONFLICT ({}) DO UPDATE SET {column} = excluded.{column}".format
        for table, table_rows, conflict in (
            ("leaf (n, body, kind, owner)", leaves, ""),
            ("node (level, place, hash)", rows.nodes, ""),
            ("command (id, content, leaf, bound, answer)", commands, ""),
            ("account (name, balance)", balances, upsert("name", column="balance")),
            ("subject (name, first, last)", rows.subjects, upsert("name, first", column="last")),
            ("checkpoint (size, note)", rows.checkpoints, ""),
        ):
            self._insert(table, table_rows, conflict, meanwhile)
        for account, cents in rows.balances.items():
            if not cents:
                self.execute("DELETE FROM account WHERE name = ?", (account,))
        for subject, name, value in rows.secrets:
            if name is None:
                self.execute("DELETE FROM secret WHERE subject = ?", (subject,))
            else:
                sql = "INSERT INTO secret (subject, name, value) VALUES (?, ?, ?)"
                self.execute(sql, (subject, name, value))
        if rows.newest is not None:
            # Never a smaller size: another program may have written to the log without the lock.
            sql = """
                INSERT INTO newest (one, size, note) VALUES (1, ?, ?)
                ON CONFLICT (one) DO UPDATE SET size = excluded.size, note = excluded.note
                WHERE newest.size <= excluded.size
            """
            self.execute(sql, rows.newest)

    def _insert(
        self,
        table: str,
        rows: Sequence[Sequence[object]],
        conflict: str,
        meanwhile: Callable[[int], None],
    ) -> None:
        """Insert rows in batches of powers of two, so that few distinct statements are prepared.

        Each statement releases the interpreter lock, so with many small ones the writer would
        repeatedly wait for other threads.
        """
        marks = "(" + ",".join("?" * (table.count(",") + 1)) + ")"
        done = 0
        while done < len(rows):
            size = min(_MAX_ROWS, 1 << (len(rows) - done).bit_length() - 1)
            values = list(chain.from_iterable(rows[done : done + size]))
            meanwhile(size)
            self.execute(f"INSERT INTO {table} VALUES {','.join([marks] * size)}{conflict}", values)
            done += size


def _most(limit: int) -> int:
    return limit if limit >= 0 else ALL
