"""`casino simulate`: its JSON, its files, its errors, and interruption."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from casino.cli import main
from casino.cli.common import say_compiling
from casino.simulate.series import SERIES_GAMES, Run, RunJob, play_chunk

COMPILING = (
    "Compiling this kind of game for this machine: half a minute to three minutes, once; if "
    "interrupted, it starts over.\n"
)

pytestmark = pytest.mark.usefixtures("empty_folder")


def simulate(*args: str) -> int:
    engine = () if "--engine" in args else ("--engine", "threads")
    return main(["simulate", *engine, *args])


def json_of(capsys: pytest.CaptureFixture[str], *args: str) -> dict[str, Any]:
    assert simulate("--json", *args) == 0
    captured = capsys.readouterr()
    assert captured.err in ("", COMPILING)
    found: dict[str, Any] = json.loads(captured.out)
    return found


def test_compiling_is_announced_in_a_pipe_too(capsys: pytest.CaptureFixture[str]) -> None:
    say_compiling()
    assert capsys.readouterr() == ("", COMPILING)


def without_time(found: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in found.items() if "second" not in key}


def test_laws_come_from_settings_and_law_options(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "config.toml").write_text("[laws]\ntarget = 7\nplay = 'ordinary'\n")
    found = json_of(capsys, "--games", "100", "--law", "target=11", "--law", "packets=2-3")
    assert found["laws"]["target"] == 11
    assert found["laws"]["play"] == "ordinary"
    assert found["laws"]["packets"] == [2, 3]
    assert max(map(int, re.findall(r"\d+", " ".join(found["final_scores"])))) == 11


def test_records_can_be_replayed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "games.egr.jsonl"
    found = json_of(capsys, "--games", "300", "--records", str(file), "--house", "novice")
    assert main(["replay", "--json", str(file)]) == 0
    games = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(games) == 300
    assert sum(game["winner"] == "house" for game in games) == found["house_wins"]
    assert sum(game["stake"] == 3 for game in games) == found["triple"]
    assert sum(len(game["deals"]) for game in games) == found["deals"]


def test_text_output_has_tables(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CASINO_GALLERY_COMMISSION_BP", "250")
    assert simulate("--games", "5000") == 0
    out = capsys.readouterr().out
    assert "5,000 of 5,000 games" in out
    for said in ("Final scores", "kings turned, per deal", "± 95 %", "2.5 % commission"):
        assert said in out


def test_a_dash_writes_records_to_standard_output(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert simulate("--games", "2", "--records", "-") == 0
    out, _ = capfd.readouterr()
    assert [json.loads(line)["egr"] for line in out.splitlines()] == [1, 1]
    assert list(tmp_path.iterdir()) == []


def test_a_sweep_writes_table_plot_and_json(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    sweep = ("--games", "700", "--sweep", "law.vole_unexchanged=1,2", "house=regle,novice")
    assert simulate(*sweep, "--plot", str(tmp_path / "s.svg")) == 0
    assert capsys.readouterr().out.count("±") == 4 * 2 + 1  # the last names it
    assert "novice" in (tmp_path / "s.svg").read_text()
    found = json_of(capsys, *sweep)["sweep"]
    assert [run["settings"] for run in found] == [
        {"law.vole_unexchanged": vole, "house": house}
        for vole in "12"
        for house in ("regle", "novice")
    ]
    alone = json_of(capsys, "--games", "700", "--law", "vole_unexchanged=2", "--house", "novice")
    del found[3]["settings"]
    assert without_time(found[3]) == without_time(alone)


def start_run(*args: str, **streams: Any) -> subprocess.Popen[bytes]:
    """Start a long run in a process of its own, and wait for its first checkpoint."""
    checkpoint = Path("begun")
    # Where the tests run in the background, the shell lets them ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    line = [sys.executable, "-m", "casino", "simulate", *args, "--checkpoint", "begun"]
    process = subprocess.Popen(line, **streams)
    end = monotonic() + 100
    while not (checkpoint.exists() and '"chunks": 0' not in checkpoint.read_text("utf-8")):
        assert process.poll() is None and monotonic() < end
        select.select([], [], [], 0.05)
    return process


@pytest.mark.parametrize(
    ("engine", "stop"),
    [
        ("processes", signal.SIGINT),
        pytest.param("threads", signal.SIGTERM, marks=pytest.mark.nightly),
    ],
)
def test_stopped_run_plots_finished_chunks(engine: str, stop: int, tmp_path: Path) -> None:
    assert simulate("--games", "1") == 0  # compile, however long it takes
    process = start_run(
        "--games", "100000000000", "--json", "--engine", engine, "--plot", "p.svg",
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    os.killpg(process.pid, stop)
    try:
        out, err = process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 130, err
    found = json.loads(out)
    # A process that compiles at the same time may drop from the disk's index what is compiled.
    assert err.decode().removeprefix(COMPILING) == (
        "casino: interrupted; these are the results so far\n"
    )
    job = RunJob(Run(100_000_000_000))
    games = job.width * SERIES_GAMES
    assert found["games"] > 0 and found["games"] % games == 0
    if found["games"] == games:
        assert found["house_wins"] == play_chunk(job, 0).counts.house_wins
    assert "as the house against" in (tmp_path / "p.svg").read_text()
    kept = json.loads((tmp_path / "begun").read_text())
    assert kept["chunks"] * games == found["games"]
