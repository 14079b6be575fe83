"""The notebook: it runs from top to bottom, and shows what it gives."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

NOTEBOOK = Path(__file__).parent.parent / "docs" / "ecarte.ipynb"
PATIENCE_S = 300


def outputs(notebook: Path) -> list[Any]:
    """What the cells of a notebook show, pictures made of pixels left out."""
    found = []
    for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
        for output in cell.get("outputs", ()):
            data = {
                kind: text for kind, text in output.get("data", {}).items() if kind[-3:] != "png"
            }
            found.append((data, output.get("text"), output.get("ename")))
    return found


def test_the_notebook_gives_what_it_shows(tmp_path: Path) -> None:
    """Run from top to bottom, every cell gives the output that is stored in the file."""
    pytest.importorskip("nbclient", reason="nbclient is not installed: it runs the notebook")
    executed = tmp_path / "executed.ipynb"
    command = [
        sys.executable, "-m", "jupyter", "execute", str(NOTEBOOK), "--output", str(executed),
    ]  # fmt: skip
    result = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    assert result.returncode == 0, result.stderr
    assert outputs(executed) == outputs(NOTEBOOK)


def test_the_notebook_shows_cards_and_plots() -> None:
    """Deals are drawn as cards, an evening as a picture."""
    kinds = [
        set(output.get("data", ()))
        for cell in json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
        for output in cell.get("outputs", ())
    ]
    assert sum("image/svg+xml" in kind for kind in kinds) >= 3
    assert any("image/png" in kind for kind in kinds)
