"""Odd values of options and arguments: one sentence and an exit code, never a traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from casino.cli import main
from tests.ledger.night import play_night

NOT_UTF8 = "\udcff"
BET = ["bet", "--table", "t1", "--side", "house", "--name", "ann"]
ODD = {
    "a game not in UTF-8": (["audit", "--game", NOT_UTF8], "is not in UTF-8"),
    "a player not in UTF-8": (["audit", "--player", NOT_UTF8], "is not in UTF-8"),
    "an account not in UTF-8": (["statement", NOT_UTF8], "is not in UTF-8"),
    "a picture of no kind": (["statement", "t1.p1", "--plot", "x.xyz"], "x.xyz: end its name in"),
    "a picture nowhere": (
        ["statement", "t1.p1", "--plot", "/no/where.svg"],
        "cannot use /no/where.svg",
    ),
    "a file in no folder": (
        ["run", "--headless", "--db", "/no/casino.db"],
        "/no/casino.db is not a valid file path",
    ),
    "a folder as file": (["run", "--headless", "--db", "."], ". is not a valid file path"),
    "a host not in UTF-8": (["run", "--host", NOT_UTF8], "is not in UTF-8"),
    "too many chips": ([*BET, "--unit", "1e999999"], "is not an amount of chips"),
    "more chips than there are": ([*BET, "--unit", "1e20"], "is not an amount of chips"),
    "no number of chips": ([*BET, "--unit", "nan"], "is not an amount of chips"),
    "a folder in place of the log": (["audit", "--db", "."], ". is no file: name"),
    "a key for no log": (["rotate-key", "--db", "none.db"], "none.db is not there: name"),
    "no bot": (["arena", "regle"], "Missing argument 'B'. Choose from: novice, anatole, blanche,"),
    "a bot of no name": (["arena", "x", "regle"], "Invalid value for 'A': 'x' is not one of"),
    "no order": (["admin", "dance", "t1"], "Invalid value for 'ORDER': 'dance' is not one of"),
    "no player": (["statement", ""], "PLAYER is empty: give it a value."),
    "a file of no name": (["replay", "casino.db", ""], "FILE is empty: give it a value."),
    "no format": (["export"], "Missing option '--format'. Choose from: beancount, hledger, csv,"),
    "more decks than numbers go": (["rng", "--decks", "9" * 19], "is too great: give at most 18"),
    "half an address": ([*BET, "--unit", "5", "http://[::1"], "is not the address"),
    "a port that is none": ([*BET, "--unit", "5", "http://a:99999"], "is not the address"),
}


@pytest.mark.parametrize("odd", ODD)
def test_odd_values_are_wrong_use_in_one_sentence(
    odd: str, night_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(night_file.parent)
    line, sentence = ODD[odd]
    assert main(line) == 2
    said = capsys.readouterr().err
    assert said.startswith("casino: ") or "press Ctrl-C to stop" in said
    assert sentence in said.splitlines()[-1]
    assert not night_file.with_name("none.db").exists()


def test_a_name_in_pieces_is_the_name_composed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["statement", " Zoe\u0308 ", "--db", str(tmp_path / "casino.db")]) == 2
    play_night(tmp_path / "casino.db", games=1)
    assert main(["statement", " Zoe\u0308 ", "--db", str(tmp_path / "casino.db")]) == 1
    assert "Zo\u00eb has no account" in capsys.readouterr().err


def test_ctrl_c_while_the_program_is_still_loading_is_no_traceback() -> None:
    hook = "type('Hook', (), {'find_spec': staticmethod(find)})"
    program = f"""
import sys
def find(name, *_):
    if name == "click":
        raise KeyboardInterrupt
sys.meta_path.insert(0, {hook})
import casino.cli
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr) == (130, "casino: interrupted\n")


def test_a_host_that_is_none_is_not_called_a_port(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "casino", "run", "--host", "no.invalid", "--port", "0"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2
    assert run.stderr.endswith("cannot be listened on (it is no address): name another host\n")
