"""The scripts of the pages that need no browser, tested by node's own runner."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPTS = sorted((Path(__file__).parent / "scripts").glob("*.test.mjs"))


def node(*arguments: str | Path, given: str = "") -> subprocess.CompletedProcess[str]:
    if shutil.which("node") is None:
        pytest.skip("node is not installed: apt-get install nodejs")
    line = ["node", *map(str, arguments)]
    return subprocess.run(line, input=given, capture_output=True, text=True, check=False)


def test_page_scripts_pass_their_node_tests() -> None:
    run = node("--test", "--test-reporter=tap", *SCRIPTS)
    assert run.returncode == 0, run.stdout + run.stderr
