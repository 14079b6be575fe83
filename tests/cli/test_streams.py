"""Standard streams that are full or closed: a command says so in one sentence at most."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from casino.cli import USAGE, main
from casino.ledger.ledger import grant
from tests.ledger.night import open_bank, play_night
from tests.ledger.sealing import wait

LINES = {
    "audit": "audit",
    "export": "export --format csv",
    "replay --json": "replay --json games.egr.jsonl",
    "run": "run --headless --games 1 --db night.db",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small night, and the records of its games."""
    folder = tmp_path_factory.mktemp("streams")
    play_night(folder / "casino.db", games=1)
    records = str(folder / "games.egr.jsonl")
    database = str(folder / "casino.db")
    assert main(["export", "--db", database, "--format", "egr", "-o", records]) == 0
    return folder


def shell(folder: Path, line: str, redirection: str) -> tuple[int, str]:
    """A command's exit status behind a redirection of the shell, and what it said on stderr."""
    done = subprocess.run(
        ["sh", "-c", f"rm -f night.db*; exec {sys.executable} -m casino {line} {redirection}"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("name", "redirection"),
    [("audit", ">&-"), ("export", ">/dev/full"), ("replay --json", ">&-"), ("run", ">/dev/full")],
)
def test_what_cannot_be_printed_is_blamed_on_the_output(
    folder: Path, name: str, redirection: str
) -> None:
    status, said = shell(folder, LINES[name], redirection)
    *before, last = said.splitlines()
    assert (status, len(before)) == (USAGE, 1 if name == "run" else 0), said
    assert last.startswith("casino: ")
    assert "cannot write the output" in last
    assert "games.egr.jsonl" not in last


@pytest.mark.parametrize("name", ["audit", "run"])
def test_input_and_errors_may_be_closed(folder: Path, name: str) -> None:
    assert shell(folder, LINES[name], "<&- 2>&-") == (0, "")


@pytest.mark.parametrize("form", ["csv", "hledger"])
def test_an_export_is_in_utf_8_under_every_locale(
    folder: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("Пётр", "Zoé"):
        bank = open_bank(folder / "accents.db")
        wait(grant(bank, name, 100, f"{name}.{form}"))
        bank.close()
    monkeypatch.setenv("PYTHONIOENCODING", "iso-8859-1")
    line = f"export --db accents.db --format {form}"
    assert shell(folder, line, ">piped") == (0, "")
    assert shell(folder, f"{line} -o filed", "") == (0, "")
    assert (folder / "piped").read_bytes() == (folder / "filed").read_bytes()
