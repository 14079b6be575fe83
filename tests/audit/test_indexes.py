"""A file whose indexes lie about the leaves is found, and named."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from casino.ledger.storage import schema
from casino.ledger.storage.base import INDEXED_TYPES
from tests.audit.test_tampering import audited, errors, without_guards

INDEXES = schema.SQLITE.fields._asdict()


@pytest.mark.parametrize("name", INDEXES)
@pytest.mark.parametrize("where", ["n % 2", "n > 400"])
def test_leaves_hidden_from_an_index_are_found(night_file: Path, name: str, where: str) -> None:
    """The schema says what it must, the index leaves rows out: the bets of a player, say."""

    def spoil(connection: sqlite3.Connection) -> None:
        sql = f"SELECT sql FROM sqlite_master WHERE name = 'leaf_{name}'"
        (honest,) = connection.execute(sql).fetchone()
        connection.execute(f"DROP INDEX leaf_{name}")
        connection.execute(f"{honest} AND {where}")
        connection.execute("PRAGMA writable_schema = ON")
        sql = f"UPDATE sqlite_master SET sql = ? WHERE name = 'leaf_{name}'"
        assert connection.execute(sql, (honest,)).rowcount == 1

    without_guards(night_file, spoil)
    assert any(f"missing from index leaf_{name}" in line for line in errors(audited(night_file)))


def test_rows_made_up_in_an_index_are_found(night_file: Path) -> None:
    def spoil(connection: sqlite3.Connection) -> None:
        sql = "SELECT sql FROM sqlite_master WHERE name = 'leaf_owner'"
        (honest,) = connection.execute(sql).fetchone()
        connection.execute("DROP INDEX leaf_owner")
        connection.execute("CREATE INDEX leaf_owner ON leaf (iif(n, 'ann', 'ann'))")
        connection.execute("PRAGMA writable_schema = ON")
        sql = "UPDATE sqlite_master SET sql = ? WHERE name = 'leaf_owner'"
        assert connection.execute(sql, (honest,)).rowcount == 1

    without_guards(night_file, spoil)
    assert any("leaf_owner" in line for line in errors(audited(night_file)))


def test_no_table_repeats_what_leaves_say(night_file: Path) -> None:
    connection = sqlite3.connect(night_file)
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    assert {name for (name,) in tables} == {
        "about", "account", "checkpoint", "command", "leaf", "newest", "node", "open_subject",
        "secret",
    }  # fmt: skip
    connection.close()


@pytest.mark.parametrize("kind", INDEXED_TYPES)
def test_leaves_of_a_type_are_looked_up_by_the_index(night_file: Path, kind: str) -> None:
    """So are those of a game and of a player: no query reads the log."""
    connection = sqlite3.connect(night_file)
    for name, field in INDEXES.items():
        sql = f"EXPLAIN QUERY PLAN SELECT body FROM leaf WHERE {field} = ? ORDER BY n"
        plan = connection.execute(sql, (kind,)).fetchall()
        assert f"USING INDEX leaf_{name} (<expr>=?)" in str(plan)
    connection.close()
