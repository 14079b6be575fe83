"""The background audit: alerts for findings and failures, low priority, prompt shutdown."""

from __future__ import annotations

import logging
import os
import time
from pathlib import Path

import pytest

from casino.audit.background_audit import UNDONE, BackgroundAudit
from casino.ledger.storage.location import SqliteLocation
from tests.audit.test_tampering import sql, without_guards


def test_a_clean_file_is_told_so_by_a_process_that_stands_behind_play(
    played: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    findings, asked = list[int](), list[tuple[int, int, int]]()
    before = os.getpriority(os.PRIO_PROCESS, 0)
    monkeypatch.setattr(os, "setpriority", lambda *given: asked.append(given))
    with caplog.at_level(logging.INFO):
        BackgroundAudit(SqliteLocation(played), 0, findings.append).run_once()
    assert findings == [0]
    assert "leaves, clean" in caplog.text
    assert "ALERT" not in caplog.text
    ((which, pid, priority),) = asked
    assert (which, priority) == (os.PRIO_PROCESS, 19)
    assert pid != os.getpid()
    assert os.getpriority(os.PRIO_PROCESS, 0) == before


def test_a_forged_balance_logs_an_alert(db_file: Path, caplog: pytest.LogCaptureFixture) -> None:
    change = "UPDATE account SET balance = balance + 1 WHERE name <> 'treasury'"
    without_guards(db_file, sql(change))
    findings: list[int] = []
    BackgroundAudit(SqliteLocation(db_file), 0, findings.append).run_once()
    alerts = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert alerts[0] == f"ALERT: the background audit has {findings[0]} findings"
    assert alerts[1].startswith("ALERT: error: balances: escrow/t1-000006/ann holds ")
    assert alerts[3].endswith(f", and {findings[0] - 3} more like it")
    assert len(alerts) == 4


def test_a_failed_audit_logs_an_alert(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    findings: list[int] = []
    BackgroundAudit(SqliteLocation(tmp_path / "nothing.db"), 0, findings.append).run_once()
    assert findings == [UNDONE]
    assert "ALERT: the background audit failed" in caplog.text


def test_closing_does_not_wait_for_a_running_audit(
    played: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("casino.audit.background_audit._MINUTE", 0.01)
    with BackgroundAudit(SqliteLocation(played), 1, list[int]().append) as background_audit:
        while background_audit._running is None:
            time.sleep(0.001)
    assert not background_audit._thread.is_alive()
    assert "ALERT" not in caplog.text


def test_no_audit_runs_when_disabled(tmp_path: Path) -> None:
    location = SqliteLocation(tmp_path / "nothing.db")
    with BackgroundAudit(location, 0, list[int]().append) as background_audit:
        assert not background_audit._thread.is_alive()
