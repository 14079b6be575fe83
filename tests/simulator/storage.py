"""The casino's file on an in-memory disk, and its state after a crash."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any, cast

from casino.ledger import side_files, startup_checks
from casino.ledger.storage.base import PeopleRows, StorageError
from casino.ledger.storage.location import SqliteLocation
from casino.ledger.storage.sqlite import SqliteQueries, SqliteStore
from tests.simulator.disk import NAME, Disk


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
                files = side_files.CasinoFiles(self.path)
                startup_checks.check_not_rolled_back(store, self.label, files)
            finally:
                store.close()

    def open_queries(self, *, former: bool = False) -> SqliteQueries:
        return SqliteQueries(cast("Any", self.disk))

    def open_store_at_start(self) -> SqliteStore:
        return self.disk.open_store()

    reopen_store = open_store_at_start

    def save_people(self, rows: PeopleRows) -> None:
        """Write through the writer's connection, in a transaction of its own."""
        execute = self.disk.execute
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
