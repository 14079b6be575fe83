"""Copying a log between stores: there and back, interrupted, updated."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from unittest.mock import patch

import pytest

from casino.errors import FileError
from casino.ledger import backup as copying
from casino.ledger.backup import backup, copy_log
from casino.ledger.side_files import CasinoFiles
from casino.ledger.storage.location import LogLocation, SqliteLocation, open_log
from casino.ledger.storage.store import SqlStore
from casino.ledger.tlog.merkle import Hash
from casino.ledger.transaction import Rows
from tests.audit.test_tampering import audited, errors, without_guards
from tests.ledger.game_simulator import GameSimulator, open_ledger, play_games
from tests.ledger.postgres_server import needs_postgres
from tools.postgres_server import PostgresServer


def copied(
    source: LogLocation, target: LogLocation, at_a_time: int = 100, *, former: bool = False
) -> tuple[int, Hash]:
    reading = source.open_to_copy() if former else source.open_queries()
    writing = target.reopen_store()
    try:
        with patch.object(copying, "LEAVES_AT_A_TIME", at_a_time):
            return copy_log(reading, writing)
    finally:
        reading.close()
        writing.close()


def all_of(place: LogLocation) -> list[object]:
    with closing(open_log(place)) as log:
        return [
            list(log.leaves()), log.balances(), sorted(log.answers()), log.subjects(),
            log.secrets(), log.people(), list(log.checkpoints()), log.signed_head(),
            log.identity(), [log.nodes(level, 0, 1 << 20) for level in (8, 16)],
        ]  # fmt: skip


@pytest.mark.parametrize("at_a_time", [1, 100, 10**6])
def test_copy_is_complete_and_has_the_same_root(
    tmp_path: Path, place: LogLocation, at_a_time: int
) -> None:
    first = SqliteLocation(tmp_path / "first.db")
    play_games(first, games=3)
    log = open_log(first)
    size, back = log.size(), SqliteLocation(tmp_path / "back.db")
    for source, target in ((first, place), (place, back)):
        assert copied(source, target, at_a_time) == (size, log.root(size))
        assert all_of(target) == all_of(first)
        assert errors(audited(target)) == []


FORMER = """
    PRAGMA legacy_alter_table = ON;
    CREATE TABLE former AS SELECT n, body FROM leaf;
    DROP TABLE leaf;
    ALTER TABLE former RENAME TO leaf;
    CREATE TABLE open_subject AS SELECT name FROM subject WHERE last IS NULL;
    DROP TABLE subject;
    PRAGMA user_version = 6;
"""


def test_log_in_former_format_is_copied_to_current_format(tmp_path: Path) -> None:
    place = SqliteLocation(tmp_path / "old.db")
    play_games(place, games=1, bettors=3)
    before = all_of(place)
    with closing(sqlite3.connect(place.path, isolation_level=None)) as connection:
        connection.executescript(FORMER)
    for refused in (place.open_queries, lambda: open_ledger(place)):
        with pytest.raises(FileError, match="casino copy"):
            refused()
    new = SqliteLocation(tmp_path / "new.db")
    copied(place, new, former=True)
    assert all_of(new) == before
    assert errors(audited(new)) == []


def test_signatures_are_checked_before_any_leaf_is_copied(tmp_path: Path) -> None:
    file, new = SqliteLocation(tmp_path / "old.db"), SqliteLocation(tmp_path / "new.db")
    play_games(file, games=2)
    with closing(open_log(file)) as log:
        first, second, *_ = log.checkpoints()
    change, values = "UPDATE checkpoint SET note = ? WHERE size = ?", (first.note, second.size)
    without_guards(file.path, lambda connection: connection.execute(change, values))
    with pytest.raises(FileError, match=f"the first {second.size} leaves"):
        copied(file, new, 10**6)
    assert new.open_queries().size() == 0


def test_outdated_or_interrupted_copy_is_completed(place: LogLocation) -> None:
    target = SqliteLocation(place.path.with_name("copy.db"))
    bank = open_ledger(place)
    night = GameSimulator(bank, bettors=3)
    night.play_game("open")
    night.play_game()
    bank.submit(lambda _: {}).result()
    copied(place, target)
    night.play_game("open")
    night.play_game()
    bank.close()
    write, stops = SqlStore.write, iter([False, True])

    def stop(store: SqlStore, rows: Rows, meanwhile: Callable[[int], None]) -> None:
        write(store, rows, meanwhile)
        if next(stops):
            raise InterruptedError

    with patch.object(SqlStore, "write", stop), pytest.raises(InterruptedError):
        copied(place, target, 1)
    copied(place, target)
    assert all_of(target) == all_of(place)


def test_copy_does_not_overwrite_another_log(tmp_path: Path, place: LogLocation) -> None:
    source = SqliteLocation(tmp_path / "source.db")
    play_games(source, games=1)
    play_games(place, games=2)
    before = all_of(place)
    with pytest.raises(FileError, match="not the beginning"):
        copied(source, place)
    assert all_of(place) == before


@pytest.mark.parametrize("with_keys", [False, True])
def test_backup_of_either_store_is_a_clean_file(
    tmp_path: Path, place: LogLocation, with_keys: bool
) -> None:
    bank = open_ledger(place)
    GameSimulator(bank, seed=4, bettors=2).play_game("open")  # in which cards are exchanged
    bank.submit(lambda _: {}).result()
    out, files = tmp_path / "copy.db", CasinoFiles(place.path)
    files.master.write_text("0" * 64)
    files.pub.unlink()
    backup(place, out, with_keys=with_keys)
    assert open_log(out).secrets() == (open_log(place).secrets() if with_keys else {})
    assert open_log(place).secrets() != {}
    copied_files = CasinoFiles(out)
    assert copied_files.key.exists() == copied_files.master.exists() == with_keys
    assert copied_files.pub.read_text() == bank.key.public.text() + "\n"
    assert errors(audited(out)) == []
    with pytest.raises(FileError, match="is a backup, and its log" if with_keys else "is missing"):
        open_ledger(out)
    bank.close()
    open_ledger(place).close()
    assert files.pub.read_text() == copied_files.pub.read_text()


@needs_postgres
def test_outdated_file_is_refused_after_database_moved_on(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    file = SqliteLocation(tmp_path / "casino.db")
    play_games(file, games=1)
    database = postgres.place(tmp_path / "casino.db")
    with pytest.raises(FileError, match=r"is missing or empty.*casino copy"):
        open_ledger(database)
    copied(file, database)
    bank = open_ledger(database)
    GameSimulator(bank, table="t2", bettors=2).play_game()
    bank.close()
    with pytest.raises(FileError, match="are lost"):
        open_ledger(file)
    copied(database, file)
    open_ledger(file).close()
