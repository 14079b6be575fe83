"""Maintenance: `casino backup`, `casino run --new`, and stopping by SIGTERM."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from casino.cli import main
from casino.ledger.ledger import open_log
from tests.cli.test_run import run_headless


def test_l22_a_backup_is_audited_and_holds_no_secret(
    db_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, keys = db_file.with_name("copy.db"), db_file.with_name("keys.db")
    master = db_file.with_name("casino.db.master")
    master.write_text("0" * 64)
    assert main(["backup", "--db", str(db_file), str(out)]) == 0
    assert "clean" in capsys.readouterr().out
    assert (
        out.with_name("copy.db.pub").read_text() == db_file.with_name("casino.db.pub").read_text()
    )
    assert not out.with_name("copy.db.key").exists()
    assert not out.with_name("copy.db.master").exists()
    assert open_log(out).all_secrets() == {}
    assert main(["backup", "--db", str(db_file), str(out)]) == 2
    assert main(["backup", "--db", str(db_file), "--with-keys", str(keys)]) == 0
    assert keys.with_name("keys.db.key").is_file()
    assert keys.with_name("keys.db.master").read_text() == master.read_text()
    assert keys.with_name("keys.db.master").stat().st_mode & 0o777 == 0o600
    assert open_log(keys).all_secrets() == open_log(db_file).all_secrets()


def test_l14_a_lost_file_is_refused_until_new_is_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, database = run_headless(tmp_path, "--games", "1")
    database.unlink()
    assert run_headless(tmp_path, "--games", "1")[0] == 2
    assert "--new" in capsys.readouterr().err
    assert run_headless(tmp_path, "--games", "1", "--new")[0] == 0
    assert "moved aside" in capsys.readouterr().err
    assert main(["audit", "--db", str(database)]) == 0


def test_l22_sigterm_stops_a_headless_run_cleanly(tmp_path: Path) -> None:
    database = tmp_path / "casino.db"
    command = [sys.executable, "-m", "casino", "run", "--headless", "--db", str(database)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not database.exists() or _size(database) < 50:
        time.sleep(0.1)
    os.kill(process.pid, signal.SIGTERM)
    assert process.wait(60) == 0
    log = open_log(database)
    newest = log.signed_head()
    assert newest is not None
    assert newest.size == log.size()
    assert next(log.leaves(log.size() - 1)).kind == "run_stopped"
    log.close()


def _size(database: Path) -> int:
    try:
        log = open_log(database)
    except Exception:  # noqa: BLE001 - the file is only just being made
        return 0
    size = log.size()
    log.close()
    return size
