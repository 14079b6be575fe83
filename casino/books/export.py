"""The ledger and the log for other people's programs: beancount, hledger, csv, jsonl, egr.

In the books for accountants the postings come from the leaves of the log and the balance
assertions from the stored balances, so that these programs compare two sources. Everything is
written line by line, however long the log is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, cast

import orjson

from casino.bank import database
from casino.bank.eventlog import EventLog, StoredLeaf
from casino.bank.leaves import Entry, reader
from casino.books import accountancy


def export(path: Path, form: str) -> Iterator[str]:
    """The lines of an export of the casino's file, each with its end."""
    reader = database.open_reader(path)
    try:
        # Leaves and balances of one moment, while the casino goes on.
        reader.conn.execute("BEGIN")
        for line in FORMATS[form](reader.conn):
            yield line + "\n"
    finally:
        reader.close()


def beancount(connection: sqlite3.Connection) -> Iterator[str]:
    """A book that bean-check accepts."""
    return accountancy.beancount(_entries(connection), _balances(connection))


def hledger(connection: sqlite3.Connection) -> Iterator[str]:
    """A journal that hledger and ledger accept."""
    return accountancy.hledger(_entries(connection), _balances(connection))


def csv(connection: sqlite3.Connection) -> Iterator[str]:
    """One line for each posting."""
    yield "entry,leaf,at_ms,move,game,account,cents"
    for stored, leaf in _entry_leaves(connection):
        for account, cents in leaf["postings"]:
            fields = (leaf["entry"], stored.n, leaf["at"], leaf["move"], stored.game or "")
            yield ",".join([*map(str, fields), _quoted(account), str(cents)])


def jsonl(connection: sqlite3.Connection) -> Iterator[str]:
    """Every leaf as it was hashed, each checkpoint after the leaves it covers, the public key."""
    log = EventLog(connection)
    about = dict(connection.execute("SELECT name, value FROM about").fetchall())
    yield _json({"casino_log": 1, **about})
    checkpoints = log.checkpoints()
    due = next(checkpoints, None)
    for leaf in log.leaves():
        yield _json({"n": leaf.n, "leaf": bytes(leaf.body).decode()})
        while due is not None and due.size == leaf.n + 1:
            yield _json({"checkpoint": due.note})
            due = next(checkpoints, None)


def egr(connection: sqlite3.Connection) -> Iterator[str]:
    """The finished games as records with their fairness."""
    sql = "SELECT body FROM leaf WHERE type = 'game_over' ORDER BY n"
    for (body,) in connection.execute(sql):
        yield _json(orjson.loads(body)["record"])


FORMATS: Final[dict[str, Callable[[sqlite3.Connection], Iterator[str]]]] = {
    "beancount": beancount,
    "hledger": hledger,
    "csv": csv,
    "jsonl": jsonl,
    "egr": egr,
}


_read_entry: Final = cast("Callable[[bytes], Entry]", reader(Entry))


def _entries(connection: sqlite3.Connection) -> Iterator[Entry]:
    """The entries, as their leaves say them."""
    return (_read_entry(stored.body) for stored, _ in _entry_leaves(connection))


def _entry_leaves(connection: sqlite3.Connection) -> Iterator[tuple[StoredLeaf, dict[str, Any]]]:
    """The leaves of entries, stored and read."""
    for stored in EventLog(connection).leaves():
        if stored.kind == "entry":
            yield stored, orjson.loads(stored.body)


def _balances(connection: sqlite3.Connection) -> Iterator[tuple[str, int]]:
    """The stored balances."""
    return iter(connection.execute("SELECT name, balance FROM account ORDER BY name"))


def _quoted(text: str) -> str:
    """A text as a field of a CSV line."""
    return '"' + text.replace('"', '""') + '"' if set(text) & set(',"\r\n') else text


def _json(value: dict[str, Any]) -> str:
    """A JSON line."""
    return orjson.dumps(value).decode()
