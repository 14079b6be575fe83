"""The operator's own bot at a live table: configured, audited, failing, missing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from casino.bots.registry import get_bot, own_bot_version
from casino.cli import main
from casino.table.runtime import headless
from tests.table.casino_harness import log_of

TIMID = """
class Timid:
    def choose(self, view, legal_actions, rng):
        return legal_actions[rng.randrange(2) if len(legal_actions) > 1 else 0]


class Wild:
    def choose(self, view, legal_actions, rng):
        return [].index(view.turn, 0, **legal_actions)


class Cheat:
    def choose(self, view, legal_actions, rng):
        return 41


class Quitter:
    def choose(self, view, legal_actions, rng):
        raise SystemExit(3)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with the module `ours` the current directory."""
    (tmp_path / "ours.py").write_text(TIMID)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    for cached in (get_bot, own_bot_version):
        cached.cache_clear()
    monkeypatch.delitem(sys.modules, "ours", raising=False)
    return tmp_path


def play(folder: Path, house: str) -> int:
    (folder / "config.toml").write_text(f'[table]\nhouse = "{house}"\n[spectators]\nnumber = 0\n')
    return main(["run", "--headless", "--games", "2", "--seed", "1", "--tables", "1"])


def audit(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str]:
    capsys.readouterr()
    status = main(["audit", "--bots", *options])
    return status, capsys.readouterr().out


def test_audit_checks_own_bot_only_if_configured(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert play(folder, "ours:Timid") == 0
    status, text = audit(capsys)
    assert (status, "ours:Timid" in text) == (0, False)
    (folder / "config.toml").write_text("")
    status, text = audit(capsys)
    assert status == 0
    assert "warning: bots: deal 1, token " in text
    assert ": ours:Timid is the operator's own bot, so its decisions cannot be checked" in text


def test_changed_module_counts_as_another_bot(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert play(folder, "ours:Timid") == 0
    (folder / "ours.py").write_text(TIMID + "# changed\n")
    own_bot_version.cache_clear()
    status, text = audit(capsys)
    assert status == 0
    assert "this program has no bot ours:Timid " in text


@pytest.mark.parametrize(
    ("bot", "error", "why"),
    [
        ("Wild", "TypeError", "choose raised TypeError("),
        ("Cheat", "InputError", "chose 41, which is not legal here: choose one of "),
        ("Quitter", "SystemExit", "choose raised SystemExit(3) at "),
    ],
)
def test_game_is_void_when_own_bot_fails(
    folder: Path,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    bot: str,
    error: str,
    why: str,
) -> None:
    headless._REPORTED.clear()
    assert play(folder, f"ours:{bot}") == 0
    ends = [body for body in log_of(folder / "casino.db") if b'"type":"game_void"' in body]
    assert len(ends) == 2
    assert all(error.encode() in body for body in ends)
    assert f"; 2 void, because a bot failed: {error}.\n" in capsys.readouterr().out
    (warned,) = caplog.messages
    assert warned.startswith("game t1-000001 is void: bot ours:") and why in warned


@pytest.mark.parametrize(
    ("bot", "sentence"),
    [
        (
            "theirs:Timid",
            "there is no module theirs: run the command in the folder that contains it",
        ),
        ("ours:Bold", "ours has no class Bold with a method choose"),
        ("broken:Timid", "broken cannot be imported: NameError("),
        ("needy:Timid", "needy imports nosuch, which is not installed: install it"),
        ("unclear:Timid", "unclear.py, line 2: expected ':'"),
    ],
)
def test_bot_that_cannot_be_imported_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], bot: str, sentence: str
) -> None:
    (folder / "broken.py").write_text("nothing\n")
    (folder / "needy.py").write_text("import nosuch.part\n")
    (folder / "unclear.py").write_text("\nclass Timid\n")
    assert play(folder, bot) == 2
    assert f"table t1, house: bot {bot}: {sentence}" in capsys.readouterr().err
