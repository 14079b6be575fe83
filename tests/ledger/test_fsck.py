"""What only the file can be asked: its counts, its pages, its guards."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from casino.ledger.storage import fsck
from casino.ledger.storage.base import StorageError
from casino.ledger.storage.location import SqliteLocation
from tests.audit.test_tampering import without_guards
from tests.ledger.left_open import nothing_left_open

SPOILT = {
    "leaf has": "DELETE FROM leaf WHERE n = 3",
    "nodes are stored": "INSERT INTO node VALUES (8, 900, zeroblob(32))",
    "leaves were signed": "INSERT INTO checkpoint VALUES (99999, 'x')",
}


@pytest.mark.parametrize("said", SPOILT)
def test_each_count_that_is_wrong_is_said(night_file: Path, said: str) -> None:
    assert fsck.run_check(SqliteLocation(night_file).open_queries, fsck.check_counts) == []

    def spoil(connection: sqlite3.Connection) -> None:
        connection.execute(SPOILT[said])

    without_guards(night_file, spoil)
    found = fsck.run_check(SqliteLocation(night_file).open_queries, fsck.check_counts)
    assert any(said in one.text for one in found), found


def test_a_guard_that_is_gone_or_other_is_said_by_name(night_file: Path) -> None:
    """A trigger, a table and an index, taken away, changed or added."""
    assert fsck.run_check(SqliteLocation(night_file).open_queries, fsck.check_file_schema) == []
    for spoilt, name in (
        ("DROP TRIGGER leaf_keeps", "trigger leaf_keeps"),
        ("CREATE TABLE more (a)", "table more"),
        ("DROP INDEX leaf_game", "index leaf_game"),
    ):
        connection = sqlite3.connect(night_file)
        connection.execute(spoilt)
        connection.commit()
        connection.close()
        found = fsck.run_check(SqliteLocation(night_file).open_queries, fsck.check_file_schema)
        assert any(one.text.startswith(name) for one in found), found


def test_guards_that_cannot_be_read_leave_nothing_open(night_file: Path) -> None:
    with nothing_left_open():
        store = SqliteLocation(night_file).open_queries()
        store.close()
        with pytest.raises(StorageError, match="closed"):
            list(fsck.check_file_schema(store))


def test_a_row_that_refers_to_nothing_is_said(night_file: Path) -> None:
    assert fsck.run_check(SqliteLocation(night_file).open_queries, fsck.check_references) == []

    def spoil(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("INSERT INTO command VALUES ('x', zeroblob(16), 99999, 0, x'7b7d')")

    without_guards(night_file, spoil)
    found = fsck.run_check(SqliteLocation(night_file).open_queries, fsck.check_references)
    assert [one.text for one in found] == [
        "a row of command refers to a row of leaf that is not there"
    ]
