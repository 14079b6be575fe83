"""A page of the file that is damaged is said at its leaves, and all that can be read is audited."""

from __future__ import annotations

import sqlite3
from functools import partial
from pathlib import Path

import pytest

from casino.audit import FileSource, Report, TrustedEvidence, audit
from casino.audit.damaged_pages import PageByPageJob
from casino.audit.source import FileJob
from casino.audit.trusted import find_trusted_key
from casino.cli import main
from casino.ledger.ledger import open_log
from casino.ledger.storage.base import StorageError
from tests.audit.test_tampering import errors, found_or_refused
from tests.ledger.night import Night, open_bank

TABLES = ("leaf", "node", "checkpoint", "newest", "account", "command", "open_subject",
          "leaf_entry", "leaf_game", "leaf_kind", "leaf_owner")  # fmt: skip


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


def hidden_leaves(path: Path) -> list[int]:
    log, hidden = open_log(path), []
    for number in range(log.store.signed_head().size):  # type: ignore[union-attr]
        try:
            if next(log.leaves(number, 1)).n != number:
                hidden.append(number)
        except StorageError:
            hidden.append(number)
    log.close()
    return hidden


def audited(path: Path) -> Report:
    return audit(FileSource(path), workers=1)


def test_all_but_what_a_page_hides_is_audited(at: Path) -> None:
    """Its leaves are named; the other games are derived again, and the root proves their leaves."""
    whole = audited(at)
    pages = pages_of(at, "leaf")
    at = wiped(at, pages[len(pages) // 3])
    hidden = hidden_leaves(at)
    assert hidden
    report = audited(at)
    found = errors(report)
    text = f"leaves: this leaf cannot be read: database disk image is malformed (leaf {hidden[0]})"
    assert text in found
    assert f"leaves: nor can any from here to leaf {hidden[-1]} (leaf {hidden[1]})" in found
    assert any(line.startswith("file:") for line in found)
    assert (report.leaves, report.root, report.signed) == (whole.leaves, whole.root, whole.signed)
    assert report.games >= whole.games - 1
    assert not any(line.startswith("checkpoints:") for line in found), found


def test_what_is_forged_elsewhere_is_found_beside_a_damaged_page(at: Path) -> None:
    """A page torn out hides no other page: the audit used to end there."""
    pages = pages_of(at, "leaf")
    connection = sqlite3.connect(at)
    connection.execute("DROP TRIGGER leaf_keeps")
    ((last,),) = connection.execute(
        "SELECT max(n) FROM leaf WHERE CAST(body AS TEXT) LIKE '%turned_up%'"
    )
    sql = 'UPDATE leaf SET body = replace(body, \'"card":"\', \'"card":"X\')'
    connection.execute(f"{sql} WHERE n = ?", (last,))
    connection.commit()
    connection.close()
    found = errors(audited(wiped(at, pages[1])))
    assert any(f"leaf {last}" in line for line in found)


def test_hidden_leaves_at_the_end_leave_the_last_signature_unproved(at: Path) -> None:
    """No stored hash stands for leaves whose bundle is not whole: the verdict says so."""
    report = audited(wiped(at, pages_of(at, "leaf")[-1]))
    assert not report.is_clean
    assert report.root == ""
    assert report.signed < report.leaves
    said = f"leaves cannot be read, so that only {report.signed} of {report.leaves} are proved"
    assert any(said in line for line in errors(report))


@pytest.mark.parametrize("table", TABLES)
def test_a_damaged_page_of_any_table_ends_only_what_needs_it(at: Path, table: str) -> None:
    """It is named, the verdict is not clean, and every game is still audited but one."""
    whole = audited(at)
    pages = pages_of(at, table)
    at = wiped(at, pages[len(pages) // 2])
    report = audited(at)
    assert any(line.startswith("file:") for line in errors(report))
    assert report.leaves == whole.leaves
    assert report.games >= whole.games - 1
    assert main(["audit", "--db", str(at)]) == 1


def test_every_page_wiped_is_found_or_refused_in_a_sentence(at: Path) -> None:
    connection = sqlite3.connect(at)
    ((free,),) = connection.execute("PRAGMA freelist_count")
    connection.close()
    clean = 0
    for page in range(1, at.stat().st_size // 4096 + 1, 3):
        clean += not found_or_refused(partial(FileSource, wiped(at, page)))
    assert clean <= free


def test_a_checkpoint_that_cannot_be_compared_is_said(at: Path, tmp_path: Path) -> None:
    """What was kept elsewhere is compared with leaves, if they can be read."""
    known = tmp_path / "kept"
    newest = open_log(at).store.signed_head()
    assert newest is not None
    known.write_text(newest.note)
    source = FileSource(wiped(at, pages_of(at, "leaf")[-1]))
    report = audit(source, workers=1, elsewhere=TrustedEvidence((known,)))
    assert any(line.startswith(f"known: {known}: ") for line in errors(report))


def test_terms_that_cannot_be_looked_up_are_found_among_the_leaves(at: Path) -> None:
    """A range that begins later is held to the terms that stand before it."""
    source = FileSource(wiped(at, *pages_of(at, "leaf_kind")))
    trusted, _ = find_trusted_key(source, None)
    job = FileJob(source.location, 256, 300, trusted.keys, True, None)
    assert [one.table for one in PageByPageJob(job).batch().terms] == ["t1"]


def test_whose_log_it_is_need_not_be_read(at: Path) -> None:
    found = errors(audited(wiped(at, pages_of(at, "about")[0])))
    assert any("about does not name the key" in line for line in found)
