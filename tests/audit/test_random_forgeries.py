"""Random composite forgeries of a file and of an export, with and without the casino's key."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from casino.audit import FileSource, audit
from tests.audit.forgeries import ELSEWHERE, FOUND, HARMLESS, REFUSED, forge
from tests.audit.test_tampering import without_guards

COUNT = 120


def test_random_forgeries_are_found_or_harmless() -> None:
    found = forge(COUNT)
    assert found.keys() == {FOUND, REFUSED, ELSEWHERE, HARMLESS}
    assert found[FOUND] + found[REFUSED] + found[ELSEWHERE] > COUNT * 4 // 5


def test_value_of_wrong_column_type_is_a_finding(db_file: Path) -> None:
    def spoil(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA writable_schema = ON")
        sql = "UPDATE sqlite_master SET sql = replace(sql, 'STRICT, ', '') WHERE name = 'command'"
        assert connection.execute(sql).rowcount == 1
        connection.execute("PRAGMA writable_schema = RESET")
        connection.execute("UPDATE command SET id = CAST(id AS BLOB)")

    without_guards(db_file, spoil)
    report = audit(FileSource(db_file), workers=1)
    assert any(one.check == "file" for one in report.findings)
