"""A page of the file that is damaged is named, with what to do about it."""

from __future__ import annotations

import sqlite3
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from casino.audit import FileSource, Report, audit, audit_game, audit_player
from casino.cli import main
from casino.ledger.ledger import open_log
from casino.ledger.storage.base import StorageError
from tests.audit.test_tampering import errors, found_or_refused
from tests.ledger.night import Night, open_bank

TABLES = ("leaf", "node", "checkpoint", "newest", "account", "command", "open_subject",
          "leaf_game", "leaf_kind", "leaf_owner")  # fmt: skip


@pytest.fixture(scope="module")
def long_night(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("damaged") / "casino.db"
    bank = open_bank(path)
    night = Night(bank, bettors=3)
    for _ in range(8):
        night.play_game()
    bank.close()
    return path.read_bytes()


@pytest.fixture
def at(long_night: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "casino.db"
    path.write_bytes(long_night)
    return path


def pages_of(path: Path, table: str) -> list[int]:
    connection = sqlite3.connect(path)
    try:
        sql = "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path"
        return [number for (number,) in connection.execute(sql, (table,))]
    except sqlite3.OperationalError:
        pytest.skip("this SQLite does not tell which page is whose")
    finally:
        connection.close()


def wiped(path: Path, *pages: int) -> Path:
    data = bytearray(path.read_bytes())
    for page in pages:
        data[(page - 1) * 4096 : page * 4096] = bytes(4096)
    copy = path.with_name(f"wiped-{pages[0]}.db")
    copy.write_bytes(data)
    return copy


def hidden_leaf(path: Path) -> int:
    log = open_log(path)
    for number in count():
        try:
            next(log.leaves(number, 1))
        except StorageError:
            return number
    raise AssertionError


def audited(path: Path) -> Report:
    return audit(FileSource(path), workers=1)


def test_a_damaged_page_is_named_with_what_to_do(at: Path) -> None:
    """The page, the first leaf that cannot be read, and that a backup is to be restored."""
    pages = pages_of(at, "leaf")
    at = wiped(at, pages[len(pages) // 3])
    hidden = hidden_leaf(at)
    found = errors(audited(at))
    text = "this leaf cannot be read: database disk image is malformed; restore a backup"
    assert f"leaves: {text} with casino restore (leaf {hidden})" in found
    assert any(line.startswith("file:") for line in found)
    for report in (audit_game(FileSource(at), "t1-000001"), audit_player(FileSource(at), "ann")):
        assert any("restore a backup" in line for line in errors(report))


@pytest.mark.parametrize("table", TABLES)
def test_a_damaged_page_of_any_table_is_named(at: Path, table: str) -> None:
    pages = pages_of(at, table)
    at = wiped(at, pages[len(pages) // 2])
    assert any(line.startswith("file:") for line in errors(audited(at)))
    assert main(["audit", "--db", str(at)]) == 1


def test_every_page_wiped_is_found_or_refused_in_a_sentence(at: Path) -> None:
    connection = sqlite3.connect(at)
    ((free,),) = connection.execute("PRAGMA freelist_count")
    connection.close()
    clean = 0
    for page in range(1, at.stat().st_size // 4096 + 1, 3):
        clean += not found_or_refused(partial(FileSource, wiped(at, page)))
    assert clean <= free


def test_whose_log_it_is_need_not_be_read(at: Path) -> None:
    found = errors(audited(wiped(at, pages_of(at, "about")[0])))
    assert any("about does not name the key" in line for line in found)
