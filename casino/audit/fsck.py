"""Integrity checks of a store, which an audit runs in parallel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from typing import Any, Final, TypeAlias

from casino.audit.report import Finding
from casino.ledger.log_reader import LogReader
from casino.ledger.storage import schema
from casino.ledger.storage.base import StorageError
from casino.ledger.tlog import TILE

_MAX_FAULTS: Final = 20  # maximum faults that one query reports


StoreCheck: TypeAlias = Callable[[LogReader], Iterator[Finding]]


def check_counts(store: LogReader) -> Iterator[Finding]:
    """Check the number of tree nodes, and that no checkpoint signs more leaves than there are."""
    size = store.number("SELECT count(*) FROM leaf")
    expected = sum(size >> level for level in range(TILE, 64, TILE))
    nodes = store.number("SELECT count(*) FROM node")
    if nodes != expected:
        yield Finding("tree", f"{nodes} nodes are stored, {size} leaves make {expected}")
    for (signed,) in store.rows("SELECT size FROM checkpoint WHERE size > ? LIMIT 20", (size,)):
        yield Finding("checkpoints", f"{signed} leaves were signed, the log has {size}", size)


def check_pages(store: LogReader) -> Iterator[Finding]:
    """Check pages, rows, constraints and indexes with SQLite's `integrity_check`."""
    try:
        texts = list(store.rows(f"PRAGMA integrity_check({_MAX_FAULTS})"))
    except StorageError:
        # The check fails at a damaged page, and Python drops the row before a failure, which names
        # the page. With a limit of one row, the check ends before it fails.
        texts = list(store.rows("PRAGMA integrity_check(1)"))
    for (text,) in texts:
        if text != "ok":
            yield Finding("file", text.removeprefix("*** in database main ***\n"))


def check_file_schema(store: LogReader) -> Iterator[Finding]:
    """Check that a file's tables, indexes, triggers and views are those this program creates."""
    yield from _differences(schema.sqlite_rows(), set(store.rows(schema.SQLITE_ROWS)))


def check_database_schema(store: LogReader) -> Iterator[Finding]:
    """Check that triggers and functions are those this program creates, with triggers enabled."""
    expected = {
        (
            "trigger",
            f"{table}_stays",
            f"CREATE TRIGGER {table}_stays BEFORE DELETE OR UPDATE OR TRUNCATE ON casino.{table}"
            " FOR EACH STATEMENT EXECUTE FUNCTION casino.refuse() A",
        )
        for table in schema.APPEND_ONLY
    }
    expected |= {("function", name, body) for name, (_, body) in schema.POSTGRES_FUNCTIONS.items()}
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
    yield from _differences(expected, actual)


def _differences(expected: Set[Any], actual: Set[Any]) -> Iterator[Finding]:
    there = {row[:2] for row in actual}
    for kind, name in sorted({row[:2] for row in expected ^ actual}):
        fault = "not as this program makes it" if (kind, name) in there else "missing"
        yield Finding("file", f"{kind} {name} is {fault}")


# Slowest first, because they run in parallel.
FILE_CHECKS: Final = (check_pages, check_counts, check_file_schema)
DATABASE_CHECKS: Final = (check_counts, check_database_schema)
