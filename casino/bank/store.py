"""The rows of the casino's file: the only SQL that writes, and the reads the writer needs."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Final

import orjson

from casino.bank.eventlog import EventLog
from casino.bank.ledger import Account
from casino.bank.merkle import frontier_of
from casino.bank.transaction import Answered, Group, State

_MOST_ROWS: Final = 128


def load(connection: sqlite3.Connection, now: int) -> State:
    """The writer's state as the file says it."""
    size = _number(connection, "SELECT coalesce(max(n) + 1, 0) FROM leaf")
    covered = _number(connection, "SELECT coalesce(max(size), 0) FROM checkpoint")
    return State(
        tree=frontier_of(size, EventLog(connection).subtree),
        entries=_number(connection, "SELECT coalesce(max(n), 0) FROM entry"),
        nodes=_number(connection, "SELECT coalesce(max(n) + 1, 0) FROM node"),
        commands=_number(connection, "SELECT coalesce(max(n), 0) FROM command"),
        at=_last_time(connection, size),
        covered=covered,
        checkpoint_at=now,
    )


def write(
    connection: sqlite3.Connection, group: Group, meanwhile: Callable[[int], None] = lambda _: None
) -> None:
    """Store a group's rows; the caller says BEGIN and COMMIT.

    Before each statement `meanwhile` is told how many rows it stores: as long as it runs, other
    threads can.
    """
    # sqlite3 binds a bytearray as it is; for plain bytes it looks for an adapter every time.
    leaves = [(*columns, bytearray(body)) for *columns, body in group.leaf_rows]
    commands = [
        (n, row.id, bytearray(row.content), row.leaf, bytearray(row.answer), bytearray(row.seal()))
        for n, row in enumerate(group.answered.values(), group.before.commands + 1)
    ]
    for table, rows in (
        ("leaf (n, type, game, player, body)", leaves),
        ("node (n, level, place, hash)", group.node_rows),
        ("posting (entry, account, cents)", group.posting_rows),
        ("entry (n, leaf, move, game, corrects)", group.entry_rows),
        ("command (n, id, content, leaf, answer, seal)", commands),
    ):
        _insert(connection, table, rows, meanwhile)
    for game, name, value in group.secrets:
        if name is None:
            connection.execute("DELETE FROM secret WHERE game = ?", (game,))
        else:
            row = (game, name, value)
            connection.execute("INSERT INTO secret (game, name, value) VALUES (?, ?, ?)", row)
    if group.note is not None:
        signed = (group.tree.size, group.note)
        connection.execute("INSERT INTO checkpoint (size, note) VALUES (?, ?)", signed)


def _insert(
    connection: sqlite3.Connection,
    table: str,
    rows: Sequence[Sequence[object]],
    meanwhile: Callable[[int], None],
) -> None:
    """Insert rows, as many at a time as the greatest power of two there are: few statements.

    Every statement run lets other threads in, so that many small ones would wait for them all.
    """
    marks = "(" + ",".join("?" * (table.count(",") + 1)) + ")"
    done = 0
    while done < len(rows):
        size = min(_MOST_ROWS, 1 << (len(rows) - done).bit_length() - 1)
        values = list(chain.from_iterable(rows[done : done + size]))
        meanwhile(size)
        connection.execute(f"INSERT INTO {table} VALUES {','.join([marks] * size)}", values)
        done += size


def is_stored(connection: sqlite3.Connection, group: Group) -> bool:
    """Whether a group whose COMMIT gave no clear answer is in the file after all (L11)."""
    if group.leaf_rows:
        number, *_, body = group.leaf_rows[-1]
        found = connection.execute("SELECT body FROM leaf WHERE n = ?", (number,)).fetchone()
        return found is not None and bytes(found[0]) == body
    if group.answered:
        last = next(reversed(group.answered))
        return answered(connection, [last]).get(last) == group.answered[last]
    return False


def answered(connection: sqlite3.Connection, commands: list[str]) -> dict[str, Answered]:
    """What commands were answered, those that were; one look for all of them."""
    # As many places as the next power of two: few texts, so that each is compiled once.
    places = 1 << (len(commands) - 1).bit_length()
    marks = ",".join("?" * places)
    sql = f"SELECT id, content, leaf, answer FROM command WHERE id IN ({marks})"
    rows = connection.execute(sql, commands + commands[:1] * (places - len(commands)))
    return {row[0]: Answered(*row) for row in rows}


def balance(connection: sqlite3.Connection, account: Account) -> int:
    """The stored balance of an account."""
    sql = "SELECT balance FROM account WHERE name = ?"
    row = connection.execute(sql, (account,)).fetchone()
    return 0 if row is None else row[0]


def balances_under(connection: sqlite3.Connection, prefix: str) -> dict[Account, int]:
    """The stored balances of all accounts whose names begin so; the prefix ends with a slash."""
    sql = "SELECT name, balance FROM account WHERE name > ? AND name < ?"
    return dict(connection.execute(sql, (prefix, prefix[:-1] + "0")).fetchall())


def wrong_balance(connection: sqlite3.Connection) -> Account | None:
    """An account whose stored balance is not the sum of its postings, if there is one."""
    sql = """
        SELECT name FROM account WHERE balance <>
        (SELECT coalesce(sum(cents), 0) FROM posting WHERE posting.account = name) LIMIT 1
    """
    row = connection.execute(sql).fetchone()
    return None if row is None else row[0]


def about(connection: sqlite3.Connection) -> dict[str, str]:
    """The name and the public key of the log."""
    return dict(connection.execute("SELECT name, value FROM about").fetchall())


def introduce(connection: sqlite3.Connection, facts: dict[str, str]) -> None:
    """Write down, once, whose log this is."""
    connection.executemany("INSERT INTO about (name, value) VALUES (?, ?)", facts.items())


def _last_time(connection: sqlite3.Connection, size: int) -> int:
    """When the last leaf was written, in milliseconds."""
    row = connection.execute("SELECT body FROM leaf WHERE n = ?", (size - 1,)).fetchone()
    return 0 if row is None else int(orjson.loads(row[0])["at"])


def _number(connection: sqlite3.Connection, sql: str) -> int:
    """The one number a query finds."""
    found: int = connection.execute(sql).fetchone()[0]
    return found
