"""In-memory disk that fails on demand, used as the VFS of a second SQLite (apsw).

Writes reach the disk's cache at once and its surface only when synced; a power cut keeps any
part of the unsynced writes, with torn sectors. From a chosen operation on, writes or syncs fail,
the disk is full, or the power is off.
"""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import apsw

from casino.errors import CasinoError
from casino.ledger.storage import sqlite
from casino.ledger.storage.base import StorageError
from casino.ledger.storage.sqlite import SqliteStore

NAME = "casino.db"
SYNCHRONOUS = "FULL"
SECTOR = 512
_names = itertools.count()


class SimFile:
    def __init__(self) -> None:
        self.cache = bytearray()
        self.surface = bytearray()
        self.pending: list[tuple[int, bytes | None]] = []

    def write(self, data: bytes, offset: int) -> None:
        _put(self.cache, data, offset)
        self.pending.append((offset, data))

    def truncate(self, size: int) -> None:
        del self.cache[size:]
        self.pending.append((size, None))

    def sync(self) -> None:
        for offset, data in self.pending:
            if data is None:
                del self.surface[offset:]
            else:
                _put(self.surface, data, offset)
        self.pending.clear()

    def cut(self, random: Random) -> None:
        kept = bytearray(self.surface)
        for offset, data in self.pending[: random.randrange(len(self.pending) + 1)]:
            if data is None:
                del kept[offset:]
            elif random.randrange(4):
                whole = random.randrange(len(data) // SECTOR + 1) * SECTOR
                part = data if random.randrange(3) else data[:whole]
                _put(kept, part, offset)
        self.cache, self.surface = kept, bytearray(kept)
        self.pending.clear()


class Disk(apsw.VFS):
    """The disk of one run of the casino; `on_power_cut` is called when the power goes.

    `plan` sets which operation fails, counted from that call, and how.
    """

    def __init__(self, on_power_cut: Callable[[], None]) -> None:
        self.on_power_cut = on_power_cut
        self.connection: Connection | None = None
        self.is_dead = False
        self.fails_once = False
        self.name = f"sim{next(_names)}"
        self.files: dict[str, SimFile] = {}
        self.countdown = -1
        self.kind = ""
        self.failing = False
        super().__init__(self.name, base="")

    def plan(self, operations: int, kind: str) -> None:
        self.countdown, self.kind, self.failing = operations, kind, False

    def mend(self) -> None:
        """End a fault, unless the process that uses the disk is gone."""
        if not self.is_dead:
            self.countdown, self.failing = -1, False

    def die(self) -> None:
        """Fail from now on: the process that uses it is gone."""
        self.is_dead, self.connection = True, None
        self.plan(0, "power")

    def survivors(self, rng: Random, on_power_cut: Callable[[], None], *, power: bool) -> Disk:
        """Return the disk as the next start finds it; this one has died, and writes no more."""
        after = Disk(on_power_cut)
        after.files = self.files
        for file in after.files.values() if power else ():
            file.cut(rng)
        return after

    def operate(self, kind: str) -> None:
        """Count an operation; none follows a power cut."""
        if self.countdown == 0:
            self.failing = True
        elif self.countdown > 0:
            self.countdown -= 1
        if not self.failing:
            return
        if self.kind == "power":
            if not self.is_dead:
                self.is_dead = True
                self.on_power_cut()
        elif self.kind != kind and (self.kind, kind) != ("full", "write"):
            return
        elif self.fails_once:
            self.mend()
        if self.kind == "full":
            raise apsw.FullError("simulated: the disk is full")
        raise apsw.IOError(f"simulated failure of {kind}")

    def open_store(self) -> SqliteStore:
        """Open the file as `sqlite.open_writer` opens a real one."""
        self.connection = None
        connection: Any = None
        try:
            connection = Connection(self, NAME)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"PRAGMA synchronous = {SYNCHRONOUS}")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA recursive_triggers = ON")
            # Short, as every open reads the write-ahead log, and files are opened often here.
            connection.execute("PRAGMA wal_autocheckpoint = 200")
            sqlite.make_tables(connection)
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        except (sqlite3.Error, CasinoError) as error:
            if connection is not None:
                with suppress(sqlite3.Error):
                    connection.close()
            raise StorageError(str(error)) from error
        self.connection = connection
        return SqliteStore(connection)

    def execute(self, sql: str, values: Any = ()) -> Rows:
        """Read through the writer's connection, as one file on this disk has only one."""
        if self.connection is None:
            raise sqlite3.OperationalError("simulated: the file is closed")
        return self.connection.execute(sql, values)

    def close(self) -> None:
        """Do nothing: the writer owns the connection."""

    def export(self, path: Path) -> None:
        """Write the file where real programs can read it."""
        for name, file in self.files.items():
            if not name.endswith("-shm"):
                path.with_name(path.name + name.removeprefix(NAME)).write_bytes(file.cache)

    def xOpen(self, name: Any, flags: list[int]) -> Any:  # noqa: N802
        self.operate("open")
        named = name.filename() if isinstance(name, apsw.URIFilename) else str(name)
        flags[1] = flags[0]
        return Handle(self, self.files.setdefault(named, SimFile()))

    def xDelete(self, filename: str, _syncdir: bool) -> None:  # noqa: N802
        self.operate("delete")
        self.files.pop(filename, None)

    def xAccess(self, pathname: str, _flags: int) -> bool:  # noqa: N802
        return pathname in self.files

    def xFullPathname(self, name: str) -> str:  # noqa: N802
        return name


class Handle:
    def __init__(self, disk: Disk, file: SimFile) -> None:
        self.disk = disk
        self.file = file

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        self.disk.operate("read")
        return bytes(self.file.cache[offset : offset + amount])

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self.disk.operate("write")
        self.file.write(bytes(data), offset)

    def xTruncate(self, size: int) -> None:  # noqa: N802
        self.disk.operate("write")
        self.file.truncate(size)

    def xSync(self, _flags: int) -> None:  # noqa: N802
        self.disk.operate("sync")
        self.file.sync()

    def xFileSize(self) -> int:  # noqa: N802
        return len(self.file.cache)

    def xSectorSize(self) -> int:  # noqa: N802
        return SECTOR

    def xClose(self, *_: object) -> bool:  # noqa: N802
        """Do nothing: there is no other process, and no special hardware."""
        return False

    xLock = xUnlock = xCheckReservedLock = xFileControl = xDeviceCharacteristics = xClose  # noqa: N815


class Rows(list[tuple[Any, ...]]):
    """Rows with the interface of a cursor."""

    def fetchone(self) -> tuple[Any, ...] | None:
        return self[0] if self else None

    def fetchall(self) -> list[tuple[Any, ...]]:
        return self


class Connection:
    """Connection to the second SQLite with the interface and errors of the first."""

    def __init__(self, disk: Disk, name: str) -> None:
        self.real = _translate(apsw.Connection, name, vfs=disk.name)
        self.execute("PRAGMA locking_mode = EXCLUSIVE")

    @property
    def in_transaction(self) -> bool:
        return bool(self.real.in_transaction)

    def execute(self, sql: str, values: Any = ()) -> Rows:
        rows: Rows = _translate(self.real.execute, sql, values)
        return rows

    executescript = execute

    def close(self) -> None:
        _translate(self.real.close, True)


def _translate(work: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    try:
        done = work(*arguments, **options)
        return Rows(done) if isinstance(done, apsw.Cursor) else done
    except apsw.ConstraintError as error:
        raise sqlite3.IntegrityError(str(error)) from error
    except apsw.Error as error:
        raise sqlite3.OperationalError(f"{type(error).__name__}: {error}") from error


def _put(target: bytearray, data: bytes, offset: int) -> None:
    if len(target) < offset:
        target.extend(bytes(offset - len(target)))
    target[offset : offset + len(data)] = data
