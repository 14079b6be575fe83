"""Records into a pipe, a device or standard output, and what stands on the disk at any moment."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from casino.errors import InputError
from casino.simulate import run_files
from casino.simulate.chunks import RunJob, play_chunk
from casino.simulate.run_files import RunFiles, SavedRun, load
from casino.simulate.series import SERIES_GAMES, Run

JOB = RunJob(Run(40, 7), recording=True, width=1)
LONG = RunJob(Run(SERIES_GAMES + 40, 7), recording=True, width=1)
PROGRAM = """
import os, sys
from pathlib import Path
from casino.simulate.chunks import RunJob, play_chunk
from casino.simulate.run_files import RunFiles
from casino.simulate.series import Run
job = RunJob(Run(40, 7), recording=True, width=1)
sys.stdout.write("before\\n")
sys.stdout.flush()
with RunFiles(job, Path(sys.argv[1]), None, resume=False) as files:
    files.add(play_chunk(job, 0), 0.1)
sys.stdout.write("after\\n")
"""


def in_a_program(records: Path, stdout: Path) -> str:
    """What a program that writes its records says, its standard output being a file."""
    line = [sys.executable, "-c", PROGRAM, str(records)]
    with stdout.open("w") as file:
        subprocess.run(line, stdout=file, timeout=120, check=True)
    return stdout.read_text()


def test_a_pipe_gets_every_record_and_is_opened_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True) as reader:
        assert in_a_program(pipe, tmp_path / "out") == "before\nafter\n"
        assert reader.communicate(timeout=60)[0] == play_chunk(JOB, 0).lines


def test_a_pipe_cannot_be_resumed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe: a pipe cannot be resumed: name a regular file"):
        RunFiles(JOB, tmp_path / "pipe", tmp_path / "c", resume=True)
    assert not (tmp_path / "c").exists()


def test_a_reader_that_has_enough_is_no_fault_of_the_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    files = RunFiles(JOB, pipe, None, resume=False)
    os.close(reader)
    with pytest.raises(BrokenPipeError) as caught, files:
        files.add(play_chunk(JOB, 0), 0.0)
    assert caught.value.__context__ is None


def test_what_was_played_is_in_the_files_at_once(tmp_path: Path) -> None:
    first = play_chunk(LONG, 0)
    with RunFiles(LONG, tmp_path / "r", tmp_path / "c", resume=False) as files:
        files.add(first, 0.5)
        assert (tmp_path / "r").read_text() == first.lines
        assert load(tmp_path / "c", LONG) == SavedRun(files.total, len(first.lines))


def test_records_are_written_before_their_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known: list[tuple[int, int]] = []

    def save(file: Path, checkpoint: SavedRun) -> None:
        known.append((checkpoint.written, (tmp_path / "r").stat().st_size))
        if len(known) == 3:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(run_files, "save", save)
    with RunFiles(LONG, tmp_path / "r", tmp_path / "c", resume=False) as files:
        files.add(play_chunk(LONG, 0), 0.5)
        with pytest.raises(InputError, match="c: cannot be written .No space left on device"):
            files.add(play_chunk(LONG, 1), 0.5)
    assert [written for written, there in known] == [there for written, there in known]
    assert known[0] == (0, 0) and known[1] < known[2]
