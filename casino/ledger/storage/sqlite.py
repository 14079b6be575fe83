"""SQLite backend, which stores the log in one file.

A group is stored in one transaction that is synced to disk. SQLite's errors are translated into
those of `casino.ledger.storage.base`.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Any, Final

from casino.errors import FileError, InvariantError
from casino.ledger.log_reader import LogReader
from casino.ledger.storage import schema
from casino.ledger.storage.base import DamagedFileError, PeopleRows, StorageError
from casino.ledger.storage.schema import CHANGED
from casino.ledger.storage.store import SqlStore

# Errors raised for a damaged file; names in their messages may not be valid UTF-8.
BROKEN_FILE: Final = (sqlite3.DatabaseError, UnicodeDecodeError)


# Held while writing, because SQLite polls for its own lock: for up to 4 s under constant load.
_turn = threading.Lock()


def _close(connection: sqlite3.Connection) -> None:
    with suppress(sqlite3.Error):
        connection.close()


class SqliteQueries(LogReader):
    """Read access to a log in a SQLite file, through one connection."""

    dialect = schema.SQLITE

    def __init__(self, connection: sqlite3.Connection, path: Path | None = None) -> None:
        super().__init__()
        self.connection = connection
        self._name = path.name if path else "the file"
        # Python 3.13 warns of connections that are garbage-collected without being closed.
        weakref.finalize(self, _close, connection)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Translate SQLite's errors into those of `casino.ledger.storage.base`."""
        try:
            yield
        except sqlite3.IntegrityError as error:
            raise InvariantError(f"the file rejected an invalid row: {error}") from error
        except (sqlite3.Error, UnicodeDecodeError) as error:
            code = getattr(error, "sqlite_errorcode", 0)
            if code & 0xFF == sqlite3.SQLITE_CORRUPT or isinstance(error, UnicodeDecodeError):
                raise DamagedFileError(self._name, str(error)) from error
            raise StorageError(str(error)) from error

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Open a read transaction, within which changes by other connections are not visible."""
        with self._translated():
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
        """Return the rows of a query, all fetched at once, which is twice as fast as one by one."""
        with self._translated():
            return iter(self.connection.execute(sql, values).fetchall())

    def many_rows(self, sql: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query, fetched lazily."""
        with self._translated():
            # `yield from` would close the cursor itself, which fails after its connection.
            yield from chain(self.connection.execute(sql, values))


class SqliteStore(SqliteQueries, SqlStore):
    """A log in a SQLite file, open on the only connection that writes."""

    def __init__(self, connection: sqlite3.Connection, path: Path | None = None) -> None:
        super().__init__(connection, path)
        self._path = None if path is None else path.resolve()
        files = [Path(f"{self._path}{end}") for end in ("", "-wal", "-shm")] if self._path else []
        self._files = {file: file.stat() for file in files}

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Return a context that commits its statements together at the end."""
        try:
            with self._translated(), _turn:
                self.execute("BEGIN IMMEDIATE")  # take the write lock now, not at the first INSERT
                yield
                self.execute("COMMIT")
        except InvariantError:
            self.execute("ROLLBACK")
            raise

    def execute(self, sql: str, values: Sequence[object] = ()) -> None:
        """Execute a statement that returns no rows."""
        self.connection.execute(sql, values)

    def save_people(self, rows: PeopleRows) -> None:
        """Store values about people's accounts, or delete empty ones, in one transaction."""
        # Imported here because it loads slowly, and most commands do not need it.
        from sqlite_utils import Database

        people = Database(self.connection).table("people", pk=("kind", "name"))
        # Locked first: a read would begin a snapshot that the ledger's next commit outdates.
        with self.transaction():
            for (kind, name), value in rows.items():
                if value is None:
                    people.delete_where("kind = ? AND name = ?", [kind, name])
                else:
                    people.upsert({"kind": kind, "name": name, "value": value})

    def check(self) -> None:
        """Raise `DamagedFileError` if a table that the writer changes is damaged.

        Only audits check append-only tables, because that takes longer with every game played.
        """
        for table in CHANGED:
            result, *_ = next(self.rows(f"PRAGMA quick_check({table})"))
            if result != "ok":
                first = result.removeprefix("*** in database main ***\n").partition("\n")[0]
                raise DamagedFileError(self._name, first)

    def check_files(self) -> SqliteQueries | None:
        """Check that no file was moved or replaced; return a reader if the main file changed."""
        is_written = False
        for file, before in self._files.items():
            try:
                self._files[file] = now = file.stat()
                is_same = os.path.samestat(before, now)
            except OSError:
                is_same = False
            if not is_same:
                raise InvariantError(
                    f"{file.name} was moved, replaced or deleted while the casino ran:"
                    " stop it, put the file back, and start it again"
                )
            # Another program may have checkpointed the journal. If instead it has cut off frames
            # that the file lacks, the checkpoint below fails.
            if now.st_size < before.st_size:
                self.number("PRAGMA wal_checkpoint(PASSIVE)")
            is_written |= file == self._path and now.st_mtime_ns != before.st_mtime_ns
        # Written by a checkpoint, or by copying over it, which this connection's cache would hide.
        if not (self._path and is_written):
            return None
        return SqliteQueries(open_reader(self._path), self._path)

    def flush_journal(self) -> None:
        """Copy the write-ahead log into the file and truncate it."""
        self.number("PRAGMA wal_checkpoint(TRUNCATE)")


BUSY_TIMEOUT_MS: Final = 5000

# Length at which the write-ahead log is checkpointed; large, because all commands wait for that.
MAX_WAL_PAGES: Final = 4096

APPLICATION: Final = 0x45434152  # the application id in the file's header
FORMAT: Final = 7  # the version of the tables in the file's header
FORMER_FORMAT: Final = 6  # the previous version, which can only be copied


def open_writer(path: Path) -> sqlite3.Connection:
    """Open the only connection that writes, creating the file and its tables if needed."""
    connection = _connect(path, "rwc")
    try:
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}")
        # Without this, INSERT OR REPLACE would not fire the triggers that refuse deletion (L9).
        connection.execute("PRAGMA recursive_triggers = ON")
        connection.execute(f"PRAGMA wal_autocheckpoint = {MAX_WAL_PAGES}")
        make_tables(connection)
        # Sync what an earlier process may have written but not synced before it died: otherwise a
        # command read from the file could be acknowledged and then lost.
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    except (*BROKEN_FILE, FileError) as error:
        connection.close()
        if isinstance(error, FileError):
            raise
        raise FileError(
            f"cannot use {path} as the casino's file ({error}):"
            " check that the disk is neither full nor failing, or restore a backup"
        ) from None
    return connection


def is_backup(path: Path) -> bool:
    """Return True for a file without write-ahead logging, as only `casino backup` leaves one."""
    with path.open("rb") as file:
        # https://www.sqlite.org/fileformat.html: byte 18 is 2 with a WAL.
        return file.read(19)[18:] == b"\x01"


def open_existing(path: Path) -> sqlite3.Connection:
    """Open another connection to a file whose tables exist, for short transactions."""
    connection = _connect(path, "rw")
    connection.execute("PRAGMA synchronous = FULL")
    # All commands would wait for a checkpoint: leave that to the ledger's connection.
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    return connection


class MissingLogError(FileError):
    """Raised for a missing or empty file, whose log was never written or was lost."""


# Views for the columns and the table that the former format lacks, as far as `copy_log` reads them.
_FORMER_TABLES: Final = """
    CREATE TEMP VIEW leaf AS
    SELECT n, body, iif(instr(body, '"type":"key_rotated"'), 'key_rotated', NULL) AS kind
    FROM main.leaf;
    CREATE TEMP VIEW subject (name, first, last) AS
    WITH span AS (
        SELECT game, min(n) AS first, iif(game IN open_subject, NULL, max(n)) AS last
        FROM main.leaves WHERE game IS NOT NULL AND type <> 'cut_late' GROUP BY game
    )
    SELECT * FROM span
    UNION ALL
    SELECT game, n, n FROM span JOIN main.leaves USING (game) WHERE type = 'cut_late' AND n > last;
"""


def open_reader(path: Path, *, former: bool = False) -> sqlite3.Connection:
    """Open an existing file to read it; with `former`, also accept the previous format."""
    if not path.is_file() or not path.stat().st_size:
        fault = "is empty" if path.is_file() else "does not exist"
        if path.exists() and not path.is_file():
            fault = "is not a file"
        raise MissingLogError(f"{path} {fault}: give the casino's file with --db")
    # Reading makes journal files, which only a connection that may write removes. Where there are
    # none, such a connection has nothing to write.
    is_journaled = any(Path(f"{path}{end}").exists() for end in ("-wal", "-journal"))
    connection = _connect(path, "ro" if is_journaled else "rw")
    try:
        connection.text_factory = lambda text: text.decode("utf-8", "replace")
        if not _number(connection, "SELECT count(*) FROM sqlite_master"):
            raise MissingLogError("it is empty")
        if former and _number(connection, "PRAGMA user_version") == FORMER_FORMAT:
            connection.executescript(_FORMER_TABLES)
        else:
            _check_version(connection)
        connection.execute("PRAGMA query_only = ON")
    except FileError as error:
        connection.close()
        raise type(error)(f"{path} cannot be read as the casino's file: {error}") from None
    except BROKEN_FILE as error:
        connection.close()
        todo = "give another file, or if it was the casino's, restore a backup with casino restore"
        raise FileError(f"{path} cannot be read as the casino's file: {error}; {todo}") from None
    return connection


def make_tables(connection: sqlite3.Connection) -> None:
    """Create the tables in an empty file, or check that its version is the current one."""
    if _number(connection, "SELECT count(*) FROM sqlite_master"):
        _check_version(connection)
        return
    # One transaction: after a crash the file is still empty, and the next start creates them.
    connection.executescript(f"""
        BEGIN IMMEDIATE;
        {schema.sqlite_statements()}
        PRAGMA application_id = {APPLICATION};
        PRAGMA user_version = {FORMAT};
        COMMIT;
    """)


def rows_of_new_file(sql: str) -> set[tuple[Any, ...]]:
    """Return the rows that a query selects in a new file."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as fresh:
        make_tables(fresh)
        return set(fresh.execute(sql))


def _check_version(connection: sqlite3.Connection) -> None:
    if _number(connection, "PRAGMA application_id") != APPLICATION:
        raise FileError("it is another program's database: give the casino's file")
    version = _number(connection, "PRAGMA user_version")
    if version != FORMAT:
        todo = "open it with the program that made it, or give another file"
        if version == FORMER_FORMAT:
            todo = "convert it with casino copy"
        raise FileError(
            f"its format is version {version}, but this program reads version {FORMAT}: {todo}"
        )


def _number(connection: sqlite3.Connection, sql: str) -> int:
    number: int = connection.execute(sql).fetchone()[0]
    return number


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    """Open a connection in autocommit mode, for callers that run BEGIN and COMMIT themselves."""
    try:
        return sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}",
            uri=True,
            isolation_level=None,
            timeout=BUSY_TIMEOUT_MS // 1000,
            check_same_thread=False,  # opened by one thread, used by the writer's
        )
    except sqlite3.OperationalError as error:
        raise FileError(
            f"cannot open {path} ({error}): check that its folder exists and that you have access"
        ) from None
