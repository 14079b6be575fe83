"""What is cut off a log, or put into its answers, is found by what was signed."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from casino.audit import ExportSource, FileSource, TrustedEvidence, audit
from casino.errors import FileError
from casino.ledger.entries import as_entry
from casino.ledger.storage import sqlite
from tests.audit.test_tampering import audited, errors, opened, without_guards
from tests.ledger.night import play_night


def cut_tail(connection: sqlite3.Connection) -> None:
    first: int
    sql = "SELECT max(n) FROM leaf WHERE kind(body) = 'game_opened'"
    (first,) = connection.execute(sql).fetchone()
    (first,) = connection.execute(
        "SELECT max(size) FROM checkpoint WHERE size <= ?", (first,)
    ).fetchone()
    connection.execute("DELETE FROM secret")
    connection.execute("DELETE FROM command WHERE bound >= ?", (first,))
    connection.execute("DELETE FROM checkpoint WHERE size > ?", (first,))
    connection.execute("DELETE FROM leaf WHERE n >= ?", (first,))
    connection.execute("DELETE FROM open_subject")
    balances: Counter[str] = Counter()
    for (body,) in connection.execute("SELECT body FROM leaf WHERE kind(body) = 'entry'"):
        for account, cents in as_entry(body).postings:
            balances[account] += cents
    connection.execute("DELETE FROM account")
    rows = [row for row in balances.items() if row[1]]
    connection.executemany("INSERT INTO account VALUES (?, ?)", rows)
    connection.execute("DELETE FROM node WHERE ((place + 1) << level) > ?", (first,))
    sql = "UPDATE newest SET (size, note) = (SELECT size, note FROM checkpoint WHERE size = ?)"
    connection.execute(sql, (first,))


def test_a_tail_cut_off_is_found_by_the_checkpoint_kept_beside(night_file: Path) -> None:
    """A file shortened without a trace lacks what the newest checkpoint beside it signs."""
    without_guards(night_file, cut_tail)
    assert any("were signed, but the log has only" in line for line in errors(audited(night_file)))


def test_an_old_copy_restored_is_found_by_a_receipt(tmp_path: Path) -> None:
    """An old copy of everything looks clean; a receipt somebody kept shows what it lacks."""
    path = tmp_path / "casino.db"
    play_night(path, games=1)
    old = tmp_path / "old"
    shutil.copytree(tmp_path, old)
    with closing(sqlite.open_reader(path)) as connection:
        (note,) = connection.execute("SELECT note FROM checkpoint ORDER BY size DESC").fetchone()
    later = tmp_path / "later"
    later.write_text(note)
    assert errors(audit(FileSource(path), elsewhere=TrustedEvidence((later,)), workers=1)) == []
    short = old / "casino.db"
    without_guards(short, cut_tail)
    (old / "casino.db.checkpoint").unlink()
    assert errors(audited(short)) == []
    found = errors(audit(FileSource(short), elsewhere=TrustedEvidence((later,)), workers=1))
    assert any("were signed, but the log has only" in line for line in found)


def test_l21_every_answer_changed_is_found_by_the_leaf_that_binds_it(night_file: Path) -> None:
    """Answers changed in several transactions are found in each, and one invented besides."""
    bound = "SELECT DISTINCT bound FROM command ORDER BY bound"

    def spoil(connection: sqlite3.Connection) -> None:
        places = [place for (place,) in connection.execute(bound)]
        for place in places[::3]:
            connection.execute("UPDATE command SET answer = x'7b' WHERE bound = ?", (place,))
        row = ("invented", bytes(16), places[0] - 1)
        connection.execute("INSERT INTO command VALUES (?, ?, NULL, ?, x'7b7d')", row)

    with closing(opened(night_file)) as connection:
        places = [place for (place,) in connection.execute(bound)]
    without_guards(night_file, spoil)
    found = errors(audited(night_file))
    for place in places[::3]:
        assert any("not the one that was given" in x and f"leaf {place}" in x for x in found), place
    assert any("that no leaf binds" in line for line in found)


@pytest.mark.parametrize("version", [1, 2])
def test_an_export_of_an_older_log_is_refused_with_both_versions(
    tmp_path: Path, version: int
) -> None:
    """One sentence says which version it has and which is read, instead of a thousand findings."""
    opened = {"at": 0, "key": "k", "name": "n", "type": "log_opened", "version": version}
    lines = [{"casino_log": 1, "key": "k"}, {"leaf": json.dumps(opened), "n": 0}]
    file = tmp_path / "old.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    said = f"an export of a log of version {version}, and this program reads version 3"
    with pytest.raises(FileError, match=said):
        ExportSource(file)
