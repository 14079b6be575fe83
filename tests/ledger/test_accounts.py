"""Where a cent may move, and where not: entries, accounts, and what the file itself refuses."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from casino.audit.checks.ledger import is_valid_name
from casino.betting import AccountChange, MoneyMove
from casino.betting.moves import escrow_move
from casino.errors import FileError, InvariantError, Refused
from casino.ledger import accounts
from casino.ledger.accounts import (
    Balances,
    check_name,
    correct,
    escrow_entry,
    grant,
    is_printable,
    kind_of,
)
from casino.ledger.entries import GREATEST, encode
from casino.ledger.storage import sqlite
from casino.ledger.transaction import Answer, Transaction
from tests.ledger.night import open_bank
from tests.ledger.sealing import wait

GAME = "t1-000001"


def move(kind: str, *postings: tuple[str, str, int]) -> MoneyMove:
    return MoneyMove(kind, tuple(AccountChange(*posting) for posting in postings))


def test_l2_accounts_have_the_names_the_ledger_says() -> None:
    hold = escrow_entry(GAME, *move("hold", ("wallet", "ann", -3), ("escrow", "ann", 3)))
    assert hold.postings == ((f"escrow/{GAME}/ann", 3), ("wallet/ann", -3))
    cover = escrow_entry(GAME, *move("hold", ("bank", "house", -3), ("escrow", "house", 3)))
    assert cover.postings == ((f"escrow/{GAME}/house", 3), ("house/bank", -3))
    paid = move("settle", ("escrow", "a", -9), ("wallet", "a", 8), ("commission", "house", 1))
    assert ("house/commission", 1) in escrow_entry(GAME, *paid).postings
    names = ("treasury", "wallet/x", "house/bank", "house/commission", "escrow/g/x", "house/attic")
    assert [kind_of(name) for name in names] == [
        "treasury", "wallet", "bank", "commission", "escrow", "house",
    ]  # fmt: skip


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
        move("hold", ("wallet", "ann", -GREATEST - 1), ("escrow", "ann", GREATEST + 1)),
    ],
)
def test_l3_a_move_that_is_none_of_the_few_cannot_be_made(wrong: MoneyMove) -> None:
    """Unbalanced postings, and cents that go where their move does not, are faults."""
    with pytest.raises(InvariantError):
        escrow_entry(GAME, *wrong)


def test_l3_a_correction_is_the_counter_entry() -> None:
    """What was wrong is undone, by an entry that says which and why."""
    wrong = grant("ann", 500)
    undone = correct(7, wrong.postings, "granted twice")
    assert undone.postings == (("treasury", 500), ("wallet/ann", -500))
    assert (undone.corrects, undone.reason) == (7, "granted twice")
    assert b'"corrects":7' in encode(replace(undone, entry=8))


def test_l4_balances_are_moved_whole_or_not_at_all() -> None:
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


@pytest.mark.parametrize("name", ["", "a/b", "a|b", "house", " ann", "x" * 41, "a\nb", "\u200b"])
def test_a_name_that_cannot_be_an_account_is_refused(name: str) -> None:
    """Names with / or |, the house's own, empty, long or invisible ones."""
    with pytest.raises(Refused) as refusal:
        check_name(name)
    assert refusal.value.code == "bad_request"


def test_a_name_in_any_alphabet_is_welcome() -> None:
    for name in ("ann", "Zoë", "王芳", "a b", "o'neil"):
        check_name(name)


@pytest.mark.parametrize("character", "\U0001fae8\U0001cd00\U0002ebf0")
def test_what_can_be_printed_is_the_same_under_every_python(character: str) -> None:
    """Letters of Unicode 15 and later are names under Python 3.11, whose Unicode is 14."""
    check_name(character)
    assert is_valid_name(character)


@pytest.mark.parametrize("character", "\u0378\ue000\ud800\u00a0\u200b\U0010ffff\x7f\n")
def test_what_cannot_be_printed_is_no_name(character: str) -> None:
    """Unassigned, private, half a pair, spaces and what controls."""
    with pytest.raises(Refused):
        check_name(f"a{character}b")
    assert not is_valid_name(f"a{character}b")


def test_every_character_this_python_can_print_can_be_in_a_name() -> None:
    every = map(chr, range(sys.maxunicode + 1))
    assert all(is_printable(one) for one in every if one.isprintable())


@pytest.fixture
def file(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    path = tmp_path / "casino.db"
    sqlite.open_writer(path).close()
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("BEGIN")
    connection.execute("INSERT INTO leaf VALUES (0, '{} ')")
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
    "REPLACE INTO leaf VALUES (0, '{} ')",
    "REPLACE INTO command VALUES ('a', zeroblob(16), 0, 0, x'7b')",
    "REPLACE INTO checkpoint VALUES (1, 'other')",
    "INSERT INTO leaf VALUES (1, printf('%.65536c', 'x'))",
    "INSERT INTO leaf VALUES (1, x'7b207d')",
    "INSERT INTO command VALUES ('b', zeroblob(16), 7, 0, x'7b7d')",
    "INSERT INTO newest VALUES (2, 2, 'other')",
    "INSERT INTO node VALUES (7, 0, zeroblob(32))",
    "UPDATE account SET balance = -1 WHERE name = 'wallet/ann'",
    "UPDATE account SET balance = 0",
    "UPDATE account SET balance = 1.5",
]  # fmt: skip


@pytest.mark.parametrize("statement", REFUSED)
def test_l9_the_file_itself_refuses_what_is_not_appending(
    file: sqlite3.Connection, statement: str
) -> None:
    """Triggers, checks and keys hold also for a connection that knows none of our code."""
    tables = ("leaf", "checkpoint", "command", "account", "newest", "node")
    before = [file.execute(f"SELECT * FROM {table}").fetchall() for table in tables]
    with pytest.raises(sqlite3.IntegrityError):
        file.execute(statement)
    assert [file.execute(f"SELECT * FROM {table}").fetchall() for table in tables] == before


def test_l10_readers_only_read(tmp_path: Path) -> None:
    """A reader cannot write, and needs a file that is there and is the casino's."""
    path = tmp_path / "casino.db"
    with pytest.raises(FileError, match="is not there"):
        sqlite.open_reader(path)
    sqlite.open_writer(path).close()
    reader = sqlite.open_reader(path)
    with pytest.raises(sqlite3.OperationalError):
        reader.execute("DELETE FROM secret")
    reader.close()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        ("PRAGMA user_version = 99", "its format is version 99, and this program reads version 6"),
        ("PRAGMA application_id = 1", "other program"),
    ],
)
def test_a_file_that_is_not_ours_is_refused(tmp_path: Path, spoil: str, said: str) -> None:
    """A newer version's file, or another program's, is neither read nor written."""
    path = tmp_path / "casino.db"
    sqlite.open_writer(path).close()
    connection = sqlite3.connect(path)
    connection.execute(spoil)
    connection.close()
    with pytest.raises(FileError, match=said):
        sqlite.open_writer(path)
    with pytest.raises(FileError, match=said):
        sqlite.open_reader(path)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "casino.db"
    path.write_bytes(b"not a database, but long enough to be looked at" * 50)
    with pytest.raises(FileError):
        sqlite.open_writer(path)
    with pytest.raises(FileError):
        sqlite.open_reader(path)


def test_l4_escrow_is_what_the_file_says_also_after_a_restart(tmp_path: Path) -> None:
    """All of a game's escrow is known, whoever is asked for first, and none of another game's."""
    bank = open_bank(tmp_path / "casino.db")

    def hold(tx: Transaction) -> Answer:
        for number, game in enumerate(("t1-1", "t1-10", "t1-2"), 1):
            for player in ("ann", "ben"):
                tx.post(accounts.grant(player, 10 * number))
                tx.post(accounts.escrow_entry(game, *escrow_move("hold", [(player, number)])))
        return {}

    def look(tx: Transaction) -> Answer:
        games, players = ("t1-1", "t1-10", "t1-2", "t1-3"), ("cy", "ben", "ann")
        return {game: [tx.balance(accounts.escrow(game, one)) for one in players] for game in games}

    wait(bank.submit(hold))
    held = {"t1-1": [0, 1, 1], "t1-10": [0, 2, 2], "t1-2": [0, 3, 3], "t1-3": [0, 0, 0]}
    assert wait(bank.submit(look)) == held
    bank.close()
    bank = open_bank(tmp_path / "casino.db")
    assert wait(bank.submit(look)) == held
    void = escrow_move("void", [("ann", -2), ("ben", -2)])
    wait(bank.submit(lambda tx: {"entry": tx.post(accounts.escrow_entry("t1-10", *void))}))
    assert wait(bank.submit(look)) == {**held, "t1-10": [0, 0, 0]}
    bank.close()
