"""Location of a log in a PostgreSQL database, with preparation, locking and standby.

The connection that writes also holds the advisory lock, so a casino whose connection was cut cannot
write after another has taken over. A standby updates its own `.checkpoint` as the log grows, so
that it does not take over a database that was reset to an older state (L14).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from select import poll
from typing import Final, NamedTuple

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from casino.errors import FileError, InputError
from casino.ledger import startup_checks
from casino.ledger.side_files import CasinoFiles, lock_file, write_private
from casino.ledger.storage import schema
from casino.ledger.storage.base import StorageError
from casino.ledger.storage.postgres import PostgresQueries, PostgresStore, connect, error_text
from casino.ledger.storage.schema import PeopleRows

_LOOKS_EVERY_MS: Final = 250  # how often a standby tries to take over, and reads the log

log = logging.getLogger(__name__)


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
            f"{self.path.name}.checkpoint",
            "bring back the server that has the newest log; or, if the log is still in a file,"
            " copy it with casino copy; or give an empty database and begin a new log with"
            " casino run --new, which moves the files next to it aside",
        )

    @property
    def settings(self) -> Mapping[str, str]:
        """Environment settings that select this database and its side files."""
        return {"CASINO_BANK_DB": str(self.path), "CASINO_BANK_URL": self.url}

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
            text = f"{self} cannot be used ({why}): start the server, or correct [bank] url"
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
        if newest is not None and newest.note != files.checkpoint_note():
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


def database_at(url: str, path: Path, *, waits: bool = False) -> PostgresLocation:
    """Return the location for a database URL; raise `InputError` if it is malformed."""
    without_password(url)
    return PostgresLocation(url, path, waits)


def without_password(url: str) -> str:
    """Return a database URL reduced to user, host, port and database name."""
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
                connection.execute(schema.postgres_statements())
            if house is not None:
                role = sql.Identifier(house).as_string(connection)
                connection.execute(schema.postgres_grants(role))
    except psycopg.Error as error:
        raise InputError(
            f"cannot prepare {without_password(url)} ({error_text(error)}):"
            " fix that, and run casino prepare again as the database's owner"
        ) from None
