"""The notebook runs from top to bottom, and its stored output is current."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

NOTEBOOK = Path(__file__).parent.parent / "docs" / "ecarte.ipynb"
TIMEOUT_SECONDS = 300


def outputs(notebook: Path) -> list[Any]:
    """Return the outputs of a notebook's cells, without bitmaps."""
    found = []
    for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
        for output in cell.get("outputs", ()):
            data = {
                kind: text for kind, text in output.get("data", {}).items() if kind[-3:] != "png"
            }
            found.append((data, output.get("text"), output.get("ename")))
    return found


def with_outputs(notebook: Path, executed: Path) -> str:
    """Return the notebook with the outputs of a run, and nothing else of it."""
    page, run = (json.loads(path.read_text("utf-8")) for path in (notebook, executed))
    for cell, ran in zip(page["cells"], run["cells"], strict=True):
        if "outputs" in cell:
            cell["outputs"] = ran["outputs"]
    return json.dumps(page, ensure_ascii=False, indent=1) + "\n"


def test_golden_notebook(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Every cell gives the output that is stored in the file.

    `make golden` stores the current output: a stronger expert changes it.
    """
    pytest.importorskip("nbclient", reason="nbclient is not installed: it runs the notebook")
    executed = tmp_path / "executed.ipynb"
    command = [
        sys.executable, "-m", "jupyter", "execute", str(NOTEBOOK), "--output", str(executed),
    ]  # fmt: skip
    result = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=TIMEOUT_SECONDS
    )
    assert result.returncode == 0, result.stderr
    if request.config.getoption("--write-golden") and outputs(executed) != outputs(NOTEBOOK):
        NOTEBOOK.write_text(with_outputs(NOTEBOOK, executed), "utf-8")
    assert outputs(executed) == outputs(NOTEBOOK)
