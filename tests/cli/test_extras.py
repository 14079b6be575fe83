"""Commands whose extra is not installed name it before they do anything."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from casino.errors import EXTRAS

WITHOUT = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
sys.modules.update(dict.fromkeys(sys.argv[1].split(",")))
from casino.cli import main
for line in json.loads(sys.argv[2]):
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        status = main(line.split(" "))
    print(json.dumps([line, status, out.getvalue(), err.getvalue()]))
"""


def casino(
    folder: Path, *lines: str, without: str = ",".join(EXTRAS)
) -> Iterator[tuple[str, int, str, str]]:
    """Run commands where some modules are missing; yield each with its status, output and error."""
    command = [sys.executable, "-c", WITHOUT, without, json.dumps(lines)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return map(json.loads, done.stdout.splitlines())


SIMULATING = (
    "simulate --games 1", "arena novice regle --games 2", "odds --table",
    "odds --hand 7HKCQCJC7S --turn-up 8H --role elder", "solve -o tables.xz",
)  # fmt: skip
PLOTTING = (
    "simulate --games 1 --plot evening.svg", "arena novice regle --games 2 --plot strength.svg",
)  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "without", "first", "extra"),
    [(SIMULATING, ",".join(EXTRAS), "num", "simulate"), (PLOTTING, "matplotlib", "matpl", "plot")],
)
def test_a_missing_extra_is_named_at_once(
    tmp_path: Path, lines: tuple[str, ...], without: str, first: str, extra: str
) -> None:
    for line, status, out, err in casino(tmp_path, *lines, without=without):
        assert (status, out) == (2, ""), line
        assert err.startswith(f"casino: {first}") and err.count("\n") == 1, line
        assert f" is not installed: run pip install '.[{extra}]'" in err, line
    assert not list(tmp_path.iterdir())


def test_the_expert_bot_needs_no_extra(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('[table]\nhouse = "expert"\n', "utf-8")
    results = casino(
        tmp_path,
        "run --headless --games 2",
        "audit --bots",
        "export --format egr -o games.egr.jsonl",
        "replay games.egr.jsonl",
        "statement Odette*",
    )
    for line, status, _, err in results:
        assert status == 0, (line, err)
