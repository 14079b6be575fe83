"""A checkpoint is whole at every moment: a crash leaves the one before or the one after."""

from __future__ import annotations

import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from casino.errors import InputError
from casino.simulate.chunks import RunJob, RunTotal, play_chunk, run_job
from casino.simulate.run_files import SavedRun, load, save
from casino.simulate.series import SERIES_GAMES, Run
from casino.solver.policy import tables

JOB = RunJob(Run(3 * SERIES_GAMES, 5, "novice", "novice"), width=1)


def after(chunks: int) -> RunTotal:
    total = RunTotal(JOB)
    for number in range(chunks):
        total.add(play_chunk(JOB, number), 0.5)
    return total


def test_a_crash_while_it_is_written_leaves_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "c"
    save(file, SavedRun(after(1), 10))

    def crash(*_: object) -> None:
        raise OSError("the machine has gone")

    monkeypatch.setattr(Path, "replace", crash)
    with pytest.raises(OSError, match="gone"):
        save(file, SavedRun(after(2), 20))
    monkeypatch.undo()
    assert load(file, JOB) == SavedRun(after(1), 10)
    save(file, SavedRun(after(2), 20))
    assert load(file, JOB) == SavedRun(after(2), 20)


def test_a_full_disk_leaves_the_one_before(tmp_path: Path) -> None:
    file = tmp_path / "c"
    save(file, SavedRun(after(1), 10))
    before = file.read_bytes()
    program = f"""
import resource, signal
from pathlib import Path
from casino.simulate.run_files import SavedRun, save
from casino.simulate.chunks import RunJob, RunTotal
from casino.simulate.series import Run
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    save(Path({str(file)!r}), SavedRun(RunTotal(RunJob(Run(5))), 0))
except OSError:
    print("full")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("full\n", "")
    assert file.read_bytes() == before


def test_other_tables_under_the_same_name_are_another_run(tmp_path: Path) -> None:
    mine, shipped = tmp_path / "mine.xz", tables.load_packed()
    run = Run(SERIES_GAMES, 5, f"expert:{mine}", "novice")
    mine.write_bytes((files("casino.solver") / tables.SHIPPED).read_bytes())
    job = run_job(run)
    mine.unlink()
    save(tmp_path / "c", SavedRun(RunTotal(job)))
    assert load(tmp_path / "c", job).total.job == job
    mine.write_bytes(tables.pack(shipped._replace(leads=bytes(len(shipped.leads))), {}))
    tables.load_packed.cache_clear()
    with pytest.raises(InputError, match="belongs to another run, see tables: give the same"):
        load(tmp_path / "c", run_job(run))
