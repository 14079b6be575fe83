"""Integrity checks of a SQLite file, which an audit runs in parallel."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from casino.ledger.storage import schema, sqlite
from casino.ledger.tlog.merkle import TILE

_MOST: Final = 20  # maximum faults that one query reports


class FsckFault(NamedTuple):
    """A fault found by a check, with its leaf or entry if known."""

    check: str
    text: str
    leaf: int | None = None
    entry: int | None = None


# A check bound to its store; it can be pickled.
StoreCheck: TypeAlias = Callable[[], list[FsckFault]]

FileCheck: TypeAlias = Callable[[sqlite3.Connection], Iterator[FsckFault]]


def run_check(path: Path, check: FileCheck) -> list[FsckFault]:
    """Run one check on a snapshot; report an unreadable file as a fault."""
    connection = sqlite.open_reader(path)
    try:
        connection.execute("BEGIN")
        return list(check(connection))
    except sqlite.BROKEN_FILE as error:
        return [FsckFault("file", f"it cannot be read to its end: {error}")]
    finally:
        connection.close()


def check_pages(connection: sqlite3.Connection) -> Iterator[FsckFault]:
    """Check pages, rows and indexes with SQLite's `integrity_check`."""
    for (text,) in connection.execute(f"PRAGMA integrity_check({_MOST})"):
        if text != "ok":
            yield FsckFault("file", text)


def check_references(connection: sqlite3.Connection) -> Iterator[FsckFault]:
    """Check that foreign keys point to existing rows."""
    for table, _, parent, _ in connection.execute("PRAGMA foreign_key_check").fetchmany(_MOST):
        yield FsckFault("file", f"a row of {table} refers to a row of {parent} that is not there")


def check_schema(connection: sqlite3.Connection) -> Iterator[FsckFault]:
    """Check that tables, indexes, triggers and views are exactly those this program creates."""
    sql = "SELECT type, name, sql FROM sqlite_master"
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as fresh:
        for statement in sqlite.split_statements(schema.statements()):
            fresh.execute(statement)
        expected, actual = set(fresh.execute(sql)) | schema.rows(), set(connection.execute(sql))
    for kind, name, _ in sorted(expected ^ actual):
        yield FsckFault("file", f"{kind} {name} is not as this program makes it")


def check_counts(connection: sqlite3.Connection) -> Iterator[FsckFault]:
    """Check numbering, leftover postings, empty accounts, and sizes of tree and checkpoints."""
    for table, first in (("leaf", 0), ("entry", 1)):
        # Separate subqueries: SQLite looks up min() or max() in an index only if it is alone.
        count, least, most = connection.execute(
            f"SELECT (SELECT count(*) FROM {table} NOT INDEXED),"
            f" (SELECT coalesce(min(n), {first}) FROM {table}), (SELECT max(n) FROM {table})"
        ).fetchone()
        if count and (least != first or most != first + count - 1):
            yield FsckFault("tables", f"{table} has {count} rows, numbered {least} to {most}")
    for (entry,) in connection.execute("SELECT entry FROM posting LIMIT ?", (_MOST,)):
        yield FsckFault("tables", "a posting that has no entry", entry=entry)
    for (name,) in connection.execute("SELECT name FROM account WHERE balance = 0").fetchmany(
        _MOST
    ):
        yield FsckFault("balances", f"{name} is kept although it holds nothing")
    (size,) = connection.execute("SELECT count(*) FROM leaf").fetchone()
    expected = sum(size >> level for level in range(TILE, 64, TILE))
    (nodes,) = connection.execute("SELECT count(*) FROM node").fetchone()
    if nodes != expected:
        yield FsckFault("tree", f"{nodes} nodes are stored, {size} leaves make {expected}")
    sql = "SELECT size FROM checkpoint WHERE size > ?"
    for (signed,) in connection.execute(sql, (size,)):
        yield FsckFault("checkpoints", f"{signed} leaves were signed, the log has {size}", size)


# Slowest first, because they run in parallel.
FILE_CHECKS: Final = (check_pages, check_counts, check_references, check_schema)
