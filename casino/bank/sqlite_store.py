"""The log in one SQLite file: all SQL there is that reads it or writes it.

Reading takes the rows as they are; writing stores a group in one transaction that waits for the
disk. What SQLite raises leaves here as the errors of `casino.bank.store`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from typing import Any, Final

from casino.bank.eventlog import EventLog
from casino.bank.leaves import as_entry
from casino.bank.ledger import Account
from casino.bank.merkle import Hash, frontier_of
from casino.bank.schema import CHANGED
from casino.bank.store import (
    Loaded,
    LookUp,
    Newest,
    StoredCheckpoint,
    StoredLeaf,
    StoreFault,
    StoreRefusal,
)
from casino.bank.transaction import Answered, Group
from casino.errors import BadFile

_MOST_ROWS: Final = 128
_STORED_LEAF = StoredLeaf._make
_PARTS: Final = b',"parts":'
_BODY: Final = "ifnull(CAST(body AS BLOB), x'')"
"""A damaged file may hold anything where a leaf should be: it is read as bytes in any case."""


@contextmanager
def faults() -> Iterator[None]:
    """Have what SQLite raises leave as an error of the store."""
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise StoreRefusal(f"the file refused an impossible row: {error}") from error
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise StoreFault(str(error)) from error


class SqliteReading:
    """The log as one connection sees it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    @contextmanager
    def moment(self) -> Iterator[None]:
        """A transaction that reads: nothing that others write is seen within it."""
        with faults():
            self.connection.execute("BEGIN")
            # The snapshot is taken by the first read.
            self.size()
            try:
                yield
            finally:
                self.connection.execute("ROLLBACK")

    def size(self) -> int:
        """How many leaves there are."""
        return self._number("SELECT coalesce(max(n) + 1, 0) FROM leaf")

    def leaves(self, first: int = 0, limit: int = -1) -> Iterator[StoredLeaf]:
        """Leaves in order, from a number on."""
        sql = f"SELECT n, {_BODY} FROM leaf WHERE n >= ? ORDER BY n LIMIT ?"
        return map(_STORED_LEAF, self._rows(sql, (first, limit)))

    def of_subject(self, subject: str) -> Iterator[StoredLeaf]:
        """The leaves of a subject: those between its first and its last that name it."""
        sql = "SELECT first, coalesce(last, ?) FROM subject WHERE name = ? ORDER BY first"
        spans = list(self._rows(sql, (1 << 62, subject)))
        sql = f"SELECT n, {_BODY} FROM leaf WHERE n BETWEEN ? AND ? ORDER BY n"
        for first, last in spans:
            for leaf in map(_STORED_LEAF, self._rows(sql, (first, last))):
                # Most leaves between are of other subjects: only a likely one is parsed.
                if subject.encode() in leaf.body and leaf.subject == subject:
                    yield leaf

    def of_owner(self, owner: str) -> Iterator[StoredLeaf]:
        """The leaves that name an owner, in order; entries of a subject not among them."""
        sql = f"""
            SELECT leaf.n, {_BODY} FROM mention JOIN leaf USING (n)
            WHERE mention.owner = ? ORDER BY leaf.n
        """
        return map(_STORED_LEAF, self._rows(sql, (owner,)))

    def owners(self) -> list[str]:
        """Everybody who is, or was, named."""
        return [name for (name,) in self._rows("SELECT DISTINCT owner FROM mention", ())]

    def of_kinds(
        self, kinds: Sequence[str], after: int = -1, before: int | None = None, limit: int = -1
    ) -> Iterator[StoredLeaf]:
        """Leaves of listed kinds between two numbers: in order; the newest first with `before`."""
        marks = ",".join("?" * len(kinds))
        order = "" if before is None else "DESC"
        sql = f"""
            SELECT leaf.n, {_BODY} FROM listed JOIN leaf USING (n)
            WHERE kind IN ({marks}) AND listed.n > ? AND listed.n < ?
            ORDER BY leaf.n {order} LIMIT ?
        """
        end = 1 << 62 if before is None else before
        return map(_STORED_LEAF, self._rows(sql, (*kinds, after, end, limit)))

    def entry_leaves(self, first: int = 0) -> Iterator[StoredLeaf]:
        """The leaves of entries, in order, from a leaf on, each with those it goes on in."""
        start = self._number("SELECT coalesce(max(n), 0) FROM entry WHERE leaf < ?", (first,))
        sql = f"""
            SELECT leaf.n, {_BODY} FROM entry JOIN leaf ON leaf.n = entry.leaf
            WHERE entry.n > ? ORDER BY entry.n
        """
        return self._with_parts(map(_STORED_LEAF, self._rows(sql, (start if first else 0,))))

    def entry(self, number: int) -> list[StoredLeaf]:
        """The leaves of an entry; none if there is no such entry."""
        sql = f"""
            SELECT leaf.n, {_BODY} FROM entry JOIN leaf ON leaf.n = entry.leaf
            WHERE entry.n = ?
        """
        return list(self._with_parts(map(_STORED_LEAF, self._rows(sql, (number,)))))

    def _with_parts(self, firsts: Iterator[StoredLeaf]) -> Iterator[StoredLeaf]:
        """The first leaves of entries, each with the leaves behind it that it goes on in."""
        for first in firsts:
            yield first
            if _PARTS in first.body:
                more = (as_entry(first.body).parts or 1) - 1
                yield from self.leaves(first.n + 1, more)

    def answered(self, commands: Sequence[str]) -> dict[str, Answered]:
        """What commands were answered, those that were; one look for all of them."""
        if not commands:
            return {}
        # As many places as the next power of two: few texts, so that each is compiled once.
        places = 1 << (len(commands) - 1).bit_length()
        marks = ",".join("?" * places)
        sql = f"SELECT id, content, leaf, answer FROM command WHERE id IN ({marks})"
        rows = self._rows(sql, [*commands, *[commands[0]] * (places - len(commands))])
        return {row[0]: Answered(*row) for row in rows}

    def balance(self, account: Account) -> int:
        """The balance of an account; one that nothing has moved on has 0."""
        sql = "SELECT coalesce(max(balance), 0) FROM account WHERE name = ?"
        return self._number(sql, (account,))

    def balances(self, prefix: str = "") -> dict[Account, int]:
        """The balances, other than 0, of accounts whose names begin so."""
        sql = "SELECT name, balance FROM account WHERE balance <> 0"
        if not prefix:
            return dict(self._rows(f"{sql} ORDER BY name", ()))
        span = (prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1))
        return dict(self._rows(f"{sql} AND name >= ? AND name < ? ORDER BY name", span))

    def secrets(self, subject: str) -> dict[str, bytes]:
        """What a running subject hides, by name."""
        return dict(self._rows("SELECT name, value FROM secret WHERE subject = ?", (subject,)))

    def checkpoints(self, after: int = 0, limit: int = -1) -> Iterator[StoredCheckpoint]:
        """The checkpoints that stay and sign more than so many leaves, the oldest first."""
        sql = "SELECT size, note FROM checkpoint WHERE size > ? ORDER BY size LIMIT ?"
        return map(StoredCheckpoint._make, self._rows(sql, (after, limit)))

    def checkpoint(self) -> StoredCheckpoint | None:
        """The newest checkpoint that stays."""
        sql = "SELECT size, note FROM checkpoint ORDER BY size DESC LIMIT 1"
        return next(map(StoredCheckpoint._make, self._rows(sql, ())), None)

    def newest(self) -> Newest | None:
        """The signature over all leaves."""
        row = next(self._rows("SELECT size, note, balances FROM newest", ()), None)
        return None if row is None else Newest(*row)

    def nodes(self, level: int, first: int, limit: int) -> list[Hash]:
        """Stored hashes of a level of the tree, from a place on."""
        sql = "SELECT hash FROM node WHERE level = ? AND place >= ? AND place < ? ORDER BY place"
        return [found for (found,) in self._rows(sql, (level, first, first + limit))]

    def about(self) -> dict[str, str]:
        """The name and the public key of the log."""
        return dict(self._rows("SELECT name, value FROM about", ()))

    def entry_rows(self, first: int, last: int) -> list[tuple[int, int]]:
        """The numbers of entries and of their leaves, as stored."""
        sql = "SELECT n, leaf FROM entry WHERE n BETWEEN ? AND ? ORDER BY n"
        return list(self._rows(sql, (first, last)))

    def answers(self) -> Iterator[tuple[int, Answered]]:
        """All answers, by the leaves that bind them and their ids."""
        sql = "SELECT bound, id, content, leaf, answer FROM command ORDER BY bound, id"
        for bound, *row in self._rows(sql, ()):
            yield bound, Answered(*row)

    def look_ups(self) -> Iterator[LookUp]:
        """All that is stored to find leaves by."""
        for table, columns in (
            ("subject", "name, first, last"),
            ("mention", "owner, n, NULL"),
            ("listed", "kind, n, NULL"),
        ):
            for row in self._rows(f"SELECT {columns} FROM {table}", ()):
                yield LookUp(table, *row)

    def hidden(self) -> dict[str, dict[str, bytes]]:
        """All secrets, by subject and name."""
        found: dict[str, dict[str, bytes]] = {}
        for subject, name, value in self._rows("SELECT subject, name, value FROM secret", ()):
            found.setdefault(subject, {})[name] = value
        return found

    def close(self) -> None:
        """Close the connection."""
        with suppress(sqlite3.Error):
            self.connection.close()

    def _rows(self, sql: str, values: Sequence[object]) -> Iterator[tuple[Any, ...]]:
        """The rows of a query, one after the other."""
        with faults():
            yield from self.connection.execute(sql, values)

    def _number(self, sql: str, values: Sequence[object] = ()) -> int:
        """The one number a query finds."""
        with faults():
            found: int = self.connection.execute(sql, values).fetchone()[0]
        return found


class SqliteStore(SqliteReading):
    """The file on the one connection that writes."""

    def load(self) -> Loaded:
        """Where the writer goes on."""
        size = self.size()
        last = next(self.leaves(size - 1, 1), None) if size else None
        open_ = self._rows("SELECT name FROM subject WHERE last IS NULL", ())
        return Loaded(
            tree=frontier_of(size, EventLog(self).subtree),
            entries=self._number("SELECT coalesce(max(n), 0) FROM entry"),
            open=frozenset(name for (name,) in open_),
            at=0 if last is None else last.at,
            covered=self._number("SELECT coalesce(max(size), 0) FROM checkpoint"),
            newest=self.newest(),
        )

    def append(
        self, group: Group, meanwhile: Callable[[int], None], before_commit: Callable[[], None]
    ) -> None:
        """Store a group in one transaction; an error of COMMIT leaves it in doubt."""
        execute = self.connection.execute
        try:
            execute("BEGIN IMMEDIATE")
            self._write(group, meanwhile)
            before_commit()
        except sqlite3.IntegrityError as error:
            execute("ROLLBACK")
            raise StoreRefusal(f"the file refused an impossible row: {error}") from error
        except sqlite3.Error as error:
            raise StoreFault(str(error)) from error
        try:
            execute("COMMIT")
        except sqlite3.IntegrityError as error:
            execute("ROLLBACK")
            raise StoreRefusal(f"the file refused an impossible row: {error}") from error
        except sqlite3.Error as error:
            raise StoreFault(str(error), in_doubt=True) from error

    def holds(self, group: Group) -> bool:
        """Whether a group whose COMMIT gave no clear answer is in the file after all (L11)."""
        if not group.leaves:
            return False
        stored = next(self.leaves(group.tree.size - 1, 1), None)
        return stored is not None and stored.body == group.leaves[-1]

    def introduce(self, facts: Mapping[str, str]) -> None:
        """Write down, once, whose log this is."""
        with faults():
            sql = "INSERT INTO about (name, value) VALUES (?, ?)"
            self.connection.executemany(sql, facts.items())

    def check(self) -> None:
        """Refuse a file whose pages are damaged, as far as the writer changes what is on them.

        What only grows is looked at where it ends, when the store is loaded: to read all of it
        would take longer with every game that was ever played, and is the audit's work.
        """
        for table in CHANGED:
            with faults():
                found = self.connection.execute(f"PRAGMA quick_check({table})").fetchone()[0]
            if found != "ok":
                raise BadFile(f"the file is damaged: {found}; restore a copy and run casino audit")

    def empty_journal(self) -> None:
        """Copy the write-ahead log into the file and cut it to nothing."""
        with faults():
            self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    def _write(self, group: Group, meanwhile: Callable[[int], None]) -> None:
        """Store a group's rows; the caller says BEGIN and COMMIT."""
        # sqlite3 binds a bytearray as it is; for plain bytes it looks for an adapter every time.
        leaves = [
            (number, bytearray(body))
            for number, body in enumerate(group.leaves, group.tree.size - len(group.leaves))
        ]
        commands = [
            (name, bytearray(row.content), row.leaf, group.bound, bytearray(row.answer))
            for name, row in group.answered.items()
        ]
        for table, rows in (
            ("leaf (n, body)", leaves),
            ("node (level, place, hash)", group.nodes),
            ("posting (entry, account, cents)", group.postings),
            ("entry (n, leaf)", group.entry_rows),
            ("command (id, content, leaf, bound, answer)", commands),
            ("mention (owner, n)", group.mentions),
            ("listed (kind, n)", group.listed),
        ):
            self._insert(table, rows, meanwhile)
        self._mark(group)
        self._keep_secrets(group)
        self._sign(group)

    def _insert(
        self, table: str, rows: Sequence[Sequence[object]], meanwhile: Callable[[int], None]
    ) -> None:
        """Insert rows, as many at a time as the greatest power of two there are: few statements.

        Every statement run lets other threads in, so that many small ones would wait for them all.
        """
        marks = "(" + ",".join("?" * (table.count(",") + 1)) + ")"
        done = 0
        while done < len(rows):
            size = min(_MOST_ROWS, 1 << (len(rows) - done).bit_length() - 1)
            values = list(chain.from_iterable(rows[done : done + size]))
            meanwhile(size)
            sql = f"INSERT INTO {table} VALUES {','.join([marks] * size)}"
            self.connection.execute(sql, values)
            done += size

    def _mark(self, group: Group) -> None:
        """Note where subjects begin and end."""
        for subject, leaf, ends in group.marks:
            if ends:
                sql = "UPDATE subject SET last = ? WHERE name = ? AND last IS NULL"
            else:
                sql = "INSERT INTO subject (first, name) VALUES (?, ?)"
            self.connection.execute(sql, (leaf, subject))

    def _keep_secrets(self, group: Group) -> None:
        """Keep what is to be hidden, forget what is told."""
        for subject, name, value in group.secrets:
            if name is None:
                self.connection.execute("DELETE FROM secret WHERE subject = ?", (subject,))
            else:
                sql = "INSERT INTO secret (subject, name, value) VALUES (?, ?, ?)"
                self.connection.execute(sql, (subject, name, value))

    def _sign(self, group: Group) -> None:
        """Renew the signature over all leaves (L15); one that is published stays besides."""
        size = group.tree.size
        if not group.note:
            return
        renewed = (size, group.note, group.sealed_balances)
        sql = "UPDATE newest SET size = ?, note = ?, balances = ?"
        if size == len(group.leaves):
            sql = "INSERT INTO newest (one, size, note, balances) VALUES (1, ?, ?, ?)"
        self.connection.execute(sql, renewed)
        kept = [*group.between, (size, group.note)] if group.stays else ()
        for row in kept:
            self.connection.execute("INSERT INTO checkpoint (size, note) VALUES (?, ?)", row)
