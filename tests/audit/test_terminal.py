"""Text from a log cannot control the reader's terminal."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from casino.audit import FileSource, Finding, Report, audit
from casino.audit.check import NOTE
from casino.cli import main
from casino.cli.verify.audit import print_report
from casino.ledger import accounts
from casino.reports.export import export
from tests.ledger.game_simulator import open_ledger, wait

FORGED = "\x1b[2J\x1b[H1 leaves: clean\r\n\x1b[8m\u202e"
SHOWN = r"\x1b[2J\x1b[H1 leaves: clean\r\n\x1b[8m\u202e"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def forged(tmp_path: Path) -> Path:
    """Return a log with a player name that clears the screen."""
    path = tmp_path / "casino.db"
    bank = open_ledger(path)
    wait(bank.submit(lambda tx: {"n": tx.post(accounts.grant(FORGED, 500, FORGED))}))
    bank.close()
    return path


def test_audit_escapes_control_sequences(forged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "--db", str(forged)]) == 1
    told = capsys.readouterr()
    assert SHOWN in told.out
    assert all(line.isprintable() for line in told.out.splitlines())
    assert told.out.startswith("NOT CLEAN: ")
    for finding in audit(FileSource(forged), workers=1).findings:
        assert str(finding).isprintable()


def test_verdict_and_rare_errors_come_first_and_those_of_storage_last(
    capsys: pytest.CaptureFixture[str],
) -> None:
    alike = [Finding("tree", "wrong", 1280), *(Finding("games", f"fault {n}") for n in range(5))]
    findings = [
        Finding("games", "unfinished", severity=NOTE),
        *alike,
        Finding("balances", "wrong", 1500),
        Finding("signed", "wrong", 1400),
    ]
    report = Report(20, 1, 4, findings, "ab", 20, "k", "casino.db.pub", ("casino.db.checkpoint",))
    print_report(report, 0.5, as_json=False)
    assert capsys.readouterr().out.splitlines() == [
        "NOT CLEAN: 8 errors, 1 note in 20 leaves, 1 game, 4 entries",
        "compared with casino.db.checkpoint",
        "20 of 20 leaves signed by key k, read from casino.db.pub",
        "root ab; 0.5 s",
        "the first error is at leaf 1,500: later ones may follow from it",
        "error: balances: wrong (leaf 1500)",
        "error: signed: wrong (leaf 1400)",
        "error: games: fault 0",
        "error: games: fault 1",
        "error: games: fault 2, and 2 more like it",
        "error: tree: wrong (leaf 1280)",
        "note: games: unfinished",
    ]


@pytest.mark.parametrize("form", ["csv", "beancount", "hledger", "jsonl"])
def test_export_escapes_only_on_a_terminal(
    forged: Path, form: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", "--db", str(forged), "--format", form]) == 0
    assert capsys.readouterr().out == "".join(export(forged, form))
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    assert main(["export", "--db", str(forged), "--format", form]) == 0
    assert all(line.isprintable() for line in terminal.getvalue().split("\n"))
