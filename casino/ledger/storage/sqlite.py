"""SQLite backend, which stores the log in one file.

A group is stored in one transaction that is synced to disk. SQLite's errors are translated into
those of `casino.ledger.storage.base`.
"""

from __future__ import annotations

import sqlite3
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Any, Final

from casino.errors import FileError
from casino.ledger.storage import schema
from casino.ledger.storage.base import StorageError, StorageRefusal
from casino.ledger.storage.queries import SqlQueries
from casino.ledger.storage.schema import CHANGED, create_views
from casino.ledger.transaction import Rows

_MAX_ROWS: Final = 128


@contextmanager
def translate_errors() -> Iterator[None]:
    """Translate SQLite's errors into those of `casino.ledger.storage.base`."""
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
    """Read access to a log in a SQLite file, through one connection."""

    # In a damaged file the column may have any type: read it as bytes regardless.
    body = "ifnull(CAST(body AS BLOB), x'')"
    fields = schema.FIELDS

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        # Python 3.13 warns of connections that are garbage-collected without being closed.
        weakref.finalize(self, _close, connection)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Open a read transaction, within which changes by other connections are not visible."""
        with translate_errors():
            self.connection.execute("BEGIN")
            # The first read takes the snapshot; it avoids tables that may have damaged pages.
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
    """A log in a SQLite file, open on the only connection that writes."""

    def append(
        self, rows: Rows, meanwhile: Callable[[int], None], before_commit: Callable[[], None]
    ) -> None:
        """Store rows in one transaction; if COMMIT fails, they may or may not be stored (L11)."""
        execute = self.connection.execute
        try:
            execute("BEGIN IMMEDIATE")  # take the write lock now, not at the first INSERT
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
            # A deferred constraint failed: nothing is stored, and the transaction is still open.
            execute("ROLLBACK")
            raise StorageRefusal(f"the file refused an impossible row: {error}") from error
        except sqlite3.Error as error:
            raise StorageError(str(error), in_doubt=True) from error

    def store_identity(self, facts: Mapping[str, str]) -> None:
        """Store the log's name and key, which cannot be changed later."""
        with translate_errors():
            sql = "INSERT INTO about (name, value) VALUES (?, ?)"
            self.connection.executemany(sql, facts.items())

    def check(self) -> None:
        """Raise `FileError` if a table that the writer changes is damaged.

        Only audits check append-only tables, because that takes longer with every game played.
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
        # sqlite3 binds a bytearray directly, but searches for an adapter for each bytes object.
        leaves = [(number, bytearray(body)) for number, body in enumerate(rows.leaves, rows.first)]
        commands = [
            (name, bytearray(content), leaf, bound, bytearray(answer))
            for name, content, leaf, bound, answer in rows.commands
        ]
        # Postings precede entries: a trigger on `entry` checks that its postings sum to 0.
        for table, table_rows in (
            ("leaf (n, body)", leaves),
            ("node (level, place, hash)", rows.nodes),
            ("posting (entry, account, cents)", rows.postings),
            ("entry (n, leaf)", rows.entries),
            ("command (id, content, leaf, bound, answer)", commands),
        ):
            self._insert(table, table_rows, meanwhile)
        self._keep_open(rows)
        self._sign(rows)  # last: storing the signature deletes the postings (see `schema`)

    def _insert(
        self, table: str, rows: Sequence[Sequence[object]], meanwhile: Callable[[int], None]
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
            sql = f"INSERT INTO {table} VALUES {','.join([marks] * size)}"
            self.connection.execute(sql, values)
            done += size

    def _keep_open(self, rows: Rows) -> None:
        for subject in rows.begun:
            self.connection.execute("INSERT INTO open_subject (name) VALUES (?)", (subject,))
        for subject in rows.ended:
            self.connection.execute("DELETE FROM open_subject WHERE name = ?", (subject,))
        for subject, name, value in rows.secrets:
            if name is None:
                self.connection.execute("DELETE FROM secret WHERE subject = ?", (subject,))
            else:
                sql = "INSERT INTO secret (subject, name, value) VALUES (?, ?, ?)"
                self.connection.execute(sql, (subject, name, value))

    def _sign(self, rows: Rows) -> None:
        """Replace the signature over all leaves (L15), and add checkpoints to publish."""
        if rows.newest is not None:
            sql = "UPDATE newest SET size = ?, note = ?, balances = ?"
            if rows.first == 0:
                sql = "INSERT INTO newest (one, size, note, balances) VALUES (1, ?, ?, ?)"
            self.connection.execute(sql, rows.newest)
        for row in rows.checkpoints:
            self.connection.execute("INSERT INTO checkpoint (size, note) VALUES (?, ?)", row)


BUSY_TIMEOUT_MS: Final = 5000

# Length at which the write-ahead log is checkpointed; large, because all commands wait for it.
MAX_WAL_PAGES: Final = 4096

APPLICATION: Final = 0x45434152  # the application id in the file's header
FORMAT: Final = 5  # the version of the tables in the file's header
FORMER_FORMAT: Final = 4  # the previous version, which can only be copied


def open_writer(path: Path) -> sqlite3.Connection:
    """Open the only connection that writes, creating the file and its tables if needed."""
    connection = _connect(path, f"file:{_quoted(path)}")
    try:
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}")
        # Without this, INSERT OR REPLACE would not fire the triggers that refuse deletion (L9).
        connection.execute("PRAGMA recursive_triggers = ON")
        connection.execute(f"PRAGMA wal_autocheckpoint = {MAX_WAL_PAGES}")
        # SQLite puts the rows of an INSERT into a temporary table while triggers run.
        connection.execute("PRAGMA temp_store = MEMORY")
        make_tables(connection)
        make_durable(connection)
        connection.set_authorizer(authorize)
    except BROKEN_FILE as error:
        connection.close()
        raise FileError(
            f"{path} cannot be opened as the casino's file: {error};"
            " see that the disk is neither full nor failing, else restore a copy"
        ) from None
    except FileError:
        connection.close()
        raise
    return connection


# Errors raised for a damaged file; names in their messages may not be valid UTF-8.
BROKEN_FILE: Final = (sqlite3.DatabaseError, UnicodeDecodeError)


class MissingLogError(FileError):
    """Raised for an empty file, whose log was never written or was lost."""


def open_reader(path: Path, *, former: bool = False) -> sqlite3.Connection:
    """Open an existing file read-only; with `former`, also accept the previous format."""
    if not path.is_file():
        fault = "is no file" if path.exists() else "is not there"
        raise FileError(f"{path} {fault}: name the casino's file with --db")
    connection = _connect(path, f"file:{_quoted(path)}?mode=ro")
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.text_factory = lambda text: text.decode("utf-8", "replace")
        if not _number(connection, "SELECT count(*) FROM sqlite_master"):
            raise MissingLogError("there is nothing in it")
        if not (former and _number(connection, "PRAGMA user_version") == FORMER_FORMAT):
            _check_version(connection)
    except (*BROKEN_FILE, FileError) as error:
        connection.close()
        kind = MissingLogError if isinstance(error, MissingLogError) else FileError
        text = f"{path} cannot be read as the casino's file: {error}{_journal_beside(path)}"
        raise kind(text) from None
    return connection


def _journal_beside(path: Path) -> str:
    """Return a warning if there is a rollback journal, which SQLite would apply to the file."""
    journal = path.with_name(f"{path.name}-journal")
    if not journal.exists():
        return ""
    return f"; beside it lies {journal.name}, which no casino makes: move it away"


def make_tables(connection: sqlite3.Connection) -> None:
    """Create the tables in an empty file, or check that its version is the current one."""
    if _number(connection, "SELECT count(*) FROM sqlite_master"):
        _check_version(connection)
        return
    # One transaction: after a crash the file is still empty, and the next start creates them.
    connection.execute("BEGIN IMMEDIATE")
    for statement in split_statements(schema.statements()):
        connection.execute(statement)
    create_views(connection)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {FORMAT}")
    connection.execute("COMMIT")


def make_durable(connection: sqlite3.Connection) -> None:
    """Sync data that an earlier process may have written but not synced before it died.

    Otherwise a command read from the file could be acknowledged and then be lost.
    """
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()


def authorize(
    action: int,
    first_argument: str | None,
    two: str | None,
    database: str | None,
    trigger: str | None,
) -> int:
    """Allow the writing connection only the reads and changes that the writer needs (L9)."""
    if action in _ALWAYS:
        return sqlite3.SQLITE_OK
    allowed = False
    if action == sqlite3.SQLITE_INSERT:
        allowed = first_argument in _APPENDED or (first_argument, trigger) == (
            "account",
            "posting_opens",
        )
    elif action == sqlite3.SQLITE_UPDATE:
        allowed = (first_argument, two, trigger) == ("account", "balance", "posting_moves")
        allowed = allowed or first_argument == "newest"
    elif action == sqlite3.SQLITE_DELETE:
        allowed = (
            first_argument in ("open_subject", "secret") or (first_argument, trigger) in _EMPTIED
        )
    elif action == sqlite3.SQLITE_PRAGMA:
        harmless = (
            two is None
            or first_argument == "quick_check"
            or (first_argument, two) == _EMPTIES_JOURNAL
        )
        return sqlite3.SQLITE_OK if harmless else sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if allowed and database == "main" else sqlite3.SQLITE_DENY


_ALWAYS: Final = frozenset(
    {
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_TRANSACTION,
        sqlite3.SQLITE_SAVEPOINT,
        sqlite3.SQLITE_FUNCTION,
        sqlite3.SQLITE_RECURSIVE,
    }
)
_EMPTIES_JOURNAL: Final = ("wal_checkpoint", "TRUNCATE")
# Tables from which rows may be deleted, and the trigger that does it.
_EMPTIED: Final = frozenset(
    {("account", "account_empties"), ("posting", "newest_first"), ("posting", "newest_renewed")}
)
_APPENDED: Final = frozenset({*schema.KEPT, "newest", "open_subject", "posting", "secret"})


def _check_version(connection: sqlite3.Connection) -> None:
    if _number(connection, "PRAGMA application_id") != APPLICATION:
        raise FileError("it is some other program's database: name the casino's file")
    version = _number(connection, "PRAGMA user_version")
    if version != FORMAT:
        todo = "open it with the program that made it, or name another file"
        if version == FORMER_FORMAT:
            todo = "bring it to that version with casino copy"
        raise FileError(
            f"its format is version {version}, and this program reads version {FORMAT}: {todo}"
        )


def _number(connection: sqlite3.Connection, sql: str) -> int:
    number: int = connection.execute(sql).fetchone()[0]
    return number


def _connect(path: Path, uri: str) -> sqlite3.Connection:
    """Open a connection in autocommit mode, for callers that run BEGIN and COMMIT themselves."""
    try:
        return sqlite3.connect(
            uri,
            uri=True,
            isolation_level=None,
            timeout=BUSY_TIMEOUT_MS // 1000,
            check_same_thread=False,  # opened by one thread, used by the writer's
        )
    except sqlite3.OperationalError as error:
        raise FileError(
            f"{path} cannot be opened: {error}; see that its folder is there, and open to this user"
        ) from None


def _quoted(path: Path) -> str:
    return path.absolute().as_uri().removeprefix("file://")


def split_statements(script: str) -> list[str]:
    """Split a script into statements, each trigger being one statement."""
    statements, part = [], ""
    for line in script.splitlines(keepends=True):
        part += line
        if sqlite3.complete_statement(part):
            statements.append(part)
            part = ""
    return statements
