"""Back up a casino's log into a file, even while the casino runs (L22)."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from contextlib import closing
from pathlib import Path

from casino.errors import FileError
from casino.ledger.ledger import open_log
from casino.ledger.side_files import CasinoFiles, copy_private, make_private, write_private
from casino.ledger.storage import sqlite
from casino.ledger.storage.location import LogLocation, SqliteLocation, as_location
from casino.ledger.storage.migrate import copy_log


def backup(where: Path | LogLocation, out: Path, *, with_keys: bool) -> None:
    """Copy a log and its side files; include keys, people and secrets only if `with_keys`."""
    location = as_location(where)
    files, copy = CasinoFiles(location.path), CasinoFiles(out)
    if copy.existing():
        raise FileError(f"{out} already exists: choose another name")
    if isinstance(location, SqliteLocation):
        copy_file(location.path, out, without=() if with_keys else ("secret", "people"))
    else:
        target = SqliteLocation(out).reopen_store()
        with closing(target), closing(location.open_queries()) as source:
            copy_log(source, target, with_secrets=with_keys)
            target.flush_journal()
    newest = open_log(out).signed_head()
    if newest is not None:
        write_private(copy.checkpoint, newest.note)
    copy_private(files.pub, copy.pub)
    if with_keys:
        copy_private(files.key, copy.key)
        copy_private(files.master, copy.master)


def copy_file(path: Path, out: Path, *, without: Collection[str]) -> None:
    """Copy the database file; in the copy, erase the contents of the tables in `without`."""
    with closing(sqlite.open_reader(path)) as source:
        make_private(out)
        try:
            with closing(sqlite3.connect(out, isolation_level=None)) as target:
                source.backup(target)
                target.execute("PRAGMA journal_mode = DELETE")  # one file, without a WAL
                if without:
                    # Overwrite deleted rows and rebuild the file, so that none can be recovered.
                    target.execute("PRAGMA secure_delete = ON")
                    for table in without:
                        target.execute(f"DELETE FROM {table}")
                    target.execute("VACUUM")
        except sqlite3.Error as error:
            raise FileError(
                f"cannot write {out} ({error}): free some space, or choose another file"
            ) from None
