"""The command line: exit codes, one sentence for each error, lazy imports."""

from __future__ import annotations

import subprocess
import sys
from io import StringIO
from pathlib import Path

import click
import pytest
from rich.table import Table

from casino.cli import MODULES, main
from casino.cli.common import config_option, make_console
from casino.config import Config
from casino.errors import CardsError

ROOT = Path(__file__).parent.parent.parent
HEAVY = {
    "casino.ledger", "casino.reports", "casino.table", "cryptography", "flask", "gevent",
    "matplotlib", "msgspec", "numba", "numpy", "pydantic", "rich.console", "socketio", "sqlite3",
}  # fmt: skip
HEAVIEST = {"flask", "gevent", "matplotlib", "numba", "numpy", "socketio"}


@click.command(epilog="Example: casino hello good")
@click.argument("what")
@config_option
def command(what: str, config: Config) -> int | None:
    match what:
        case "bad":
            raise CardsError("XX is no card")
        case "interrupted":
            raise KeyboardInterrupt
        case "found":
            return 1
        case _:
            click.echo(f"hello {what} at {config.table.pace_ms} ms")
    return None


def run_python(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("line", "status", "out", "err"),
    [
        ("hello you", 0, "hello you at 600 ms\n", ""),
        ("hello found", 1, "", ""),
        ("hello bad", 2, "", "casino: XX is no card\n"),
        ("hello interrupted", 130, "", "\ncasino: interrupted\n"),
        ("hello", 2, "", "casino: missing argument 'WHAT'. See 'casino hello --help'.\n"),
        ("hello a b", 2, "",
         "casino: got unexpected extra argument (b). See 'casino hello --help'.\n"),
        (["hello", " "], 2, "",
         "casino: WHAT is empty: give it a value. See 'casino hello --help'.\n"),
        ("hello --no", 2, "", "casino: no such option '--no'. See 'casino hello --help'.\n"),
        ("hello you --config none.toml", 2, "", "casino: cannot read none.toml (No such file"),
        ("fly", 2, "", "casino: there is no command 'fly': choose one of "),
        ("hell", 2, "",
         "casino: there is no command 'hell': did you mean hello? See 'casino --help'.\n"),
        ("", 2, "", "Usage: casino [OPTIONS] COMMAND"),
    ],
)  # fmt: skip
def test_each_outcome_has_its_exit_code_and_message(
    line: str | list[str],
    status: int,
    out: str,
    err: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(MODULES, "hello", __name__)
    assert main(line.split() if isinstance(line, str) else line) == status
    captured = capsys.readouterr()
    assert captured.out == out
    assert captured.err.startswith(err)
    assert bool(captured.err) == bool(err)


def test_help_loads_no_heavy_library() -> None:
    program = (
        "import sys; from casino.cli import MODULES, main; main(['--help']);"
        f"print(*{HEAVY!r} & set(sys.modules), '.');"
        "[main([command, '--help']) for command in MODULES];"
        f"print(*{HEAVIEST!r} & set(sys.modules))"
    )
    lines = run_python("-c", program).stdout.splitlines()
    assert "." in lines
    assert lines[-1] == ""
    assert "  resume TABLE         reopen a paused or closed table" in lines
    assert not any("\\b" in line for line in lines)


def test_python_m_casino_runs_the_program() -> None:
    assert run_python("-m", "casino", "--version").stdout.startswith("casino, version ")
    assert run_python("-m", "casino", "fly").returncode == 2


LONG = "a sentence of many words " * 20


@pytest.mark.parametrize("columns", ["40", None])
def test_piped_lines_are_not_wrapped(columns: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)
    out = StringIO()
    table = Table("what", box=None)
    table.add_row(LONG)
    make_console(out).print(LONG, table)
    assert [line.strip() for line in out.getvalue().splitlines()] == [
        LONG.strip(),
        "what",
        LONG.strip(),
    ]
