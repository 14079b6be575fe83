"""What a run keeps on disk: records that grow with it, and a checkpoint to go on from."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from casino.ecarte import Laws
from casino.errors import InputError
from casino.simulate.chunks import RunJob, RunTotal, play_chunk
from casino.simulate.executor import create_engine
from casino.simulate.run_files import RunFiles, SavedRun, load, save
from casino.simulate.series import SERIES_GAMES, Run

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
        for chunk in islice(players.play(job, run.total.chunks), chunks):
            run.add(chunk, 0.5)
    return run.total


@pytest.mark.parametrize("steps", [[0], [1, 1, 1], [3, 0, 1], [2, 5]])
def test_a_run_resumed_is_the_run_itself(steps: list[int], tmp_path: Path) -> None:
    file = tmp_path / "checkpoint.json"
    for step in steps:
        go_on(JOB, step, checkpoint=file)
    assert go_on(JOB, None, checkpoint=file) == played(JOB)
    assert go_on(JOB, None, checkpoint=file) == played(JOB)


def test_records_go_on_where_the_checkpoint_was(tmp_path: Path) -> None:
    job = RECORDED._replace(run=Run(2 * SERIES_GAMES + 9, 3))
    records, checkpoint = tmp_path / "games.egr.jsonl", tmp_path / "checkpoint.json"
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
    "laws": lambda job: job._replace(run=job.run._replace(laws=Laws(target=7))),
    "recording": lambda job: job._replace(recording=True),
    "width": lambda job: job._replace(width=3),
}


@pytest.mark.parametrize("changed", OTHER_JOBS)
def test_a_checkpoint_belongs_to_one_job(changed: str, tmp_path: Path) -> None:
    file = tmp_path / "c"
    save(file, SavedRun(played(JOB, 1)))
    with pytest.raises(InputError, match=rf"c: belongs to another run, see .*{changed}"):
        load(file, OTHER_JOBS[changed](JOB))


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "7", '{"job": 1}', '{"job": {}, "chunks": 1, "counts": 3}', "\x00"]
)
def test_what_is_no_checkpoint_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "c").write_text(text)
    with pytest.raises(InputError, match="c: is not a checkpoint of simulate: name another file"):
        load(tmp_path / "c", JOB)


def test_a_checkpoint_of_other_counts_is_refused(tmp_path: Path) -> None:
    save(tmp_path / "c", SavedRun(played(JOB, 1)))
    value = json.loads((tmp_path / "c").read_text())
    value["counts"].append(0)
    (tmp_path / "c").write_text(json.dumps(value))
    with pytest.raises(InputError, match="its version"):
        load(tmp_path / "c", JOB)


def test_a_checkpoint_is_not_overwritten_unasked(tmp_path: Path) -> None:
    file = tmp_path / "c"
    save(file, SavedRun(played(JOB, 1)))
    with pytest.raises(InputError, match="add --resume, or remove it"):
        RunFiles(JOB, None, file, resume=False)


def test_records_shorter_than_at_the_checkpoint_are_refused(tmp_path: Path) -> None:
    records, checkpoint = tmp_path / "games", tmp_path / "c"
    go_on(RECORDED, None, records=records, checkpoint=checkpoint)
    records.write_text("")
    with pytest.raises(InputError, match="shorter than at the checkpoint: start again"):
        go_on(RECORDED, None, records=records, checkpoint=checkpoint)


@pytest.mark.parametrize("games", [3, 600])
def test_a_full_disk_is_an_error_and_no_traceback(games: int) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    job = RunJob(Run(games, 3), recording=True, width=1)
    files = RunFiles(job, full, None, resume=False)
    with pytest.raises(InputError, match="full: cannot be written .No space left"), files:
        files.add(play_chunk(job, 0), 0.0)
