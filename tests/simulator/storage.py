"""The casino's file on an in-memory disk (`tests.ledger.disk`), and its state after a crash."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any, cast

from casino.errors import CasinoError
from casino.ledger import side_files, startup_checks
from casino.ledger.storage import sqlite
from casino.ledger.storage.base import StorageError
from casino.ledger.storage.location import SqliteLocation
from casino.ledger.storage.schema import PeopleRows
from casino.ledger.storage.sqlite import SqliteQueries, SqliteStore
from tests.ledger.disk import Connection, SimDisk

NAME = "casino.db"
SYNCHRONOUS = "FULL"


class Disk(SimDisk):
    """The disk of one run of the casino; `on_power_cut` is called when the power goes."""

    def __init__(self, on_power_cut: Callable[[], None]) -> None:
        super().__init__()
        self.on_power_cut = on_power_cut
        self.connection: Connection | None = None
        self.is_dead = False
        self.fails_once = False

    def operate(self, kind: str) -> None:
        """Count an operation; none follows a power cut."""
        try:
            super().operate(kind)
        except Exception:
            if self.kind == "power" and not self.is_dead:
                self.is_dead = True
                self.on_power_cut()
            elif self.fails_once:
                self.repair()
            raise

    def mend(self) -> None:
        """End a fault, unless the process that uses the disk is gone."""
        if not self.is_dead:
            self.repair()

    def die(self) -> None:
        """Fail from now on: the process that uses it is gone."""
        self.is_dead = True
        self.plan(0, "power")

    def survivors(self, rng: Random, on_power_cut: Callable[[], None], *, power: bool) -> Disk:
        """Return the disk as the next start finds it."""
        after = Disk(on_power_cut)
        for name, file in self.files.items():
            copy = type(file)()
            copy.cache, copy.surface = bytearray(file.cache), bytearray(file.surface)
            copy.pending = list(file.pending)
            after.files[name] = copy
        if power:
            after.cut_power(rng)
        return after

    def open_store(self) -> SqliteStore:
        """Open the file as `sqlite.open_writer` opens a real one."""
        self.connection = None
        connection: Any = None
        try:
            connection = cast("Any", Connection(self, NAME))
            for pragma in (
                "journal_mode = WAL",
                f"synchronous = {SYNCHRONOUS}",
                "foreign_keys = ON",
            ):
                connection.execute(f"PRAGMA {pragma}")
            connection.execute("PRAGMA recursive_triggers = ON")
            sqlite.make_tables(connection)
            sqlite.make_durable(connection)
        except (sqlite3.Error, CasinoError) as error:
            if connection is not None:
                with suppress(sqlite3.Error):
                    connection.close()
            raise StorageError(str(error)) from error
        self.connection = connection
        return SqliteStore(connection)

    def export(self, path: Path) -> None:
        """Write the file where real programs can read it."""
        for name, file in self.files.items():
            if not name.endswith("-shm"):
                path.with_name(path.name + name.removeprefix(NAME)).write_bytes(file.cache)


class ReadingConnection:
    """Reads through the writer's connection, as one file on this disk has only one."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk

    def execute(self, sql: str, values: Any = ()) -> Any:
        if self._disk.connection is None:
            raise sqlite3.OperationalError("simulated: the file is closed")
        return self._disk.connection.execute(sql, values)

    def close(self) -> None:
        """Do nothing: the writer owns the connection."""


class Location(SqliteLocation):
    """A casino's file on a simulated disk; its side files are in a real folder."""

    disk: Disk

    def exists(self) -> bool:
        return NAME in self.disk.files

    def check_not_rolled_back(self, *, former: bool = False) -> None:
        """Refuse a log that lacks something published, as the real location does."""
        if self.exists():
            store = self.disk.open_store()
            try:
                note = side_files.CasinoFiles(self.path).checkpoint_note()
                startup_checks.check_not_rolled_back(store, self.label, note)
            finally:
                store.close()

    def open_queries(self, *, former: bool = False) -> SqliteQueries:
        return SqliteQueries(cast("Any", ReadingConnection(self.disk)))

    def open_store_at_start(self) -> SqliteStore:
        return self.disk.open_store()

    def reopen_store(self) -> SqliteStore:
        return self.disk.open_store()

    def save_people(self, rows: PeopleRows) -> None:
        """Write through the writer's connection, in a transaction of its own."""
        if self.disk.connection is None:
            raise StorageError("simulated: the file is closed")
        execute = self.disk.connection.execute
        try:
            execute("BEGIN IMMEDIATE")
            for key, value in rows.items():
                execute("DELETE FROM people WHERE kind = ? AND name = ?", key)
                if value is not None:
                    execute("INSERT INTO people VALUES (?, ?, ?)", (*key, value))
            execute("COMMIT")
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                execute("ROLLBACK")
            raise StorageError(str(error)) from error

    def size_bytes(self) -> int:
        return len(self.disk.files[NAME].cache)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Do nothing: only one process has this disk."""
        yield


def location(folder: Path, disk: Disk) -> Location:
    place = Location(folder / NAME)
    place.disk = disk
    return place


class SideFiles:
    """Remembers what of the side files has reached the disk."""

    def __init__(self) -> None:
        self._synced: dict[str, bytes] = {}
        self._write = side_files.write_private
        side_files.write_private = self._written

    def _written(self, path: Path, text: str | bytes) -> None:
        self._write(path, text)
        self._synced[path.name] = text.encode() if isinstance(text, str) else text

    def move(self, old: Path, new: Path, rng: Random, *, power: bool) -> None:
        """Copy what is left of them to the folder of the next run."""
        shutil.copytree(old, new)
        for name, data in self._synced.items():
            if power and (new / name).exists() and rng.random() < 0.5:
                (new / name).write_bytes(data)
