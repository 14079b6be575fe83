"""The scripts of the pages that need no browser, tested by node's own runner."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

SCRIPTS = Path(__file__).parent / "scripts"
TESTS = sorted(SCRIPTS.glob("*.test.mjs"))


def node(*arguments: str | Path, given: str = "") -> str:
    """Run node in the folder of the scripts; return its output."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed: apt-get install nodejs")
    line = ["node", *map(str, arguments)]
    run = subprocess.run(
        line, cwd=SCRIPTS, input=given, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def node_lines(*arguments: str | Path, given: Iterable[Any] = ()) -> list[Any]:
    """Run node with a JSON value on each line of its input and its output."""
    run = node(*arguments, given="".join(json.dumps(one) + "\n" for one in given))
    return [json.loads(line) for line in run.splitlines()]


def test_page_scripts_pass_their_node_tests() -> None:
    node("--test", "--test-reporter=tap", *TESTS)
