"""Where a casino's log is kept, before it is opened: a file or a database.

A `LogLocation` answers everything that differs between backends before one is opened. The keys and
the newest checkpoint are always files on this machine, named after its `path`: see `side_files`.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

from casino.errors import FileError
from casino.ledger import startup_checks
from casino.ledger.side_files import CasinoFiles, lock_file, make_private
from casino.ledger.storage import fsck, sqlite
from casino.ledger.storage.base import LogQueries, Store
from casino.ledger.storage.fsck import FILE_CHECKS, StoreCheck
from casino.ledger.storage.sqlite import SqliteQueries, SqliteStore


class LogLocation(Hashable, Protocol):
    """Where a log is kept. It can be pickled, and used as a key."""

    @property
    def path(self) -> Path:
        """The path that the side files are named after."""

    @property
    def label(self) -> startup_checks.LogLabel:
        """How errors name the log, and what they advise."""

    @property
    def settings(self) -> Mapping[str, str]:
        """The settings that name it, for another process's environment."""

    @property
    def checks(self) -> Sequence[StoreCheck]:
        """The checks of the store itself, the longest first; each can be pickled."""

    def exists(self) -> bool:
        """Return True if a log was begun there."""

    def check_not_rolled_back(self) -> None:
        """Refuse a log that lacks something published, and leave everything as it is (L14)."""

    def open_queries(self) -> LogQueries:
        """Open the log for reading."""

    def open_to_copy(self) -> LogQueries:
        """Open the log for reading, in either format, and refuse it if it is rolled back."""

    def open_store_at_start(self) -> Store:
        """Open the log for writing at startup; create it the first time."""

    def reopen_store(self) -> Store:
        """Open the log for writing again after a fault."""

    def as_standby(self) -> LogLocation:
        """Return the same location for a standby that waits for the active casino to end."""

    def move_aside(self) -> list[Path]:
        """Make room for a new log; return the new paths of what was moved."""

    def lock(self) -> AbstractContextManager[None]:
        """Be the only program on this machine that writes there."""

    def size_bytes(self) -> int:
        """Return the size on disk."""


class SqliteLocation(NamedTuple):
    """A SQLite file."""

    path: Path

    @property
    def label(self) -> startup_checks.LogLabel:
        """The file's name."""
        return startup_checks.LogLabel(self.path.name, f"{self.path.name}.checkpoint")

    @property
    def settings(self) -> Mapping[str, str]:
        """The file, and no database."""
        return {"CASINO_BANK_DB": str(self.path), "CASINO_BANK_URL": ""}

    @property
    def checks(self) -> Sequence[StoreCheck]:
        """The checks of a SQLite file."""
        return [partial(fsck.run_check, self.path, check) for check in FILE_CHECKS]

    def exists(self) -> bool:
        """Return True if the file exists."""
        return self.path.exists()

    def check_not_rolled_back(self) -> None:
        """Refuse files that lack something published, and leave them as they are."""
        self._check_not_rolled_back(self.open_queries)

    def _check_not_rolled_back(self, open_queries: Callable[[], LogQueries]) -> None:
        files = CasinoFiles(self.path)
        files.check_not_lost()
        if not self.path.is_file() or not self.path.stat().st_size:
            return
        there = {journal for journal in files.journals if journal.exists()}
        try:
            store = open_queries()
            try:
                with store.snapshot():
                    startup_checks.check_not_rolled_back(store, self.label, files.checkpoint_note())
            finally:
                store.close()
        except sqlite.MissingLogError:
            startup_checks.check_not_emptied(self.label, files.checkpoint_note())
        finally:
            # Reading makes journals of its own where there were none.
            for journal in set(files.journals) - there:
                journal.unlink(missing_ok=True)

    def open_queries(self) -> SqliteQueries:
        """Open the file on its own read-only connection."""
        return SqliteQueries(sqlite.open_reader(self.path))

    def open_to_copy(self) -> SqliteQueries:
        """Open the file for reading, in either format, once it is found to lack nothing."""
        self._check_not_rolled_back(self._open_either_format)
        return self._open_either_format()

    def _open_either_format(self) -> SqliteQueries:
        queries = SqliteQueries(sqlite.open_reader(self.path, former=True))
        version = queries.number("PRAGMA user_version")
        queries.is_former = version == sqlite.FORMER_FORMAT
        return queries

    def open_store_at_start(self) -> SqliteStore:
        """Open the file on the connection that writes."""
        return self.reopen_store()

    def reopen_store(self) -> SqliteStore:
        """Open the file on the connection that writes."""
        make_private(self.path)
        self.path.chmod(0o600)
        return SqliteStore(sqlite.open_writer(self.path))

    def as_standby(self) -> SqliteLocation:
        """Return itself: a file has no standby, as only one machine has it."""
        return self

    def move_aside(self) -> list[Path]:
        """Move the file and its side files."""
        return CasinoFiles(self.path).move_aside()

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the file for writing; a second program is refused."""
        is_other = self.path.exists() and not self.path.is_file()
        if is_other or not self.path.absolute().parent.is_dir():
            raise FileError(
                f"{self.path} is not a valid file path: name the casino's file with --db"
            )
        # By whatever links it is reached, the file itself has one lock.
        with os.fdopen(lock_file(self.path.resolve()), "w") as lock:
            try:
                # Not flock: what is killed must not leave the lock to a process it has forked.
                fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                text = f"{self.path} is open already: stop the casino that writes it"
                raise FileError(text) from None
            yield

    def size_bytes(self) -> int:
        """Return the size of the file."""
        return self.path.stat().st_size

    def __str__(self) -> str:
        return str(self.path)


def location_at(path: Path, url: str = "") -> LogLocation:
    """Return a database with its side files at a path or, without an address, the file itself."""
    if not url:
        return SqliteLocation(path)
    from casino.ledger.storage.postgres_location import (
        database_at,  # only here: it comes with an extra
    )

    return database_at(url, path)


def is_address(text: str) -> bool:
    """Return True if a text names a database and not a file."""
    return text.startswith(("postgresql://", "postgres://"))


def as_location(where: Path | LogLocation) -> LogLocation:
    """Return a location; a path is that of a file."""
    return SqliteLocation(where) if isinstance(where, Path) else where
