"""The ledger and the log for other people's programs: beancount, hledger, csv, jsonl, egr.

In the books for accountants the postings come from the leaves of the log and the balance
assertions from the stored balances, so that these programs compare two sources. Everything is
written line by line, however long the log is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import orjson

from casino.bank import database
from casino.bank.eventlog import EventLog, StoredLeaf
from casino.bank.ledger import COMMISSION, HOUSE_BANK, TREASURY
from casino.books.calendar import DAY_MS, date_text
from casino.chips import chips

CHIP: Final = "CHIP"
_NAMED: Final = {
    TREASURY: "Equity:Treasury",
    HOUSE_BANK: "Assets:House:Bank",
    COMMISSION: "Assets:House:Commission",
}


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
    yield 'option "title" "The casino\'s ledger"'
    yield f'option "operating_currency" "{CHIP}"'
    yield f"2000-01-01 commodity {CHIP}"
    for name, _ in _balances(connection):
        yield f"2000-01-01 open {account_name(name)} {CHIP}"
    at = 0
    for leaf in _entries(connection):
        at = leaf["at"]
        yield ""
        yield f'{date_text(at)} * "{_title(leaf)}"'
        yield f"  entry: {leaf['entry']}"
        for account, cents in leaf["postings"]:
            yield f"  {account_name(account)}  {chips(cents)} {CHIP}"
    yield ""
    # Without a tolerance of its own a balance may be a cent off.
    day = date_text(at + DAY_MS)
    for name, cents in _balances(connection):
        yield f"{day} balance {account_name(name)}  {chips(cents)} ~ 0.001 {CHIP}"


def hledger(connection: sqlite3.Connection) -> Iterator[str]:
    """A journal that hledger and ledger accept."""
    yield f"commodity {CHIP}"
    yield f"    format 1000.00 {CHIP}"
    for name, _ in _balances(connection):
        yield f"account {account_name(name)}"
    at = 0
    for leaf in _entries(connection):
        at = leaf["at"]
        yield ""
        yield f"{date_text(at)} * ({leaf['entry']}) {_title(leaf)}"
        for account, cents in leaf["postings"]:
            yield f"    {account_name(account)}  {chips(cents)} {CHIP}"
    yield ""
    yield f"{date_text(at + DAY_MS)} * the balances as stored"
    for name, cents in _balances(connection):
        yield f"    {account_name(name)}  0.00 {CHIP} = {chips(cents)} {CHIP}"


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


def account_name(account: str) -> str:
    """An account's name as accountants' programs take it; different names stay different.

    >>> account_name("escrow/t1-000001/Zoë")
    'Assets:Escrow:Nt1-2d000001:NZo-c3-ab'
    """
    if account in _NAMED:
        return _NAMED[account]
    kind, *names = account.split("/")
    return ":".join(["Assets", kind.capitalize(), *map(_escaped, names)])


def _escaped(name: str) -> str:
    """A name of letters and digits only, every other byte written as - and two digits."""
    plain = (
        chr(byte) if chr(byte).isalnum() and byte < 128 else f"-{byte:02x}"
        for byte in name.encode()
    )
    return "N" + "".join(plain)


def _title(leaf: dict[str, Any]) -> str:
    """What an entry is, in words."""
    return " ".join(filter(None, [leaf["move"], leaf.get("game", "")]))


def _entries(connection: sqlite3.Connection) -> Iterator[dict[str, Any]]:
    """The entries, as their leaves say them."""
    return (leaf for _, leaf in _entry_leaves(connection))


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
