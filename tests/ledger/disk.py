"""In-memory disk that fails on demand, used as the VFS of a second SQLite (apsw).

Writes reach the disk's cache at once and its surface only when synced; a power cut keeps any
part of the unsynced writes, with torn sectors. From a chosen operation on, writes or syncs fail,
the disk is full, or the power is off.
"""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

import apsw

SECTOR = 512
KINDS = ("power", "write", "sync", "full")
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


class SimDisk(apsw.VFS):
    """The disk; `plan` sets which operation fails, counted from that call, and how."""

    def __init__(self) -> None:
        self.name = f"sim{next(_names)}"
        self.files: dict[str, SimFile] = {}
        self.countdown = -1
        self.kind = ""
        self.failing = False
        super().__init__(self.name, base="")

    def plan(self, operations: int, kind: str) -> None:
        self.countdown, self.kind, self.failing = operations, kind, False

    def repair(self) -> None:
        self.countdown, self.failing = -1, False

    def cut_power(self, random: Random) -> None:
        self.repair()
        for file in self.files.values():
            file.cut(random)

    def operate(self, kind: str) -> None:
        if self.countdown == 0:
            self.failing = True
        elif self.countdown > 0:
            self.countdown -= 1
        if not self.failing:
            return
        if self.kind == "power" or self.kind == kind:
            raise apsw.IOError(f"simulated failure of {kind}")
        if self.kind == "full" and kind == "write":
            raise apsw.FullError("simulated: the disk is full")

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
    def __init__(self, disk: SimDisk, file: SimFile) -> None:
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

    def xLock(self, _level: int) -> None:  # noqa: N802
        """Do nothing: there is no other process."""

    def xUnlock(self, _level: int) -> None:  # noqa: N802
        """Do nothing: there is no other process."""

    def xCheckReservedLock(self) -> bool:  # noqa: N802
        return False

    def xFileControl(self, _op: int, _pointer: int) -> bool:  # noqa: N802
        return False

    def xSectorSize(self) -> int:  # noqa: N802
        return SECTOR

    def xDeviceCharacteristics(self) -> int:  # noqa: N802
        return 0

    def xClose(self) -> None:  # noqa: N802
        """Do nothing."""


class Rows:
    def __init__(self, rows: list[tuple[Any, ...]]) -> None:
        self.rows = rows

    def fetchone(self) -> tuple[Any, ...] | None:
        return self.rows[0] if self.rows else None

    def fetchall(self) -> list[tuple[Any, ...]]:
        return self.rows

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.rows)


class Connection:
    """Connection to the second SQLite with the interface and errors of the first."""

    def __init__(self, disk: SimDisk, name: str) -> None:
        with _translated():
            self.real = apsw.Connection(name, vfs=disk.name)
        self.execute("PRAGMA locking_mode = EXCLUSIVE")

    @property
    def in_transaction(self) -> bool:
        return bool(self.real.in_transaction)

    def execute(self, sql: str, values: Any = ()) -> Rows:
        with _translated():
            return Rows(list(self.real.execute(sql, values)))

    def executemany(self, sql: str, rows: Iterable[Any]) -> None:
        with _translated():
            self.real.executemany(sql, rows)

    def close(self) -> None:
        with _translated():
            self.real.close(True)


class _translated:  # noqa: N801 - used as a word of the language
    def __enter__(self) -> None:
        """Nothing to do."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, apsw.ConstraintError):
            raise sqlite3.IntegrityError(str(error)) from error
        if isinstance(error, apsw.Error):
            raise sqlite3.OperationalError(f"{type(error).__name__}: {error}") from error


def _put(target: bytearray, data: bytes, offset: int) -> None:
    if len(target) < offset:
        target.extend(bytes(offset - len(target)))
    target[offset : offset + len(data)] = data
