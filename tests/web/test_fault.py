"""A disk that fails under an open casino: who plays goes on playing, who watches sees what is."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, cast

import pytest

from casino.ledger.storage import sqlite
from tests.table.test_service import Disk, Flaky
from tests.web.doors import FAST, Told, Visitor, open_doors
from tests.web.processes import write_settings

MAX_BYTES = 4_096
FULL_SECONDS = 3


def asked(player: Visitor) -> Told | None:
    you = player.yous[-1] if player.yous else None
    return you if you and you["legal"] else None


@pytest.mark.parametrize("fault", ["fail", "lie"])
def test_l12_a_player_goes_on_after_a_fault_of_the_disk(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk, opened = Disk(), sqlite.open_writer
    monkeypatch.setattr(sqlite, "open_writer", lambda path: cast("Any", Flaky(path, disk, opened)))
    table = {**FAST, "betting_ms": 100, "challenger": "nobody", "turn_ms": 600_000, "number": 0}
    with open_doors(tmp_path / "casino.db", {"seat": table}) as doors:
        player = doors.visitor("ann")
        player.join("seat")
        player.request("take_seat", table="seat")
        you = player.until(lambda: asked(player))
        disk.does = fault
        given = {"table": "seat", "action": you["legal"][0]}
        code = player.refused("act", version=you["version"], **given)
        assert code == ("unavailable" if fault == "fail" else "ok")
        player.wait_for("restored")
        you = player.until(lambda: (you := player.join("seat")["you"])["legal"] and you)
        again = player.refused("act", table="seat", version=you["version"], action=you["legal"][0])
        assert again == "ok"
        player.close()


def test_a_full_disk_is_said_once_and_so_is_its_end(tmp_path: Path) -> None:
    settings = write_settings(tmp_path, {"t1": {**FAST, "betting_ms": 50}})
    command = [sys.executable, "-m", "casino", "run", "--config", str(settings), "--port", "0"]
    with subprocess.Popen(
        [*command, "--db", str(tmp_path / "casino.db")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert "open" in process.stdout.readline()
        # No file of the process can grow: as on a full disk, what is written at its end fails.
        _, most = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (MAX_BYTES, most))
        first = process.stderr.readline()
        time.sleep(FULL_SECONDS)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (most, most))
        second = process.stderr.readline()
        process.terminate()
        _, rest = process.communicate(timeout=60)
    assert "error casino.web.broadcast.publisher the bank: " in first
    assert "warning casino.web.broadcast.publisher the bank writes again" in second
    assert "the bank" not in rest
    assert process.returncode == 0
