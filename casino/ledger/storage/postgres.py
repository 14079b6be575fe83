"""PostgreSQL backend, which stores the log in a database.

The statements of a group are sent in pipeline mode, which takes a single round trip. PostgreSQL's
errors are translated into those of `casino.ledger.storage.base`.

The connection that writes also holds the advisory lock, so a casino whose connection was cut cannot
write after another has taken over. A standby updates its own `.checkpoint` as the log grows, so
that it does not take over a database that was reset to an older state (L14).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from select import poll
from typing import Any, Final, NamedTuple, TypeAlias
from weakref import finalize

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import TransactionStatus
from psycopg.sql import Identifier
from psycopg.types.numeric import Int8BinaryDumper

from casino.errors import FileError, InputError, InvariantError
from casino.ledger import startup_checks
from casino.ledger.log_reader import LogReader
from casino.ledger.side_files import CasinoFiles, lock_file, read_note, write_private
from casino.ledger.storage.base import PeopleRows, StorageError
from casino.ledger.storage.schema import (
    POSTGRES,
    POSTGRES_FORMAT,
    postgres_grants,
    postgres_statements,
)
from casino.ledger.storage.store import SqlStore

log = logging.getLogger(__name__)

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
        version = _read_format(connection)
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


def _read_format(connection: Connection) -> int:
    try:
        version: int = next(connection.execute("SELECT casino.format()"))[0]
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        raise StorageError(error_text(error)) from error
    except psycopg.Error as error:
        text = f"{error_text(error)}: create the tables with casino prepare as the database's owner"
        raise FileError(f"this database has no casino: {text}") from None
    return version


def error_text(error: BaseException) -> str:
    """Return an error's primary message on one line."""
    message = error.diag.message_primary if isinstance(error, psycopg.Error) else None
    # libpq adds a question to the fault of a connection.
    text = message or str(error).removeprefix("connection failed: ").partition("\n\tIs the")[0]
    return " ".join(text.split()) or type(error).__name__


@contextmanager
def translate_errors() -> Iterator[None]:
    """Translate PostgreSQL's errors into those of `casino.ledger.storage.base`."""
    try:
        yield
    except (psycopg.IntegrityError, psycopg.DataError) as error:
        text = f"the database rejected an invalid row: {error_text(error)}"
        raise InvariantError(text) from error
    except psycopg.Error as error:
        raise StorageError(error_text(error)) from error


class PostgresQueries(LogReader):
    """Read access to a log through one connection, which is reopened if it breaks."""

    dialect = POSTGRES
    is_locked = False  # whether this connection holds the casino's lock

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
                # Never while the lock is held: a new connection would not have it.
                if self.is_locked or not (self.connection.closed and outside):
                    raise
            self.connection = self._connected()
            return self.connection.execute(sql, values, binary=True)


class PostgresStore(PostgresQueries, SqlStore):
    """A log open on the only connection that writes, which holds the casino's lock."""

    def try_lock(self) -> bool:
        """Acquire the casino's lock unless another casino has it; return True if it is held."""
        self.is_locked = next(self.rows(f"SELECT pg_try_advisory_lock({HOUSE_LOCK})"))[0]
        return self.is_locked

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Return a context that commits its statements together at the end."""
        try:
            with translate_errors(), self.connection.pipeline():
                self.execute("BEGIN")
                yield
                self.execute("COMMIT")
        except InvariantError:
            self.connection.execute("ROLLBACK")
            raise

    def execute(self, sql: str, values: Sequence[object] = ()) -> None:
        """Execute a statement that returns no rows."""
        self.connection.execute(sql.replace("?", "%b"), values, prepare=True)

    def save_people(self, rows: PeopleRows) -> None:
        """Store values about people's accounts, or delete empty ones, in one transaction."""
        with self.transaction():
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


_LOOKS_EVERY_MS: Final = 250  # how often a standby tries to take over, and reads the log


class PostgresLocation(NamedTuple):
    """A log in a database. If another casino has it open, opening fails, or blocks if `waits`."""

    url: str
    path: Path
    waits: bool = False

    @property
    def label(self) -> startup_checks.LogLabel:
        """How error messages name this log; the URL is shown without its password."""
        return startup_checks.LogLabel(
            str(self),
            "bring back the server that has the newest log; or, if the log is still in a file,"
            " copy it with casino copy; or give an empty database and begin a new log with"
            " casino run --new, which moves the files next to it aside",
        )

    def exists(self) -> bool:
        """Return True if the database already has a log."""
        with closing(self.open_queries()) as store:
            return store.size() > 0

    def check_not_rolled_back(self) -> None:
        """Raise `FileError` if the log lacks published leaves (L14)."""
        with closing(self.open_queries()) as store:
            self._require_promised(store)

    def _require_promised(self, store: PostgresQueries) -> None:
        with store.snapshot():
            startup_checks.check_not_rolled_back(store, self.label, CasinoFiles(self.path))

    def open_queries(self) -> PostgresQueries:
        """Open the log on its own read-only connection."""
        with self._reached():
            return PostgresQueries(lambda: connect(self.url, writes=False))

    def reopen_store(self) -> PostgresStore:
        """Open the log for writing; raise `StorageError` while another casino has the lock."""
        store = PostgresStore(lambda: connect(self.url, writes=True))
        if not store.try_lock():
            store.close()
            raise StorageError("another casino writes to this log")
        return store

    def open_to_copy(self) -> PostgresStore:
        """Open the log, locked so that no casino writes to it."""
        return self.open_store_at_start()

    def open_store_at_start(self) -> PostgresStore:
        """Open the log for writing; if another casino has it open, fail, or block if `waits`."""
        with self._reached():
            store = PostgresStore(lambda: connect(self.url, writes=True))
        try:
            if not store.try_lock():
                self._wait_for_lock(store)
            # Check only under the lock: another casino may have written until then.
            self._require_promised(store)
        except BaseException:
            store.close()
            raise
        return store

    @contextmanager
    def _reached(self) -> Iterator[None]:
        try:
            yield
        except StorageError as fault:
            why = error_text(fault.__cause__ or fault)
            text = f"{self} cannot be used ({why}): start the server, or correct the address"
            raise FileError(text) from None

    def _wait_for_lock(self, store: PostgresStore) -> None:
        """Wait for the lock, even while the server is down, and update the checkpoint file."""
        if not self.waits:
            raise FileError(f"{self} is in use: stop the casino that uses it")
        log.warning("another casino writes to %s: waiting to take over", self)
        while not store.is_locked:
            poll().poll(_LOOKS_EVERY_MS)
            with suppress(StorageError):  # the server may be down
                if not store.try_lock():
                    self._keep_up(store)
        log.warning("this casino takes over %s", self)

    def _keep_up(self, store: PostgresStore) -> None:
        """Update a standby's checkpoint file, unless the log was rolled back."""
        files = CasinoFiles(self.path)
        newest = store.signed_head()
        if newest is not None and newest.note != read_note(files.checkpoint):
            self._require_promised(store)
            write_private(files.checkpoint, newest.note)

    def save_people(self, rows: PeopleRows) -> None:
        """Store or delete values about people's accounts on a separate connection."""
        with closing(PostgresStore(lambda: connect(self.url, writes=True))) as store:
            store.save_people(rows)

    def move_aside(self) -> list[Path]:
        """Rename the log's side files; raise `FileError` if the database has a log."""
        if self.exists():
            raise FileError(
                f"{self} already has a log, which cannot be moved aside: give an empty database"
                " that casino prepare has set up"
            )
        return CasinoFiles(self.path).move_aside()

    def lock(self) -> AbstractContextManager[None]:
        """Lock the side files, so that no other program on this machine uses them."""
        refusal = f"{self.path} is in use: stop the casino that uses it"
        return lock_file(self.path, "" if self.waits else refusal)

    def size_bytes(self) -> int:
        """Return the size of the database; 0 while it cannot be reached."""
        try:
            with closing(self.open_queries()) as store:
                return store.number("SELECT pg_database_size(current_database())")
        except (FileError, StorageError):
            return 0

    def __str__(self) -> str:
        return without_password(self.url)


def without_password(url: str) -> str:
    """Return a database URL reduced to user, host, port and name, or raise `InputError`."""
    try:
        parameters = conninfo_to_dict(url)
    except psycopg.Error as error:
        text = f"this is not the address of a database ({error_text(error)})"
        raise InputError(f"{text}: write postgresql://USER@HOST/DATABASE") from None
    user = f"{parameters['user']}@" if parameters.get("user") else ""
    port = f":{parameters['port']}" if parameters.get("port") else ""
    host, name = (parameters.get(key) or "" for key in ("host", "dbname"))
    return f"postgresql://{user}{host}{port}/{name}"


def prepare(url: str, house: str | None) -> None:
    """Create the tables unless they exist, and grant the role `house` the rights it needs."""
    try:
        with psycopg.connect(url) as connection:
            made = "SELECT 1 FROM pg_namespace WHERE nspname = 'casino'"
            if connection.execute(made).fetchone() is None:
                connection.execute(postgres_statements())
            if house is not None:
                role = Identifier(house).as_string(connection)
                connection.execute(postgres_grants(role))
    except psycopg.Error as error:
        raise InputError(
            f"cannot prepare {without_password(url)} ({error_text(error)}):"
            " fix that, and run casino prepare again as the database's owner"
        ) from None
