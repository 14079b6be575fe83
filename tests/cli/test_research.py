"""`casino arena`, `casino solve` and `casino rng`."""

from __future__ import annotations

import json
import lzma
import signal
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest
from click.testing import CliRunner

from casino.cli import main
from casino.cli.research.rng import command
from casino.ecarte import format_cards
from casino.fairness import blocks, combine, deck
from casino.simulate.match import MatchJob, MatchResult
from casino.solver.training.run import TrainedScore
from tests.cli.test_simulate import COMPILING, without_time

pytestmark = pytest.mark.usefixtures("empty_folder")


def arena(*args: str) -> int:
    return main(["arena", "--engine", "threads", *args])


def test_arena_reports_the_winner(capsys: pytest.CaptureFixture[str]) -> None:
    assert arena("regle", "novice", "--games", "400") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "regle wins 8" in said and "of 400 games against novice" in said
    assert "every deal played from both seats (seed 1," in said
    assert "It wins 1." in said and "stakes per game." in said
    assert arena("novice", "regle", "--games", "400") == 0
    assert "It loses 1." in " ".join(capsys.readouterr().out.split())


def test_arena_json_is_reproducible(capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for _ in range(2):
        assert arena("regle", "novice", "--games", "301", "--seed", "4", "--json") == 0
        captured = capsys.readouterr()
        assert captured.err in ("", COMPILING)
        found.append(json.loads(captured.out))
    assert found[0]["games"] == 302
    assert without_time(found[0]) == without_time(found[1])


def test_interrupted_arena_prints_partial_results(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = MatchJob.play

    def play(match: MatchJob, number: int) -> MatchResult:
        if number:
            raise KeyboardInterrupt
        return usual(match, number)

    monkeypatch.setattr(MatchJob, "play", play)
    assert arena("regle", "novice", "--games", "9000", "--json", "--workers", "1") == 130
    captured = capsys.readouterr()
    assert json.loads(captured.out)["games"] == 2048
    assert "interrupted; these are the results so far" in captured.err
    monkeypatch.setattr(MatchJob, "play", lambda _, number: play(MatchJob("", "", 1), number + 1))
    assert arena("regle", "novice", "--games", "9000", "--workers", "1") == 130
    assert capsys.readouterr() == ("", "casino: interrupted; no games finished yet\n")


def test_arena_accepts_custom_bots(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.path", [*sys.path])
    own = tmp_path / "own_bots.py"
    own.write_text(
        "class First:\n    def choose(self, view, legal_actions, rng):\n"
        "        return legal_actions[0]\n"
        "class Wild:\n    def choose(self, *_):\n        return 99\n"
        "class Broken:\n    def choose(self, *_):\n        return [][1]\n"
        "class Gone:\n    def choose(self, *_):\n        raise SystemExit(3)\n"
    )
    assert arena("own_bots:First", "regle", "--games", "4", "--json") == 0
    assert json.loads(capsys.readouterr().out)["games"] == 4
    assert arena("own_bots:Wild", "regle") == 2
    assert " chose 99, which is not legal here: choose one of P, S\n" in capsys.readouterr().err
    assert arena("own_bots:Gone", "regle") == 2
    assert f"Gone: choose raised SystemExit(3) at {own}:12\n" in capsys.readouterr().err
    assert main(["simulate", "--house", "regle", "--challenger", "own_bots:Broken"]) == 2
    fault = f"Broken: choose raised IndexError('list index out of range') at {own}:9\n"
    assert capsys.readouterr().err == f"casino: bot own_bots:{fault}"


QUICK = ("--iterations", "40", "--passes", "1", "--engine", "threads")


def test_solve_writes_tables_a_bot_can_use(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`eugenie:FILE` plays by the file in the arena; another plan cannot reuse the work folder."""
    pack = lzma.compress
    monkeypatch.setattr(lzma, "compress", lambda body, preset: pack(body, preset=0))
    assert main(["solve", "-o", "mine.xz", *QUICK, "--law", "vole_unexchanged=2"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    body = Path("mine.xz").read_bytes()
    assert f"mine.xz: {len(body):,} bytes, all scores solved with seed 1." in said
    assert len(list(Path("solving").glob("*.npz"))) == 45
    assert main(["solve", "-o", "again.xz", *QUICK]) == 2
    assert "solving holds the progress of another plan" in capsys.readouterr().err
    args = ["--games", "300", "--engine", "threads", "--json"]
    assert main(["arena", "eugenie", "eugenie:mine.xz", *args]) == 0
    printed = capsys.readouterr()
    assert "mine.xz was solved for other laws (vole_unexchanged=2)" in printed.err
    found = json.loads(printed.out.splitlines()[-1])
    assert found["second"] == "eugenie:mine.xz" and found["first_wins"] > 165
    for name in ("eugenie:none.xz", "regle:mine.xz", "eugenie:"):
        assert main(["arena", "eugenie", name, *args]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "cannot read none.xz" in said and said.count("there is no bot") == 2


def test_interrupted_solve_says_where_to_resume(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> TrainedScore:
        signal.raise_signal(signal.SIGTERM)
        raise AssertionError

    monkeypatch.setattr("casino.solver.training.run.Task.run", stopped)
    assert main(["solve", "-o", "mine.xz", *QUICK]) == 130
    assert "the same command resumes from solving" in " ".join(capsys.readouterr().err.split())
    assert not Path("mine.xz").exists()


SEED = bytes(range(32))


def run(*args: str) -> bytes:
    result = CliRunner().invoke(command, args, catch_exceptions=False)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout_bytes


def test_rng_decks_are_those_of_a_game_called_rng() -> None:
    decks = [format_cards(deck(SEED, "rng", combine([]), number)) for number in (1, 2, 3)]
    assert run("--decks", "3", "--seed", SEED.hex()).decode() == "".join(f"{d}\n" for d in decks)


def test_rng_streams_until_the_reader_closes() -> None:
    line, pipe = [sys.executable, "-m", "casino", "rng", "--raw", "--seed"], subprocess.PIPE
    with subprocess.Popen([*line, SEED.hex()], stdout=pipe, stderr=pipe) as program:
        assert program.stdout is not None
        found = program.stdout.read(200_000)
        program.stdout.close()
        assert program.wait(timeout=60) == 141
        assert program.stderr is not None
        assert program.stderr.read() == b""
    stream = b"".join(islice(blocks(SEED, f"rng|1|{combine([])}"), 6250))
    assert found == stream
