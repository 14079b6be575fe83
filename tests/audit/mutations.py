"""Mutations of leaves, rows, files and export lines, for random forgeries."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, Final

import orjson

from casino.events.types import decode_or_none
from casino.ledger.entries import Entry

DB: Final = "casino.db"
OLD: Final = "old"
TABLES: Final = (
    "leaf", "node", "checkpoint", "newest", "account", "command", "subject", "secret",
    "about",
)  # fmt: skip


class Mutator:
    """Random choices of the mutations, and the folder of honest files."""

    def __init__(self, honest: Path, seed: int) -> None:
        self.honest = honest
        self.random = Random(seed)

    def pick(self, choices: Any) -> Any:
        return self.random.choice(list(choices))

    def flipped(self, data: bytes) -> bytes:
        if not data:
            return b"x"
        at = self.random.randrange(len(data))
        flipped = data[at] ^ 1 << self.random.randrange(8)
        return data[:at] + bytes([flipped]) + data[at + 1 :]

    def other(self, value: Any) -> Any:
        random = self.random
        if random.random() < 0.05:
            return self.pick([None, 0, -1, "x", "house", 2**53 - 1, "t1-000001"])
        if value is None or value == b"":
            return 1
        if isinstance(value, int):
            return value + self.pick([1, -1, 100, -100, 10**6, -value, 1 - value])
        if isinstance(value, bytes) and value:
            return self.flipped(value)
        if isinstance(value, str):
            if not value:
                return "x"
            at = random.randrange(len(value))
            return value[:at] + self.pick("0123456789abcHKxy") + value[at + 1 :]
        if isinstance(value, list) and value:
            return self.pick([value[:-1], [*value, value[-1]], value[::-1]])
        return value


# Mutations of leaves or of export lines: the list is changed in place.


def drop_item(hand: Mutator, items: list[Any]) -> None:
    if items:
        del items[hand.random.randrange(len(items))]


def repeat_item(hand: Mutator, items: list[Any]) -> None:
    if items:
        items.insert(hand.random.randrange(len(items) + 1), hand.pick(items))


def cut_off(hand: Mutator, items: list[Any]) -> None:
    del items[hand.random.randrange(len(items) + 1) :]


def change_line(hand: Mutator, lines: list[Any]) -> None:
    places = list(_places(lines))
    if places:
        holder, key = hand.pick(places)
        holder[key] = hand.other(holder[key])


LINE_MUTATIONS: Final = (drop_item, repeat_item, cut_off, change_line)


def edit_leaf(hand: Mutator, leaves: list[bytes]) -> None:
    if not leaves:
        return
    at = hand.random.randrange(len(leaves))
    try:
        leaf = orjson.loads(leaves[at])
    except orjson.JSONDecodeError:
        return
    change_line(hand, [leaf])
    leaves[at] = orjson.dumps(leaf, option=orjson.OPT_SORT_KEYS)


def drop_game(hand: Mutator, leaves: list[bytes]) -> None:
    game = b'"game":"t1-00000%d"' % hand.random.randrange(1, 4)
    leaves[:] = [leaf for leaf in leaves if game not in leaf]


def invent_leaf(hand: Mutator, leaves: list[bytes]) -> None:
    at = _time(leaves[-1]) if leaves else 0
    made = hand.pick(
        [
            {"type": "run_started"},
            {"type": "limit", "player": "mallory", "from": at, "limits": {"day_loss_cents": 5}},
            {"type": "entry", "entry": 10, "move": "grant", "reason": "refill",
             "postings": [["treasury", -500], ["wallet/mallory", 500]]},
            {"type": "entry", "entry": 10, "move": "hold", "game": "t1-000009",
             "postings": [["escrow/t1-000009/ann", 5], ["wallet/ann", -5]]},
        ]
    )  # fmt: skip
    body = orjson.dumps({**made, "at": at}, option=orjson.OPT_SORT_KEYS)
    leaves.insert(hand.pick([len(leaves), hand.random.randrange(len(leaves) + 1)]), body)


def swap_leaves(hand: Mutator, leaves: list[bytes]) -> None:
    if len(leaves) > 1:
        one, other = hand.random.sample(range(len(leaves)), 2)
        leaves[one], leaves[other] = leaves[other], leaves[one]


def flip_leaf(hand: Mutator, leaves: list[bytes]) -> None:
    if leaves:
        at = hand.random.randrange(len(leaves))
        leaves[at] = hand.flipped(leaves[at])


def renumber_entries(_: Mutator, leaves: list[bytes]) -> None:
    number = 0
    for at, body in enumerate(leaves):
        leaf = decode_or_none(body)
        if isinstance(leaf, Entry):
            number += 1
            fields = {**orjson.loads(body), "entry": number}
            leaves[at] = orjson.dumps(fields, option=orjson.OPT_SORT_KEYS)


LEAF_MUTATIONS: Final = (
    edit_leaf, edit_leaf, drop_item, drop_game, repeat_item, invent_leaf, swap_leaves, cut_off,
    flip_leaf, renumber_entries,
)  # fmt: skip


# Mutations of rows of any table.


def contents(connection: sqlite3.Connection, table: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    rows = connection.execute(f"SELECT {', '.join(columns)} FROM {table}").fetchall()
    return columns, rows


def execute(connection: sqlite3.Connection, sql: str, values: Iterable[Any] = ()) -> None:
    with suppress(sqlite3.Error):
        connection.execute(sql, tuple(values))


def where_is(columns: list[str]) -> str:
    return " WHERE " + " AND ".join(f"{column} IS ?" for column in columns)


def change_cell(hand: Mutator, connection: sqlite3.Connection) -> None:
    table = hand.pick(TABLES)
    columns, rows = contents(connection, table)
    if rows:
        row, at = hand.pick(rows), hand.random.randrange(len(columns))
        sql = f"UPDATE OR IGNORE {table} SET {columns[at]} = ?{where_is(columns)}"
        execute(connection, sql, (hand.other(row[at]), *row))


def drop_rows(hand: Mutator, connection: sqlite3.Connection) -> None:
    table = hand.pick(TABLES)
    if hand.random.random() < 0.1:
        connection.execute(f"DELETE FROM {table}")
        return
    columns, rows = contents(connection, table)
    if rows:
        connection.execute(f"DELETE FROM {table}{where_is(columns)}", hand.pick(rows))


def more_rows(hand: Mutator, connection: sqlite3.Connection) -> None:
    table = hand.pick(TABLES)
    columns, rows = contents(connection, table)
    if rows:
        row, at = list(hand.pick(rows)), hand.random.randrange(len(columns))
        row[at] = hand.other(row[at])
        marks = ", ".join("?" * len(row))
        execute(connection, f"INSERT OR IGNORE INTO {table} VALUES ({marks})", row)


def change_schema(hand: Mutator, connection: sqlite3.Connection) -> None:
    sql = hand.pick(
        ["CREATE TABLE more (a)", "CREATE INDEX more ON leaf (body)",
         "DROP INDEX leaf_owner", "CREATE VIEW leaves AS SELECT n FROM leaf"]
    )  # fmt: skip
    execute(connection, sql)


ROW_MUTATIONS: Final = (change_cell, change_cell, change_cell, drop_rows, more_rows, change_schema)


# Mutations of files.


def flip_file(hand: Mutator, place: Path) -> None:
    file = hand.pick(one for one in place.iterdir() if one.suffix != ".lock")
    file.write_bytes(hand.flipped(file.read_bytes()))


def cut_file(hand: Mutator, place: Path) -> None:
    file = hand.pick(place.iterdir())
    data = file.read_bytes()
    file.write_bytes(data[: hand.random.randrange(len(data) + 1)])


def lose_file(hand: Mutator, place: Path) -> None:
    hand.pick(one for one in place.iterdir() if one.name != DB).unlink()


def old_file(hand: Mutator, place: Path) -> None:
    files = list((hand.honest / OLD).iterdir())
    for file in files if hand.random.random() < 0.5 else [hand.pick(files)]:
        shutil.copy(file, place / file.name)


FILE_MUTATIONS: Final = (flip_file, flip_file, cut_file, lose_file, old_file)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the container and key of every nested value."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    for key in keys:
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])


def _time(body: bytes) -> int:
    leaf = decode_or_none(body)
    return 0 if leaf is None else leaf.at
