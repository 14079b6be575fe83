"""`casino arena` with a bot of one's own."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from casino.cli import main


def test_a_bot_of_ones_own_plays(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A class of a module in this folder; what cannot be one is said in a sentence."""
    monkeypatch.setattr("sys.path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_bots.py").write_text(
        "class First:\n    def choose(self, view, legal_actions, rng):\n"
        "        return legal_actions[0]\n\nBOTS = []\n"
    )
    assert main(["arena", "own_bots:First", "regle", "--games", "4", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 4
    for name, problem in (
        ("own_bots:Second", "own_bots has no class Second"),
        ("own_bots:BOTS", "own_bots has no class BOTS with a method choose"),
        ("no_such:Bot", "there is no module no_such"),
    ):
        assert main(["arena", name, "regle"]) != 0
        assert problem in capsys.readouterr().err
