"""Standard streams that are full or closed: every command says so in one sentence at most."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from casino.cli import COMMANDS, USAGE, main
from casino.ledger.ledger import grant
from tests.ledger.night import open_bank, play_night
from tests.ledger.sealing import wait

LINES = {
    "account": "account --name ann http://127.0.0.1:9",
    "admin": "admin pause t1",
    "arena": "arena regle novice --games 2 --engine threads --workers 1",
    "audit": "audit",
    "backup": "backup copy.db",
    "bet": "bet --table t1 --side house --unit 5 --name ann http://127.0.0.1:9",
    "bot": "bot --table t1 --bot regle http://127.0.0.1:9",
    "config": "config",
    "copy": "copy --from casino.db --to copied.db",
    "export": "export --format csv",
    "follow": "follow http://127.0.0.1:9 --once",
    "odds": "odds --hand 7HKCQCJC7S --turn-up 8H --role elder --lead KC",
    "prepare": "prepare postgresql://127.0.0.1:9/casino",
    "replay": "replay games.egr.jsonl",
    "replay --json": "replay --json games.egr.jsonl",
    "restore": "restore --db restored.db casino.db",
    "review": "review games.egr.jsonl",
    "rng": "rng --decks 3",
    "rotate-key": "rotate-key --db keyed.db",
    "run": "run --headless --games 1 --db night.db",
    "simulate": "simulate --games 2 --engine threads --workers 1",
    "solve": "solve -o solved.xz --passes 1 --iterations 1 --engine threads",
    "statement": "statement t1.p1",
    "table": "table list --url http://127.0.0.1:9",
    "top": "top http://127.0.0.1:9 --once",
    "verify-receipt": "verify-receipt no.tlog-proof --key x",
    "watch": "watch http://127.0.0.1:9",
    "web": "web --redis nonsense",
}
SILENT = {
    "account", "admin", "bet", "bot", "follow", "prepare", "table", "top", "verify-receipt",
    "watch", "web",
}  # fmt: skip
"""Those that refuse what they are given here, and so print nothing."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two small nights, and the records of the games of one."""
    folder = tmp_path_factory.mktemp("streams")
    play_night(folder / "casino.db", games=1)
    play_night(folder / "keyed.db", games=1)
    records = str(folder / "games.egr.jsonl")
    database = str(folder / "casino.db")
    assert main(["export", "--db", database, "--format", "egr", "-o", records]) == 0
    return folder


def shell(folder: Path, line: str, redirection: str) -> tuple[int, str]:
    """A command's exit status behind a redirection of the shell, and what it said on stderr."""
    done = subprocess.run(
        [
            "sh",
            "-c",
            "rm -f night.db* copy.db* copied.db* restored.db*;"
            f" exec {sys.executable} -m casino {line} {redirection}",
        ],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


def test_every_command_is_tried() -> None:
    assert {line.split()[0] for line in LINES} == set(COMMANDS)


@pytest.mark.parametrize("redirection", [">/dev/full", ">&-"])
@pytest.mark.parametrize("name", LINES)
def test_what_cannot_be_printed_is_blamed_on_the_output(
    folder: Path, name: str, redirection: str
) -> None:
    status, said = shell(folder, LINES[name], redirection)
    *before, last = said.splitlines()
    assert (status, len(before)) == (USAGE, 1 if name == "run" else 0), said
    assert last.startswith("casino: ")
    if name not in SILENT:
        assert "cannot write the output" in last
        assert "games.egr.jsonl" not in last


@pytest.mark.parametrize("name", LINES)
def test_input_and_errors_may_be_closed(folder: Path, name: str) -> None:
    assert shell(folder, LINES[name], "<&- 2>&-") == (0 if name not in SILENT else USAGE, "")


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
