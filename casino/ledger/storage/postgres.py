"""PostgreSQL backend, which stores the log in a database.

A group is stored by one call of `append` (see `postgres_schema`), which takes a single round trip.
PostgreSQL's errors are translated into those of `casino.ledger.storage.base`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from typing import Any, Final, TypeAlias
from weakref import finalize

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.errors import LockNotAvailable
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import Int8BinaryDumper

from casino.errors import FileError
from casino.ledger.storage.base import StorageError, StorageRefusal
from casino.ledger.storage.fsck import FsckFault
from casino.ledger.storage.postgres_schema import (
    ARGUMENTS,
    FIELDS,
    FORMAT,
    FORMER_FORMAT,
    FUNCTIONS,
    GUARDED,
    HOUSE_LOCK,
)
from casino.ledger.storage.queries import SqlQueries
from casino.ledger.tlog.merkle import TILE
from casino.ledger.transaction import Rows

Connection: TypeAlias = "psycopg.Connection[tuple[Any, ...]]"

_APPEND: Final = "SELECT casino.append({})".format(
    ", ".join(f"%b::{argument.split()[1]}" for argument in ARGUMENTS.split(","))
)
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
    "tcp_keepalives_idle": 5,
    "tcp_keepalives_interval": 2,
    "tcp_keepalives_count": 2,
    "tcp_user_timeout": UNREACHED_SECONDS * 1000,
}


def connect(url: str, *, writes: bool, former: bool = False) -> Connection:
    """Open an autocommit connection; with `former`, also accept the previous format."""
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
        if version != FORMAT and not (former and version == FORMER_FORMAT):
            raise FileError(
                f"the database's format is {version}, and this program reads {FORMAT}: copy it from"
                " the former format with casino copy, else use the program that prepared it"
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
        text = f"{error_text(error)}: make the tables with casino prepare, as the database's owner"
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
        raise StorageRefusal(
            f"the database refused an impossible row: {error_text(error)}"
        ) from error
    except psycopg.Error as error:
        raise StorageError(error_text(error)) from error


class PostgresQueries(SqlQueries):
    """Read access to a log through one connection, which is reopened if it breaks."""

    fields = FIELDS

    def __init__(self, open_connection: Callable[[], Connection]) -> None:
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
        with translate_errors(), self._cursor(alone) as cursor:
            cursor.itersize = _FETCHED
            yield from cursor.execute(sql.replace("?", "%s"), values, binary=True)

    def _cursor(self, alone: bool) -> psycopg.ServerCursor[tuple[Any, ...]]:
        """Return a server-side cursor; WITH HOLD allows it outside a transaction."""
        return self.connection.cursor(f"many{next(self._cursors)}", withhold=alone)

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


class PostgresStore(PostgresQueries):
    """A log open on the only connection that writes, which holds the casino's lock."""

    is_locked = False

    def try_lock(self, wait_ms: int = 0) -> bool:
        """Wait up to `wait_ms` for the casino's lock; return True if acquired."""
        sql = f"SELECT pg_try_advisory_lock({HOUSE_LOCK})"
        if wait_ms:
            sql = f"SELECT set_config('lock_timeout', '{wait_ms}', false)"
            sql += f", pg_advisory_lock({HOUSE_LOCK}) IS NOT NULL"
        try:
            self.is_locked = next(self.rows(sql))[-1]
        except StorageError as fault:
            if not isinstance(fault.__cause__, LockNotAvailable):
                raise
        if self.is_locked:
            self._execute("RESET lock_timeout")  # it would apply to later statements, too
        return self.is_locked

    def append(
        self, rows: Rows, meanwhile: Callable[[int], None], before_commit: Callable[[], None]
    ) -> None:
        """Store rows with one call; after a database error, they may or may not be stored (L11)."""
        values = list(_columns(rows))
        before_commit()  # now, because the call below also commits
        try:
            self.connection.execute(_APPEND, values, prepare=True)
        except (psycopg.IntegrityError, psycopg.DataError) as error:
            text = f"the database refused an impossible row: {error_text(error)}"
            raise StorageRefusal(text) from error
        except psycopg.Error as error:
            raise StorageError(error_text(error), in_doubt=True) from error

    def store_identity(self, facts: Mapping[str, str]) -> None:
        """Store the log's name and key, which cannot be changed later."""
        with translate_errors(), self.connection.cursor() as cursor:
            sql = "INSERT INTO about (name, value) VALUES (%s, %s)"
            cursor.executemany(sql, list(facts.items()))

    def check(self) -> None:
        """Raise `FileError` if the server's settings allow it to lose commits."""
        sql = "SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit')"
        if "off" in dict(self.rows(sql)).values():
            raise FileError(
                "the server has fsync or synchronous_commit off, and would lose bets it has"
                " acknowledged: set both to on"
            )

    def flush_journal(self) -> None:
        """Do nothing, because the server manages its own write-ahead log."""

    def _execute(self, sql: str, values: Sequence[object] = ()) -> psycopg.Cursor[tuple[Any, ...]]:
        """Run a statement; never reconnect while the lock is held, because that would lose it."""
        if not self.is_locked:
            return super()._execute(sql, values)
        with translate_errors():
            return self.connection.execute(sql, values, binary=True)


def _columns(rows: Rows) -> Iterator[object]:
    yield rows.first
    yield list(rows.leaves)
    for table, width in (
        (rows.nodes, 3),
        (rows.postings, 3),
        (rows.entries, 2),
        (rows.commands, 5),
        ([(name,) for name in rows.begun], 1),
        ([(name,) for name in rows.ended], 1),
        (rows.secrets, 3),
        (rows.checkpoints, 2),
    ):
        # In the order of `append`'s parameters.
        yield from map(list, zip(*table, strict=True)) if table else ([] for _ in range(width))
    yield from rows.newest or (None, None, None)


DatabaseCheck: TypeAlias = Callable[[PostgresQueries], Iterator[FsckFault]]


def run_check(reading: Callable[[], PostgresQueries], check: DatabaseCheck) -> list[FsckFault]:
    """Run one check on a snapshot; report a failed read as a fault."""
    store = reading()
    try:
        with store.snapshot():
            return list(check(store))
    except StorageError as fault:
        return [FsckFault("file", f"it cannot be read to its end: {fault}")]
    finally:
        store.close()


def check_schema(store: PostgresQueries) -> Iterator[FsckFault]:
    """Check that triggers and functions are those this program creates, with triggers enabled."""
    expected = {
        (
            "trigger",
            f"{table}_stays",
            f"CREATE TRIGGER {table}_stays BEFORE {events} ON casino.{table}"
            " FOR EACH STATEMENT EXECUTE FUNCTION casino.refuse() A",
        )
        for table, events in GUARDED.items()
    }
    expected |= {("function", name, body) for name, (_, body) in FUNCTIONS.items()}
    triggers = """
        SELECT 'trigger', tgname::text,
            replace(pg_get_triggerdef(pg_trigger.oid), 'FUNCTION refuse', 'FUNCTION casino.refuse')
            || ' ' || tgenabled::text
        FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
        WHERE relnamespace = 'casino'::regnamespace AND NOT tgisinternal
    """
    functions = """
        SELECT 'function', proname::text, prosrc FROM pg_proc
        WHERE pronamespace = 'casino'::regnamespace
    """
    actual = {*store.rows(triggers), *store.rows(functions)}
    for kind, name in sorted({row[:2] for row in expected ^ actual}):
        yield FsckFault("file", f"{kind} {name} is not as this program makes it")


def check_counts(store: PostgresQueries) -> Iterator[FsckFault]:
    """Check numbering, empty accounts, and sizes of tree and checkpoints."""
    for table, first in (("leaf", 0), ("entry", 1)):
        sql = f"SELECT count(*), coalesce(min(n), {first}), coalesce(max(n), 0) FROM {table}"
        count, least, most = next(store.rows(sql))
        if count and (least != first or most != first + count - 1):
            yield FsckFault("tables", f"{table} has {count} rows, numbered {least} to {most}")
    size = store.number("SELECT count(*) FROM leaf")
    expected = sum(size >> level for level in range(TILE, 64, TILE))
    nodes = store.number("SELECT count(*) FROM node")
    if nodes != expected:
        yield FsckFault("tree", f"{nodes} nodes are stored, {size} leaves make {expected}")
    for (name,) in store.rows("SELECT name FROM account WHERE balance = 0 LIMIT 20"):
        yield FsckFault("balances", f"{name} is kept although it holds nothing")
    for (signed,) in store.rows("SELECT size FROM checkpoint WHERE size > ? LIMIT 20", (size,)):
        yield FsckFault("checkpoints", f"{signed} leaves were signed, the log has {size}", size)


DATABASE_CHECKS: Final = (check_counts, check_schema)  # slowest first
