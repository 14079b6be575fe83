"""Commands whose extra is not installed: they say which one, before anything is done."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from casino.errors import EXTRAS

WITHOUT = """
import sys
sys.modules.update(dict.fromkeys(sys.argv.pop(1).split(",")))
from casino.cli import main
sys.exit(main())
"""


def casino(
    folder: Path, *args: str, without: str = ",".join(EXTRAS)
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT, without, *args]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("args", "extra"),
    [
        (("simulate", "--games", "1"), "simulate"),
        (("arena", "novice", "regle", "--games", "2"), "simulate"),
        (("odds", "--hand", "7H KC QC JC 7S", "--turn-up", "8H", "--role", "elder"), "simulate"),
        (("solve", "-o", "tables.xz"), "simulate"),
    ],
)
def test_a_command_without_its_extra_names_it(
    tmp_path: Path, args: tuple[str, ...], extra: str
) -> None:
    result = casino(tmp_path, *args)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("casino: num")
    assert f"pip install 'ecarte-casino[{extra}]'" in result.stderr
    assert result.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_picture_that_cannot_be_drawn_is_refused_at_once(tmp_path: Path) -> None:
    args = "simulate", "--games", "1", "--plot", "evening.svg"
    result = casino(tmp_path, *args, without="matplotlib")
    assert (result.returncode, result.stdout) == (2, "")
    assert "matplotlib is not installed: run pip install 'ecarte-casino[plot]'" in result.stderr
    assert not list(tmp_path.iterdir())


def test_a_table_with_the_expert_needs_no_extra(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('[table]\nhouse = "expert"\n', "utf-8")
    steps = (
        ("run", "--headless", "--games", "2"),
        ("audit", "--bots"),
        ("export", "--format", "egr", "-o", "games.egr.jsonl"),
        ("replay", "games.egr.jsonl"),
        ("statement", "Odette*"),
    )
    for step in steps:
        result = casino(tmp_path, *step)
        assert result.returncode == 0, (step, result.stderr)
