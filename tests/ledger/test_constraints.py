"""Where a cent may move, and what the file itself refuses."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from casino.audit.checks.ledger import is_valid_name
from casino.betting import MoneyMove
from casino.errors import FileError, InvariantError, Refused
from casino.ledger.accounts import Balances, check_name, escrow_entry
from casino.ledger.entries import MAX_INT
from casino.ledger.storage import sqlite

GAME = "t1-000001"


def move(kind: str, *postings: tuple[str, str, int]) -> MoneyMove:
    return MoneyMove(kind, postings)


@pytest.mark.parametrize(
    "wrong",
    [
        move("hold", ("wallet", "ann", -3), ("escrow", "ann", 2)),
        move("hold", ("wallet", "ann", -3)),
        move("hold"),
        move("hold", ("escrow", "ann", -3), ("wallet", "ann", 3)),
        move("hold", ("wallet", "ann", -3), ("commission", "house", 3)),
        move("release", ("wallet", "ann", -3), ("escrow", "ann", 3)),
        move("release", ("escrow", "ann", -3), ("commission", "house", 3)),
        move("settle", ("wallet", "ann", -3), ("wallet", "ben", 3)),
        move("settle", ("bank", "house", -3), ("wallet", "ben", 3)),
        move("void", ("escrow", "ann", -3), ("commission", "house", 3)),
        move("hold", ("wallet", "ann", -MAX_INT - 1), ("escrow", "ann", MAX_INT + 1)),
    ],
)
def test_l3_invalid_move_is_an_invariant_error(wrong: MoneyMove) -> None:
    with pytest.raises(InvariantError):
        escrow_entry(GAME, *wrong)


def test_l4_entry_is_posted_atomically() -> None:
    balances = Balances({"wallet/ann": 10, "wallet/ben": 1}.get)
    both = move(
        "hold",
        ("wallet", "ann", -10), ("escrow", "ann", 10), ("wallet", "ben", -2), ("escrow", "ben", 2),
    )  # fmt: skip
    with pytest.raises(Refused, match=r"wallet/ben holds 0\.01 chips") as refusal:
        balances.post(escrow_entry(GAME, *both))
    assert refusal.value.code == "insufficient_chips"
    assert balances.changed == {}
    with pytest.raises(InvariantError):
        balances.post(escrow_entry(GAME, *move("void", ("escrow", "x", -1), ("wallet", "x", 1))))


@pytest.mark.parametrize("name", ["ann", "a" * 40, "Аня*", *"\U0001fae8\U0001cd00\U0002ebf0"])
def test_valid_names_are_accepted(name: str) -> None:
    check_name(name)
    assert is_valid_name(name)


CONTROLS = "\u0378\ue000\ud800\u00a0\u200b\U0010ffff\x7f\n\t/|"


@pytest.mark.parametrize(
    "name", ["", " ann", "ann ", "x" * 41, "house", *(f"a{letter}b" for letter in CONTROLS)]
)
def test_invalid_account_name_is_refused(name: str) -> None:
    with pytest.raises(Refused) as refusal:
        check_name(name)
    assert refusal.value.code == "bad_request"
    assert is_valid_name(name) is (name == "house")


@pytest.fixture
def file(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    path = tmp_path / "casino.db"
    sqlite.open_writer(path).close()
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("BEGIN")
    connection.execute("INSERT INTO leaf (n, body) VALUES (0, '{} ')")
    connection.execute("INSERT INTO account VALUES ('treasury', -50), ('wallet/ann', 50)")
    connection.execute("INSERT INTO checkpoint VALUES (1, 'note')")
    connection.execute("INSERT INTO newest VALUES (1, 1, 'note')")
    connection.execute("INSERT INTO command VALUES ('a', zeroblob(16), 0, 0, x'7b7d')")
    connection.execute("COMMIT")
    yield connection
    connection.close()


REFUSED = [
    "DELETE FROM leaf", "DELETE FROM checkpoint", "DELETE FROM command",
    "UPDATE leaf SET n = 9", "UPDATE leaf SET body = '{  }'", "UPDATE checkpoint SET note = 'x'",
    "UPDATE command SET leaf = NULL", "UPDATE newest SET size = 0", "UPDATE newest SET one = 2",
    "REPLACE INTO leaf (n, body) VALUES (0, '{} ')",
    "REPLACE INTO command VALUES ('a', zeroblob(16), 0, 0, x'7b')",
    "REPLACE INTO checkpoint VALUES (1, 'other')",
    "INSERT INTO leaf (n, body) VALUES (1, printf('%.65536c', 'x'))",
    "INSERT INTO leaf (n, body) VALUES (1, x'7b207d')",
    "INSERT INTO command VALUES ('b', zeroblob(16), 7, 0, x'7b7d')",
    "INSERT INTO newest VALUES (2, 2, 'other')",
    "INSERT INTO node VALUES (7, 0, zeroblob(32))",
    "UPDATE account SET balance = -1 WHERE name = 'wallet/ann'",
    "UPDATE account SET balance = 0",
    "UPDATE account SET balance = 1.5",
]  # fmt: skip


@pytest.mark.parametrize("statement", REFUSED)
def test_l9_schema_refuses_everything_but_appends(file: sqlite3.Connection, statement: str) -> None:
    tables = ("leaf", "checkpoint", "command", "account", "newest", "node")
    before = [file.execute(f"SELECT * FROM {table}").fetchall() for table in tables]
    with pytest.raises(sqlite3.IntegrityError):
        file.execute(statement)
    assert [file.execute(f"SELECT * FROM {table}").fetchall() for table in tables] == before


def test_l10_readers_are_read_only(tmp_path: Path) -> None:
    path = tmp_path / "casino.db"
    with pytest.raises(FileError, match="does not exist"):
        sqlite.open_reader(path)
    sqlite.open_writer(path).close()
    reader = sqlite.open_reader(path)
    with pytest.raises(sqlite3.OperationalError):
        reader.execute("DELETE FROM secret")
    reader.close()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        ("PRAGMA user_version = 99", "its format is version 99, but this program reads version 7"),
        ("PRAGMA application_id = 1", "other program"),
    ],
)
def test_file_of_another_program_or_version_is_refused(
    tmp_path: Path, spoil: str, said: str
) -> None:
    path = tmp_path / "casino.db"
    sqlite.open_writer(path).close()
    connection = sqlite3.connect(path)
    connection.execute(spoil)
    connection.close()
    with pytest.raises(FileError, match=said):
        sqlite.open_writer(path)
    with pytest.raises(FileError, match=said):
        sqlite.open_reader(path)


def test_file_that_is_not_a_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "casino.db"
    path.write_bytes(b"not a database, but long enough to be looked at" * 50)
    with pytest.raises(FileError):
        sqlite.open_writer(path)
    with pytest.raises(FileError):
        sqlite.open_reader(path)
