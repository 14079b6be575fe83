"""Check a database itself: its schema and row counts.

An audit runs these checks in parallel, each on its own connection. Whether pages are whole is for
`pg_amcheck` and data checksums to say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from casino.ledger.storage.base import StorageError
from casino.ledger.storage.fsck import FsckFault
from casino.ledger.storage.postgres import PostgresQueries
from casino.ledger.storage.postgres_schema import FUNCTIONS, GUARDED
from casino.ledger.tlog.merkle import TILE

DatabaseCheck: TypeAlias = Callable[[PostgresQueries], Iterator[FsckFault]]


def run_check(reading: Callable[[], PostgresQueries], check: DatabaseCheck) -> list[FsckFault]:
    """Run one check on a snapshot."""
    store = reading()
    try:
        with store.snapshot():
            return list(check(store))
    except StorageError as fault:
        return [FsckFault("file", f"it cannot be read to its end: {fault}")]
    finally:
        store.close()


def check_schema(store: PostgresQueries) -> Iterator[FsckFault]:
    """Check that triggers and functions are those this program creates, and are enabled."""
    expected = {
        (
            "trigger",
            f"{table}_stays",
            f"CREATE TRIGGER {table}_stays BEFORE {events} ON casino.{table}"
            " FOR EACH STATEMENT EXECUTE FUNCTION casino.refuse() A",
        )
        for table, events in GUARDED.items()
    }
    expected |= {("function", name, body) for name, (_, body) in FUNCTIONS.items()}
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
    for kind, name in sorted({row[:2] for row in expected ^ actual}):
        yield FsckFault("file", f"{kind} {name} is not as this program makes it")


def check_counts(store: PostgresQueries) -> Iterator[FsckFault]:
    """Check that numbered rows have no gaps, and that the tree fits its leaves."""
    for table, first in (("leaf", 0), ("entry", 1)):
        sql = f"SELECT count(*), coalesce(min(n), {first}), coalesce(max(n), 0) FROM {table}"
        count, least, most = next(store.rows(sql))
        if count and (least != first or most != first + count - 1):
            yield FsckFault("tables", f"{table} has {count} rows, numbered {least} to {most}")
    size = store.number("SELECT count(*) FROM leaf")
    expected = sum(size >> level for level in range(TILE, 64, TILE))
    nodes = store.number("SELECT count(*) FROM node")
    if nodes != expected:
        yield FsckFault("tree", f"{nodes} nodes are stored, {size} leaves make {expected}")
    for (name,) in store.rows("SELECT name FROM account WHERE balance = 0 LIMIT 20"):
        yield FsckFault("balances", f"{name} is kept although it holds nothing")
    for (signed,) in store.rows("SELECT size FROM checkpoint WHERE size > ? LIMIT 20", (size,)):
        yield FsckFault("checkpoints", f"{signed} leaves were signed, the log has {size}", size)


DATABASE_CHECKS: Final = (check_counts, check_schema)  # the longest first
