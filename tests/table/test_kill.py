"""The real program killed with -9 in the middle of a night goes on and audits clean (L13)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from casino.ledger.ledger import open_log
from tests.table.nights import audited

KILLS = 6
SEED = 5
SETTINGS = "[spectators]\nnumber = 5\n[bank]\nleast_free_mib = 0\n"


@contextmanager
def running(path: Path, games: int) -> Iterator[subprocess.Popen[bytes]]:
    settings = path.with_name("house.toml")
    settings.write_text(SETTINGS, "utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "casino", "run", "--headless", "--tables", "3"]
        + ["--games", str(games), "--db", str(path), "--config", str(settings)],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def leaves(path: Path) -> int:
    try:
        log = open_log(path)
    except Exception:  # noqa: BLE001 - the file is only just being made
        return 0
    try:
        return log.size()
    finally:
        log.close()


@pytest.mark.slow
def test_l13_a_night_killed_again_and_again_audits_clean(tmp_path: Path) -> None:
    path, random = tmp_path / "casino.db", Random(SEED)
    for _ in range(KILLS):
        before = leaves(path)
        with running(path, 10**6) as process:
            while leaves(path) < before + 50:
                assert process.poll() is None, process.stderr and process.stderr.read()
                time.sleep(0.01)
            time.sleep(random.randrange(300) / 1000)
            os.kill(process.pid, signal.SIGKILL)
    with running(path, 3) as process:
        assert process.wait(60) == 0, process.stderr and process.stderr.read()
    report = audited(path)
    assert report.findings == []
    assert report.games > 3 * KILLS
