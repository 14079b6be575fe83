"""The log in one SQLite file: fetching rows, and all SQL that writes them.

A group is stored in one transaction that waits for the disk. SQLite's errors leave here as those of
`casino.ledger.storage.base`.
"""

from __future__ import annotations

import sqlite3
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from typing import Any, Final

from casino.errors import FileError
from casino.ledger.storage.base import (
    StorageError,
    StorageRefusal,
)
from casino.ledger.storage.queries import SqlQueries
from casino.ledger.storage.schema import CHANGED
from casino.ledger.transaction import Rows

_MAX_ROWS: Final = 128


@contextmanager
def translate_errors() -> Iterator[None]:
    """Translate SQLite's errors into those of the store."""
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise StorageRefusal(f"the file refused an impossible row: {error}") from error
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise StorageError(str(error)) from error


def _close(connection: sqlite3.Connection) -> None:
    with suppress(sqlite3.Error):
        connection.close()


class SqliteQueries(SqlQueries):
    """The log as one connection sees it."""

    # A damaged file may hold anything where a leaf should be: it is read as bytes in any case.
    body = "ifnull(CAST(body AS BLOB), x'')"

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        # From Python 3.13 on, a connection that nobody closed is warned about when it goes.
        weakref.finalize(self, _close, connection)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Open a read transaction: other writers' changes are not seen within it."""
        with translate_errors():
            self.connection.execute("BEGIN")
            # The snapshot is taken by the first read, which must not stumble over a damaged page.
            self.number("SELECT count(*) FROM sqlite_master")
            try:
                yield
            finally:
                self.connection.execute("ROLLBACK")

    def close(self) -> None:
        """Close the connection."""
        _close(self.connection)

    def rows(self, sql: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query, fetched lazily."""
        with translate_errors():
            yield from self.connection.execute(sql, values)

    many_rows = rows


class SqliteStore(SqliteQueries):
    """The file on the one connection that writes."""

    def append(
        self, rows: Rows, meanwhile: Callable[[int], None], before_commit: Callable[[], None]
    ) -> None:
        """Store rows in one transaction; an error of COMMIT leaves them in doubt."""
        execute = self.connection.execute
        try:
            execute("BEGIN IMMEDIATE")
            self._write(rows, meanwhile)
            before_commit()
        except sqlite3.IntegrityError as error:
            execute("ROLLBACK")
            raise StorageRefusal(f"the file refused an impossible row: {error}") from error
        except sqlite3.Error as error:
            raise StorageError(str(error)) from error
        try:
            execute("COMMIT")
        except sqlite3.IntegrityError as error:
            execute("ROLLBACK")
            raise StorageRefusal(f"the file refused an impossible row: {error}") from error
        except sqlite3.Error as error:
            raise StorageError(str(error), in_doubt=True) from error

    def store_identity(self, facts: Mapping[str, str]) -> None:
        """Store once the name and the key of the log."""
        with translate_errors():
            sql = "INSERT INTO about (name, value) VALUES (?, ?)"
            self.connection.executemany(sql, facts.items())

    def check(self) -> None:
        """Refuse a file with damaged pages, as far as the writer changes them.

        Append-only tables are only checked at their end: reading all of them would take longer with
        every game ever played, and is the audit's work.
        """
        for table in CHANGED:
            with translate_errors():
                result = self.connection.execute(f"PRAGMA quick_check({table})").fetchone()[0]
            if result != "ok":
                raise FileError(
                    f"the file is damaged: {result}; restore a copy and run casino audit"
                )

    def flush_journal(self) -> None:
        """Copy the write-ahead log into the file and truncate it."""
        with translate_errors():
            self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    def _write(self, rows: Rows, meanwhile: Callable[[int], None]) -> None:
        # sqlite3 binds a bytearray as it is; for plain bytes it looks for an adapter every time.
        leaves = [(number, bytearray(body)) for number, body in enumerate(rows.leaves, rows.first)]
        commands = [
            (name, bytearray(content), leaf, bound, bytearray(answer))
            for name, content, leaf, bound, answer in rows.commands
        ]
        for table, table_rows in (
            ("leaf (n, body)", leaves),
            ("node (level, place, hash)", rows.nodes),
            ("posting (entry, account, cents)", rows.postings),
            ("entry (n, leaf)", rows.entries),
            ("command (id, content, leaf, bound, answer)", commands),
            ("mention (owner, n)", rows.mentions),
            ("listed (kind, n)", rows.listed),
        ):
            self._insert(table, table_rows, meanwhile)
        self._mark(rows)
        self._keep_secrets(rows)
        self._sign(rows)

    def _insert(
        self, table: str, rows: Sequence[Sequence[object]], meanwhile: Callable[[int], None]
    ) -> None:
        """Insert rows in batches of powers of two, so that few statements are prepared.

        Every statement releases the interpreter lock, so many small ones would wait for all other
        threads.
        """
        marks = "(" + ",".join("?" * (table.count(",") + 1)) + ")"
        done = 0
        while done < len(rows):
            size = min(_MAX_ROWS, 1 << (len(rows) - done).bit_length() - 1)
            values = list(chain.from_iterable(rows[done : done + size]))
            meanwhile(size)
            sql = f"INSERT INTO {table} VALUES {','.join([marks] * size)}"
            self.connection.execute(sql, values)
            done += size

    def _mark(self, rows: Rows) -> None:
        for subject, leaf, ends in rows.marks:
            if ends:
                sql = "UPDATE subject SET last = ? WHERE name = ? AND last IS NULL"
            else:
                sql = "INSERT INTO subject (first, name) VALUES (?, ?)"
            self.connection.execute(sql, (leaf, subject))

    def _keep_secrets(self, rows: Rows) -> None:
        for subject, name, value in rows.secrets:
            if name is None:
                self.connection.execute("DELETE FROM secret WHERE subject = ?", (subject,))
            else:
                sql = "INSERT INTO secret (subject, name, value) VALUES (?, ?, ?)"
                self.connection.execute(sql, (subject, name, value))

    def _sign(self, rows: Rows) -> None:
        """Replace the signature over all leaves (L15); published ones are kept besides."""
        if rows.newest is not None:
            sql = "UPDATE newest SET size = ?, note = ?, balances = ?"
            if rows.first == 0:
                sql = "INSERT INTO newest (one, size, note, balances) VALUES (1, ?, ?, ?)"
            self.connection.execute(sql, rows.newest)
        for row in rows.checkpoints:
            self.connection.execute("INSERT INTO checkpoint (size, note) VALUES (?, ?)", row)
