"""Write access to the log: the statements that store a group, shared by all backends."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import chain
from typing import Final

from casino.ledger.log_reader import LogReader
from casino.ledger.storage.base import ALL, PeopleRows, look_up
from casino.ledger.transaction import Rows

_MAX_ROWS: Final = 128  # rows inserted by one statement
_NEW_BALANCE: Final = " ON CONFLICT (name) DO UPDATE SET balance = excluded.balance"
_NEW_LAST: Final = " ON CONFLICT (name, first) DO UPDATE SET last = excluded.last"


class SqlStore(LogReader):
    """A log open for writing, by a single writer."""

    @abstractmethod
    def transaction(self) -> AbstractContextManager[object]:
        """Return a context that commits its statements together at the end.

        After a `StorageError` they may or may not be stored (L11).
        """

    def append(self, rows: Rows, meanwhile: Callable[[int], None]) -> None:
        """Make all rows durable in one transaction, or raise `StorageError`.

        `meanwhile` is called before each batch of rows with their number, and last with `ALL`.
        """
        with self.transaction():
            self.write(rows, meanwhile)
            meanwhile(ALL)  # only the wait for the disk remains

    @abstractmethod
    def check(self) -> None:
        """Raise a `CasinoError` if the store is damaged or would lose commits."""

    def check_files(self) -> LogReader | None:
        """Raise `InvariantError` if the log's files were moved or replaced since it was opened.

        If the file was written since the last call, return a new reader to compare the log with.
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
        """Execute a statement that returns no rows."""

    @abstractmethod
    def save_people(self, rows: PeopleRows) -> None:
        """Store values about people's accounts, or delete empty ones, in one transaction."""

    def store_identity(self, facts: Mapping[str, str]) -> None:
        """Store the log's name and key, which cannot be changed later."""
        self._insert("about (name, value)", list(facts.items()))

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
        subjects = [(*span, last) for span, last in rows.subjects.items()]
        balances = [(account, cents) for account, cents in rows.balances.items() if cents]
        for table, table_rows, conflict in (
            ("leaf (n, body, kind, owner)", leaves, ""),
            ("node (level, place, hash)", rows.nodes, ""),
            ("command (id, content, leaf, bound, answer)", commands, ""),
            ("account (name, balance)", balances, _NEW_BALANCE),
            ("subject (name, first, last)", subjects, _NEW_LAST),
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
        conflict: str = "",
        meanwhile: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Insert rows in batches of powers of two, so that few distinct statements are prepared.

        Each statement releases the interpreter lock, so with many small ones the writer would
        repeatedly wait for other threads.
        """
        done = 0
        while done < len(rows):
            size = min(_MAX_ROWS, 1 << (len(rows) - done).bit_length() - 1)
            marks = "(" + ",".join("?" * len(rows[0])) + ")"
            values = list(chain.from_iterable(rows[done : done + size]))
            meanwhile(size)
            self.execute(f"INSERT INTO {table} VALUES {','.join([marks] * size)}{conflict}", values)
            done += size
