"""`casino solve`: a file that the expert can read, progress that is kept, and its errors."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest

from casino.cli import main
from casino.solver.policy.tables import policy_tables
from casino.solver.training.run import TrainedScore

QUICK = ("--iterations", "40", "--passes", "1", "--engine", "threads")


@pytest.fixture(autouse=True)
def _usual_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_it_writes_tables_that_bots_can_play_by(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two processes make the file that one thread makes; `eugenie:FILE` goes by it in the arena.

    The progress is left in a folder, where no other plan can go on.
    """
    pack = lzma.compress
    monkeypatch.setattr(lzma, "compress", lambda body, preset: pack(body, preset=0))
    assert main(["solve", "-o", "mine.xz", *QUICK, "--law", "vole_unexchanged=2"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    body = Path("mine.xz").read_bytes()
    assert f"mine.xz: {len(body):,} bytes, all scores solved with seed 1." in said
    assert len(list(Path("solving").glob("*.npz"))) == 45
    assert len(policy_tables(True, Path("mine.xz").resolve()).equity.__class__.__name__) > 0
    assert main(["solve", "-o", "again.xz", *QUICK]) == 2
    assert "solving: keeps what was solved by another plan" in capsys.readouterr().err
    processes = (*QUICK[:-2], "--workers", "2", "--keep", "other")
    assert main(["solve", "-o", "two.xz", *processes, "--law", "vole_unexchanged=2"]) == 0
    assert Path("two.xz").read_bytes() == body
    args = ["--games", "300", "--engine", "threads", "--json"]
    assert main(["arena", "eugenie", "eugenie:mine.xz", *args]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert found["second"] == "eugenie:mine.xz" and found["first_wins"] > 165
    for name in ("eugenie:none.xz", "regle:mine.xz", "eugenie:"):
        assert main(["arena", "eugenie", name, *args]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "none.xz: cannot be read" in said and said.count("is not one of") == 2


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([], "Missing option '-o'"),
        (
            ["-o", "x.xz", "--law", "play=ordinary"],
            "under the strict law of play: change law.target, law.vole_unexchanged or law.deal",
        ),
        (["-o", "missing/x.xz"], "cannot be written"),
        (["-o", "x.xz", "--keep", "file/sub"], "file/sub: cannot be made"),
        (["-o", "x.xz", "--passes", "0"], "must be a whole number from 1 to 20"),
    ],
)
def test_wrong_use_is_said_in_a_sentence(
    args: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """And exits with 2."""
    Path("file").touch()
    assert main(["solve", *args]) == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_an_interruption_says_where_to_resume(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 130; nothing is written."""

    def stopped(*_: object) -> TrainedScore:
        """Somebody presses Ctrl-C."""
        raise KeyboardInterrupt

    monkeypatch.setattr("casino.solver.training.run.Task.run", stopped)
    assert main(["solve", "-o", "mine.xz", *QUICK]) == 130
    assert "the same command resumes from solving" in " ".join(capsys.readouterr().err.split())
    assert Path("mine.xz").read_bytes() == b""
