"""PostgreSQL backend, which stores the log in a database.

The statements of a group are sent in pipeline mode, which takes a single round trip. PostgreSQL's
errors are translated into those of `casino.ledger.storage.base`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from typing import Any, Final, TypeAlias
from weakref import finalize

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import Int8BinaryDumper

from casino.errors import FileError, InvariantError
from casino.ledger.log_reader import LogReader
from casino.ledger.storage.base import StorageError
from casino.ledger.storage.schema import POSTGRES, POSTGRES_FORMAT, PeopleRows
from casino.ledger.storage.store import SqlStore
from casino.ledger.transaction import Rows

Connection: TypeAlias = "psycopg.Connection[tuple[Any, ...]]"

HOUSE_LOCK: Final = 0x45434152  # advisory lock of the one casino that may write

_FETCHED: Final = 2_000  # rows of a long result fetched at a time

UNREACHED_SECONDS: Final = 10  # a silent server, or casino, is considered gone after this time

# Client-side timeouts for a dead connection; the database URL may override them.
_PATIENCE: Final = {
    "connect_timeout": 3,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 2,
    "tcp_user_timeout": UNREACHED_SECONDS * 1000,
}

# Server-side timeouts, so that the server releases the lock of a casino whose machine died.
_SESSION: Final = {
    "search_path": "casino",
    # Cursors are read to their end. By default PostgreSQL optimises for the first tenth of rows,
    # and so it scanned the whole log to find the leaves of one game.
    "cursor_tuple_fraction": 1,
    "tcp_keepalives_idle": 5,
    "tcp_keepalives_interval": 2,
    "tcp_keepalives_count": 2,
    "tcp_user_timeout": UNREACHED_SECONDS * 1000,
}


def connect(url: str, *, writes: bool) -> Connection:
    """Open an autocommit connection, read-only unless `writes`; check the format."""
    parameters = conninfo_to_dict(url)
    options = " ".join(f"-c {name}={value}" for name, value in _SESSION.items())
    asked: dict[str, Any] = {
        **_PATIENCE,
        **parameters,
        "options": f"{parameters.get('options') or ''} {options}".strip(),
    }
    if writes or "," in str(parameters.get("host")):
        # Of several servers choose the primary, because a replica may lag behind.
        asked.setdefault("target_session_attrs", "read-write")
    try:
        connection = psycopg.connect(make_conninfo(**asked), autocommit=True)
    except psycopg.Error as error:
        raise StorageError("the database cannot be reached") from error
    connection.adapters.register_dumper(int, Int8BinaryDumper)
    try:
        version = read_format(connection)
        if version != POSTGRES_FORMAT:
            raise FileError(
                f"the database's format is {version}, but this program reads {POSTGRES_FORMAT}:"
                " use the program that prepared it"
            )
        if not writes:
            connection.execute("SET default_transaction_read_only = on")
    except BaseException:
        connection.close()
        raise
    return connection


def read_format(connection: Connection) -> int | None:
    """Return the format version of a database; raise `FileError` if it is not prepared."""
    try:
        row = connection.execute("SELECT casino.format()").fetchone()
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        raise StorageError(error_text(error)) from error
    except psycopg.Error as error:
        text = f"{error_text(error)}: create the tables with casino prepare as the database's owner"
        raise FileError(f"this database has no casino: {text}") from None
    return None if row is None else row[0]


def error_text(error: BaseException) -> str:
    """Return an error's primary message on one line."""
    message = error.diag.message_primary if isinstance(error, psycopg.Error) else None
    return " ".join((message or str(error)).split()) or type(error).__name__


@contextmanager
def translate_errors() -> Iterator[None]:
    """Translate PostgreSQL's errors into those of `casino.ledger.storage.base`."""
    try:
        yield
    except (psycopg.IntegrityError, psycopg.DataError) as error:
        raise _refusal(error) from error
    except psycopg.Error as error:
        raise StorageError(error_text(error)) from error


def _refusal(error: psycopg.Error) -> InvariantError:
    return InvariantError(f"the database rejected an invalid row: {error_text(error)}")


class PostgresQueries(LogReader):
    """Read access to a log through one connection, which is reopened if it breaks."""

    dialect = POSTGRES

    def __init__(self, open_connection: Callable[[], Connection]) -> None:
        super().__init__()
        self._open = open_connection
        self._cursors = count(1)
        self.connection = self._connected()

    def _connected(self) -> Connection:
        """Open a connection that is closed when this object is garbage-collected."""
        connection = self._open()
        finalize(self, connection.close)
        return connection

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Open a read transaction, within which changes by other connections are not visible."""
        self._execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        # PostgreSQL takes the snapshot at the first query, not at BEGIN.
        self.size()
        try:
            yield
        finally:
            with suppress(psycopg.Error):
                self.connection.execute("ROLLBACK")

    def close(self) -> None:
        """Close the connection."""
        with suppress(psycopg.Error):
            self.connection.close()

    def rows(self, sql: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query, all fetched at once."""
        yield from self._execute(sql.replace("?", "%s"), values).fetchall()

    def many_rows(self, sql: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query, fetched in batches."""
        # Reconnects if the connection was lost, which the cursor below would not do.
        self._execute("SELECT 1")
        alone = self.connection.info.transaction_status == TransactionStatus.IDLE
        # A named cursor lives on the server; WITH HOLD allows it outside a transaction.
        cursor = self.connection.cursor(f"many{next(self._cursors)}", withhold=alone)
        with translate_errors(), cursor:
            cursor.itersize = _FETCHED
            yield from cursor.execute(sql.replace("?", "%s"), values, binary=True)

    def _execute(self, sql: str, values: Sequence[object] = ()) -> psycopg.Cursor[tuple[Any, ...]]:
        """Run a statement; outside a transaction, reconnect and retry if the connection broke."""
        with translate_errors():
            outside = self.connection.info.transaction_status != TransactionStatus.INTRANS
            try:
                return self.connection.execute(sql, values, binary=True)
            except psycopg.OperationalError:
                if not (self.connection.closed and outside):
                    raise
            self.connection = self._connected()
            return self.connection.execute(sql, values, binary=True)


class PostgresStore(PostgresQueries, SqlStore):
    """A log open on the only connection that writes, which holds the casino's lock."""

    is_locked = False

    def try_lock(self) -> bool:
        """Acquire the casino's lock unless another casino has it; return True if it is held."""
        self.is_locked = next(self.rows(f"SELECT pg_try_advisory_lock({HOUSE_LOCK})"))[0]
        return self.is_locked

    def append(
        self, rows: Rows, meanwhile: Callable[[int], None], before_commit: Callable[[], None]
    ) -> None:
        """Store rows in one transaction; after an error, they may or may not be stored (L11)."""
        try:
            with self.connection.pipeline():
                self.execute("BEGIN")
                self.write(rows, meanwhile)
                before_commit()
                self.execute("COMMIT")
        except (psycopg.IntegrityError, psycopg.DataError) as error:
            self.connection.execute("ROLLBACK")
            raise _refusal(error) from error
        except psycopg.Error as error:
            raise StorageError(error_text(error), in_doubt=True) from error

    def execute(self, sql: str, values: Sequence[object] = ()) -> None:
        """Execute a statement that returns no rows."""
        self.connection.execute(sql.replace("?", "%b"), values, prepare=True)

    def save_people(self, rows: PeopleRows) -> None:
        """Store or delete values about people's accounts in a separate transaction."""
        with translate_errors(), self.connection.transaction():
            for key, value in rows.items():
                self.execute("DELETE FROM people WHERE kind = ? AND name = ?", key)
                if value is not None:
                    self.execute("INSERT INTO people VALUES (?, ?, ?)", (*key, value))

    def check(self) -> None:
        """Raise `FileError` if the server's settings allow it to lose commits."""
        sql = "SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit')"
        if "off" in dict(self.rows(sql)).values():
            raise FileError(
                "fsync or synchronous_commit is off on the server, which could lose"
                " acknowledged bets: turn both on"
            )

    def _execute(self, sql: str, values: Sequence[object] = ()) -> psycopg.Cursor[tuple[Any, ...]]:
        """Run a statement; never reconnect while the lock is held, because that would lose it."""
        if not self.is_locked:
            return super()._execute(sql, values)
        with translate_errors():
            return self.connection.execute(sql, values, binary=True)
