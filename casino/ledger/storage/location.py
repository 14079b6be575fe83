"""Location of a casino's log: a SQLite file or a PostgreSQL database.

A location hides the differences between backends before a store is opened. The keys and the
newest checkpoint are always local files, named after its `path` (see `side_files`).
"""

from __future__ import annotations

from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from casino.errors import FileError
from casino.ledger import startup_checks
from casino.ledger.side_files import CasinoFiles, lock_file, make_private
from casino.ledger.storage import sqlite
from casino.ledger.storage.base import PeopleRows
from casino.ledger.storage.sqlite import SqliteQueries, SqliteStore

if TYPE_CHECKING:
    from casino.ledger.storage.postgres import PostgresLocation, PostgresQueries


class SqliteLocation(NamedTuple):
    """A log in a SQLite file."""

    path: Path
    url: str = ""  # a database has one

    @property
    def label(self) -> startup_checks.LogLabel:
        """The file's name for error messages."""
        return startup_checks.LogLabel(self.path.name)

    def exists(self) -> bool:
        """Return True if the file exists."""
        return self.path.exists()

    def check_not_rolled_back(self, *, former: bool = False) -> None:
        """Raise `FileError` if the log lacks published leaves; change no file (L14)."""
        files = CasinoFiles(self.path)
        try:
            with closing(self.open_queries(former=former)) as store, store.snapshot():
                startup_checks.check_not_rolled_back(store, self.label, files)
        except sqlite.MissingLogError:
            startup_checks.check_not_lost(self.label, files, files.journals)
            # A crash at the first start leaves an empty file with a key.
            if self.path.exists() and not files.key.exists():
                raise

    def open_queries(self, *, former: bool = False) -> SqliteQueries:
        """Open the file on its own read-only connection; `former` accepts the previous format."""
        return SqliteQueries(sqlite.open_reader(self.path, former=former), self.path)

    def open_to_copy(self) -> SqliteQueries:
        """Open a file in the current or previous format to copy it, unless it was rolled back."""
        self.check_not_rolled_back(former=True)
        return self.open_queries(former=True)

    def reopen_store(self) -> SqliteStore:
        """Open the file for writing, after restricting it to its owner."""
        make_private(self.path)
        self.path.chmod(0o600)
        return SqliteStore(sqlite.open_writer(self.path), self.path)

    def open_store_at_start(self) -> SqliteStore:
        """Open the file for writing, unless it is a backup; callers hold `lock`."""
        if self.path.exists() and sqlite.is_backup(self.path):
            raise FileError(
                f"{self.path} is a backup, and its log may have gone on elsewhere: restore it to"
                " another file with casino restore"
            )
        return self.reopen_store()

    def save_people(self, rows: PeopleRows) -> None:
        """Store values about people's accounts, or delete empty ones, on a separate connection."""
        with closing(SqliteStore(sqlite.open_existing(self.path))) as store:
            store.save_people(rows)

    def move_aside(self) -> list[Path]:
        """Move the file and its side files aside; return their new paths."""
        return CasinoFiles(self.path).move_aside()

    def lock(self) -> AbstractContextManager[None]:
        """Lock the file for writing; raise `FileError` if another program has the lock."""
        # Resolve symbolic links, so that a file has one lock under all its paths.
        refusal = f"{self.path} is in use: stop the casino that uses it"
        return lock_file(self.path.resolve(), refusal)

    def size_bytes(self) -> int:
        """Return the size of the file."""
        return self.path.stat().st_size

    def __str__(self) -> str:
        return str(self.path)


# The location of a log; it is hashable and can be pickled.
LogLocation: TypeAlias = "SqliteLocation | PostgresLocation"


def location_at(path: Path, url: str = "", *, waits: bool = False) -> LogLocation:
    """Return the database at `url`, for which a standby `waits`, or the file at `path`."""
    if not url:
        if path.exists() and not path.is_file():
            raise FileError(f"{path} is not a file: give the casino's file with --db")
        return SqliteLocation(path)
    # Imported here because psycopg is an optional dependency.
    from casino.ledger.storage.postgres import PostgresLocation, without_password

    without_password(url)  # raises `InputError` if the URL is malformed
    return PostgresLocation(url, path, waits)


def is_address(text: str) -> bool:
    """Return True if a text is a database URL rather than a file path."""
    return text.startswith(("postgresql://", "postgres://"))


def open_log(where: Path | LogLocation) -> SqliteQueries | PostgresQueries:
    """Open a casino's log read-only."""
    return as_location(where).open_queries()


def as_location(where: Path | LogLocation) -> LogLocation:
    """Convert a path to the location of a SQLite file; return a location unchanged."""
    return SqliteLocation(where) if isinstance(where, Path) else where
