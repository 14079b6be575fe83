"""Where a casino's log is kept, before it is opened: in a file, or in a database.

A `LogLocation` answers all that differs between stores before one is opened. The keys and the
newest checkpoint are files on this machine in any case, named after its `path`: see `side_files`.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

from casino.errors import FileError
from casino.ledger import startup_checks
from casino.ledger.side_files import CasinoFiles, lock_file, make_private
from casino.ledger.storage import fsck, sqlite_connection
from casino.ledger.storage.base import LogQueries, Store
from casino.ledger.storage.fsck import FILE_CHECKS, StoreCheck
from casino.ledger.storage.sqlite import SqliteQueries, SqliteStore


class LogLocation(Hashable, Protocol):
    """Where a log is kept. It can be pickled, and used as a key."""

    @property
    def path(self) -> Path:
        """What the files beside the log are named after."""

    @property
    def named(self) -> startup_checks.LogLabel:
        """How errors call the log, and what they advise."""

    @property
    def settings(self) -> Mapping[str, str]:
        """The settings that name it, as another process finds them in its environment."""

    @property
    def checks(self) -> Sequence[StoreCheck]:
        """The checks of the store itself, the longest first; each can be pickled."""

    def exists(self) -> bool:
        """Whether a log was begun there."""

    def require_promised(self) -> None:
        """Refuse a log that is not all of what was promised, and leave all as it is (L14)."""

    def reading(self) -> LogQueries:
        """The log, to be read."""

    def begin(self) -> Store:
        """The log, to be written from a start on; it is made at the first one."""

    def store(self) -> Store:
        """The log, to be written again after a fault."""

    def waiting(self) -> LogLocation:
        """The same place for a house that waits, where that is possible, for another to end."""

    def move_aside(self) -> list[Path]:
        """Make room for a new log; what was moved, and where it lies now."""

    def alone(self) -> AbstractContextManager[None]:
        """Be the only program on this machine that writes there."""

    def size_bytes(self) -> int:
        """How much room it takes."""


class SqliteLocation(NamedTuple):
    """A SQLite file."""

    path: Path

    @property
    def named(self) -> startup_checks.LogLabel:
        """The file's name."""
        return startup_checks.LogLabel(self.path.name, f"{self.path.name}.checkpoint")

    @property
    def settings(self) -> Mapping[str, str]:
        """The file, and no database."""
        return {"CASINO_BANK_DB": str(self.path), "CASINO_BANK_URL": ""}

    @property
    def checks(self) -> Sequence[StoreCheck]:
        """What only a file can be asked."""
        return [partial(fsck.run_check, self.path, check) for check in FILE_CHECKS]

    def exists(self) -> bool:
        """Whether the file is there."""
        return self.path.exists()

    def require_promised(self) -> None:
        """Refuse files that are not all of the log promised, and leave them as they are."""
        files = CasinoFiles(self.path)
        files.require_promised()
        if not self.path.is_file() or not self.path.stat().st_size:
            return
        there = {journal for journal in files.journals if journal.exists()}
        try:
            store = self.reading()
            try:
                with store.moment():
                    startup_checks.check_promise(store, self.named, files.signed())
            finally:
                store.close()
        except sqlite_connection.MissingLogError:
            startup_checks.check_nothing_promised(self.named, files.signed())
        finally:
            # Reading makes journals of its own where there were none.
            for journal in set(files.journals) - there:
                journal.unlink(missing_ok=True)

    def reading(self) -> SqliteQueries:
        """The file on a connection of its own that only reads."""
        return SqliteQueries(sqlite_connection.read_only(self.path))

    def begin(self) -> SqliteStore:
        """The file on the connection that writes."""
        return self.store()

    def store(self) -> SqliteStore:
        """The file on the connection that writes."""
        make_private(self.path)
        self.path.chmod(0o600)
        return SqliteStore(sqlite_connection.open_writer(self.path))

    def waiting(self) -> SqliteLocation:
        """Nobody waits for a file: whoever has it is on this machine."""
        return self

    def move_aside(self) -> list[Path]:
        """Move the file and all beside it."""
        return CasinoFiles(self.path).move_aside()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Be the only program that writes the file; a second one is refused."""
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
        """The size of the file."""
        return self.path.stat().st_size

    def __str__(self) -> str:
        return str(self.path)


def place_at(path: Path, url: str = "") -> LogLocation:
    """A database, with its files beside a path, or, without an address, the file itself."""
    if not url:
        return SqliteLocation(path)
    from casino.ledger.storage.postgres_location import (
        database_at,  # only here: it comes with an extra
    )

    return database_at(url, path)


def is_address(text: str) -> bool:
    """Whether a text names a database and not a file."""
    return text.startswith(("postgresql://", "postgres://"))


def as_place(where: Path | LogLocation) -> LogLocation:
    """A place; a path is that of a file."""
    return SqliteLocation(where) if isinstance(where, Path) else where
