"""Maintenance: `casino run --new`, and stopping by SIGTERM."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from casino.cli import main
from casino.ledger.ledger import open_log
from tests.cli.test_run import run_headless


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


def test_l22_sigterm_stops_a_headless_run_cleanly(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def stopped(*_: object) -> Iterator[Callable[..., None]]:
        yield lambda completed: signal.raise_signal(signal.SIGTERM) if completed == 3 else None

    monkeypatch.setattr("casino.cli.host.run.progress", stopped)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as for a shell's background job
    status, database = run_headless(tmp_path)
    signal.signal(signal.SIGINT, before)
    out, err = capsys.readouterr()
    assert (status, err.splitlines()[-1]) == (130, "casino: interrupted")
    assert "games in" in out and "To check every card and cent" in out
    with closing(open_log(database)) as log:
        newest = log.signed_head()
        assert newest is not None and newest.size == log.size()
        assert next(log.leaves(log.size() - 1)).kind == "run_stopped"
