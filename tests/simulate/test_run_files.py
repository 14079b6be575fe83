"""Files of a run: growing records, and a checkpoint to resume from."""

from __future__ import annotations

import json
import lzma
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from itertools import islice
from pathlib import Path

import pytest

from casino.ecarte import Laws
from casino.errors import InputError
from casino.simulate import run_files
from casino.simulate.executor import create_engine
from casino.simulate.run_files import RunFiles, check_writable, is_stdout, is_stream, load, save
from casino.simulate.series import SERIES_GAMES, Run, RunJob, RunTotal, play_chunk, run_job
from casino.solver.policy import tables

JOB = RunJob(Run(9 * SERIES_GAMES + 10, 3, "novice", "novice"), width=2)
RECORDED = RunJob(Run(600, 3), recording=True, width=1)


def played(job: RunJob, number: int | None = None) -> RunTotal:
    total = RunTotal(job)
    for at in range(job.chunks if number is None else number):
        total.add(play_chunk(job, at), 0.5)
    return total


def go_on(job: RunJob, chunks: int | None, **files: Path) -> RunTotal:
    run = RunFiles(job, files.get("records"), files.get("checkpoint"), resume=True)
    with run, create_engine("threads", 2) as players:
        for chunk in islice(players.play(job.tasks(run.total.chunks)), chunks):
            run.add(chunk, 0.5)
    return run.total


@pytest.mark.parametrize("steps", [[0], [1, 1, 1], [3, 0, 1], [2, 5]])
def test_resumed_run_equals_uninterrupted_run(steps: list[int], tmp_path: Path) -> None:
    file = tmp_path / "checkpoint.json"
    for step in steps:
        go_on(JOB, step, checkpoint=file)
    assert go_on(JOB, None, checkpoint=file) == played(JOB)
    assert go_on(JOB, None, checkpoint=file) == played(JOB)


def test_records_resume_at_the_checkpoint(tmp_path: Path) -> None:
    job = RECORDED._replace(run=Run(2 * SERIES_GAMES + 9, 3))
    records, checkpoint = tmp_path / "games.egr.jsonl", tmp_path / "checkpoint.json"
    go_on(job, 0, records=records)
    assert not records.exists(), "interrupted before the first games"
    go_on(job, 1, records=records, checkpoint=checkpoint)
    first = records.read_bytes()
    with records.open("ab") as file:
        file.write(b'{"half a rec')
    go_on(job, None, records=records, checkpoint=checkpoint)
    whole = b"".join(play_chunk(job, number).lines.encode() for number in range(3))
    assert records.read_bytes() == whole
    assert whole.startswith(first) and len(first) < len(whole)


OTHER_JOBS: dict[str, Callable[[RunJob], RunJob]] = {
    "games": lambda job: job._replace(run=job.run._replace(games=5)),
    "seed": lambda job: job._replace(run=job.run._replace(seed=4)),
    "house": lambda job: job._replace(run=job.run._replace(house="regle")),
    "challenger": lambda job: job._replace(run=job.run._replace(challenger="regle")),
    "--law": lambda job: job._replace(run=job.run._replace(laws=Laws(target=7))),
    "--records": lambda job: job._replace(recording=True),
    "version": lambda job: job._replace(width=3),
}


@pytest.mark.parametrize("changed", OTHER_JOBS)
def test_checkpoint_of_another_job_is_refused(changed: str, tmp_path: Path) -> None:
    file = tmp_path / "c"
    save(file, played(JOB, 1), 0)
    with pytest.raises(InputError, match=rf"c comes from a run with different options .*{changed}"):
        load(file, OTHER_JOBS[changed](JOB))


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "7", '{"job": 1}', '{"job": {}, "chunks": 1, "counts": 3}', "\x00"]
)
def test_invalid_checkpoint_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "c").write_text(text)
    with pytest.raises(InputError, match="c is not a checkpoint of simulate: choose another file"):
        load(tmp_path / "c", JOB)


def test_checkpoint_with_other_counts_is_refused(tmp_path: Path) -> None:
    save(tmp_path / "c", played(JOB, 1), 0)
    value = json.loads((tmp_path / "c").read_text())
    value["counts"].append(0)
    (tmp_path / "c").write_text(json.dumps(value))
    with pytest.raises(InputError, match=r"different options \(version\)"):
        load(tmp_path / "c", JOB)


def test_checkpoint_is_not_overwritten_without_resume(tmp_path: Path) -> None:
    file = tmp_path / "c"
    save(file, played(JOB, 1), 0)
    with pytest.raises(InputError, match="add --resume, or delete it"):
        RunFiles(JOB, None, file, resume=False)


def test_truncated_records_are_refused(tmp_path: Path) -> None:
    records, checkpoint = tmp_path / "games", tmp_path / "c"
    go_on(RECORDED, None, records=records, checkpoint=checkpoint)
    records.write_text("")
    with pytest.raises(InputError, match="shorter than it was at the checkpoint: start again"):
        go_on(RECORDED, None, records=records, checkpoint=checkpoint)
    records.write_text("a private key")
    with pytest.raises(InputError, match="games is not a file of game records: choose another"):
        go_on(RECORDED, None, records=records, checkpoint=checkpoint)
    assert records.read_text() == "a private key"


@pytest.mark.parametrize("games", [3, 600])
def test_full_disk_is_an_input_error(games: int) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    job = RunJob(Run(games, 3), recording=True, width=1)
    files = RunFiles(job, full, None, resume=False)
    with pytest.raises(InputError, match="cannot write .*full .No space left"), files:
        files.add(play_chunk(job, 0), 0.0)


STREAMED = RunJob(Run(40, 7), recording=True, width=1)
LONG = RunJob(Run(SERIES_GAMES + 40, 7), recording=True, width=1)
PROGRAM = """
import os, sys
from pathlib import Path
from casino.simulate.series import RunJob, play_chunk
from casino.simulate.run_files import RunFiles
from casino.simulate.series import Run
job = RunJob(Run(40, 7), recording=True, width=1)
sys.stdout.write("before\\n")
sys.stdout.flush()
with RunFiles(job, Path(sys.argv[1]), None, resume=False) as files:
    files.add(play_chunk(job, 0), 0.1)
sys.stdout.write("after\\n")
"""


def run_program(records: Path, stdout: Path) -> str:
    """Run a program that writes records; return its standard output, which is a file."""
    line = [sys.executable, "-c", PROGRAM, str(records)]
    with stdout.open("w") as file:
        subprocess.run(line, stdout=file, timeout=120, check=True)
    return stdout.read_text()


def test_pipe_gets_every_record_and_is_opened_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True) as reader:
        assert run_program(pipe, tmp_path / "out") == "before\nafter\n"
        assert reader.communicate(timeout=60)[0] == play_chunk(STREAMED, 0).lines


def test_pipe_cannot_be_resumed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe is a pipe, which cannot be resumed: give a"):
        RunFiles(STREAMED, tmp_path / "pipe", tmp_path / "c", resume=True)
    assert not (tmp_path / "c").exists()


def test_closed_pipe_raises_broken_pipe_error(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    files = RunFiles(STREAMED, pipe, None, resume=False)
    os.close(reader)
    with pytest.raises(BrokenPipeError) as caught, files:
        files.add(play_chunk(STREAMED, 0), 0.0)
    assert caught.value.__context__ is None


def test_records_are_written_before_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known: list[tuple[int, int]] = []

    def save(file: Path, total: RunTotal, written: int) -> None:
        known.append((written, (tmp_path / "r").stat().st_size))
        if len(known) == 3:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(run_files, "save", save)
    with RunFiles(LONG, tmp_path / "r", tmp_path / "c", resume=False) as files:
        files.add(play_chunk(LONG, 0), 0.5)
        with pytest.raises(InputError, match="cannot write .*c .No space left on device"):
            files.add(play_chunk(LONG, 1), 0.5)
    assert [written for written, there in known] == [there for written, there in known]
    assert known[0] == (0, 0) and known[1] < known[2]


NOTED = RunJob(Run(3 * SERIES_GAMES, 5, "novice", "novice"), width=1)


def test_crash_while_saving_keeps_previous_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "c"
    save(file, played(NOTED, 1), 10)

    def crash(*_: object) -> None:
        raise OSError("the machine has gone")

    monkeypatch.setattr(Path, "replace", crash)
    with pytest.raises(OSError, match="gone"):
        save(file, played(NOTED, 2), 20)
    monkeypatch.undo()
    assert load(file, NOTED) == (played(NOTED, 1), 10)
    save(file, played(NOTED, 2), 20)
    assert load(file, NOTED) == (played(NOTED, 2), 20)


def test_changed_table_file_is_another_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pack = lzma.compress
    monkeypatch.setattr(lzma, "compress", lambda body, preset: pack(body, preset=0))
    mine, shipped = tmp_path / "mine.xz", tables.load_packed()
    run = Run(SERIES_GAMES, 5, f"expert:{mine}", "novice")
    mine.write_bytes((files("casino.solver") / tables.SHIPPED).read_bytes())
    job = run_job(run)
    mine.unlink()
    save(tmp_path / "c", RunTotal(job), 0)
    assert load(tmp_path / "c", job)[0].job == job
    mine.write_bytes(tables.pack(shipped._replace(leads=bytes(len(shipped.leads)))))
    tables.load_packed.cache_clear()
    with pytest.raises(InputError, match=r"different options \(tables\): give the same"):
        load(tmp_path / "c", run_job(run))


def test_check_writable_leaves_file_unchanged(tmp_path: Path) -> None:
    kept = tmp_path / "games.jsonl"
    kept.write_text("one\n")
    with pytest.raises(InputError, match="already exists: choose another file"):
        check_writable(kept)
    check_writable(tmp_path / "new.csv")
    assert kept.read_text() == "one\n" and not (tmp_path / "new.csv").exists()


def test_unwritable_file_is_named(tmp_path: Path) -> None:
    for wrong in (tmp_path, tmp_path / "no" / "games.jsonl"):
        with pytest.raises(InputError, match=r"cannot write .*: choose another file") as error:
            check_writable(wrong)
        assert str(wrong) in str(error.value)


def test_check_writable_does_not_open_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    check_writable(pipe)
    assert is_stream(pipe) and is_stream(Path(os.devnull))


def test_regular_files_and_folders_are_not_streams(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.touch()
    assert not any(map(is_stream, (file, tmp_path, tmp_path / "new")))
    assert is_stdout(Path("/dev/stdout")) and is_stream(Path("/dev/stdout"))
    assert not is_stdout(file)
