"""Standard streams that are full or closed cause at most one sentence of error."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from casino.cli import USAGE, main
from casino.ledger.ledger import grant
from tests.ledger.game_simulator import open_ledger, play_games, wait

RUN = "run --headless --games 1 --db night.db"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small casino file, and the records of its games."""
    folder = tmp_path_factory.mktemp("streams")
    play_games(folder / "casino.db", games=1)
    records = str(folder / "games.egr.jsonl")
    database = str(folder / "casino.db")
    assert main(["export", "--db", database, "--format", "egr", "-o", records]) == 0
    return folder


def shell(folder: Path, line: str, redirection: str) -> tuple[int, str]:
    """Run a command with a shell redirection; return its exit status and error output."""
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
    ("line", "redirection"),
    [
        ("audit", ">&-"),
        ("export --format csv", ">/dev/full"),
        ("replay --json games.egr.jsonl", ">&-"),
        (RUN, ">/dev/full"),
    ],
)
def test_write_errors_name_the_output(folder: Path, line: str, redirection: str) -> None:
    status, said = shell(folder, line, redirection)
    *before, last = said.splitlines()
    assert (status, len(before)) == (USAGE, 1 if line == RUN else 0), said
    assert last.startswith("casino: ")
    assert "cannot write the output" in last
    assert "games.egr.jsonl" not in last


@pytest.mark.parametrize("line", ["audit", RUN])
def test_stdin_and_stderr_may_be_closed(folder: Path, line: str) -> None:
    assert shell(folder, line, "<&- 2>&-") == (0, "")


@pytest.mark.parametrize("form", ["csv", "hledger"])
def test_exports_are_utf8_in_every_locale(
    folder: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("Пётр", "Zoé"):
        bank = open_ledger(folder / "accents.db")
        wait(grant(bank, name, 100, f"{name}.{form}"))
        bank.close()
    monkeypatch.setenv("PYTHONIOENCODING", "iso-8859-1")
    line = f"export --db accents.db --format {form}"
    assert shell(folder, line, ">piped") == (0, "")
    assert shell(folder, f"{line} -o {form}", "") == (0, "")
    assert (folder / "piped").read_bytes() == (folder / form).read_bytes()
