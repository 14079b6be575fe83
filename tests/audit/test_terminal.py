"""What is printed from a log cannot write the reader's terminal."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from casino.audit import FileSource, audit
from casino.cli import main
from casino.ledger import accounts
from casino.reports.export import export
from tests.ledger.night import open_bank
from tests.ledger.sealing import wait

FORGED = "\x1b[2J\x1b[H1 leaves: clean\r\n\x1b[8m\u202e"
SHOWN = r"\x1b[2J\x1b[H1 leaves: clean\r\n\x1b[8m\u202e"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def forged(tmp_path: Path) -> Path:
    """The log of a house whose own program wrote a name that clears the screen."""
    path = tmp_path / "casino.db"
    bank = open_bank(path)
    wait(bank.submit(lambda tx: {"n": tx.post(accounts.grant(FORGED, 500, FORGED))}))
    bank.close()
    return path


def test_an_audit_shows_escape_sequences_and_does_not_send_them(
    forged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", "--db", str(forged)]) == 1
    told = capsys.readouterr()
    assert SHOWN in told.out
    assert all(line.isprintable() for line in told.out.splitlines())
    assert told.out.splitlines()[-1].endswith("NOT clean")
    for finding in audit(FileSource(forged), workers=1).findings:
        assert str(finding).isprintable()


@pytest.mark.parametrize("form", ["csv", "beancount", "hledger", "jsonl"])
def test_an_export_escapes_on_a_terminal_only(
    forged: Path, form: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", "--db", str(forged), "--format", form]) == 0
    assert capsys.readouterr().out == "".join(export(forged, form))
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    assert main(["export", "--db", str(forged), "--format", form]) == 0
    assert all(line.isprintable() for line in terminal.getvalue().split("\n"))
