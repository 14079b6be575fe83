"""A checkpoint file from which a run can be resumed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from casino.ecarte import laws_json
from casino.errors import InputError
from casino.simulate.chunks import RunJob, RunTotal
from casino.simulate.counts import COUNTED, GameCounts


class SavedRun(NamedTuple):
    """The state of a run, and how many bytes of its records were written by then."""

    total: RunTotal
    written: int = 0


def save(file: Path, checkpoint: SavedRun) -> None:
    """Replace the checkpoint; a crash leaves either the old one or the new one."""
    total = checkpoint.total
    fresh = file.with_name(file.name + ".new")
    fresh.write_text(
        json.dumps(
            {
                "job": _job_json(total.job),
                "chunks": total.chunks,
                "counts": total.counts.row,
                "course": list(total.course),
                "seconds": total.seconds,
                "written": checkpoint.written,
            }
        ),
        "utf-8",
    )
    fresh.replace(file)


def load(file: Path, job: RunJob) -> SavedRun:
    """Return the checkpoint of this job; refuse one of any other job."""
    try:
        value = json.loads(file.read_text("utf-8"))
        counts = GameCounts(tuple(value["counts"]))
        total = RunTotal(job, value["chunks"], counts, value["course"], value["seconds"])
        checkpoint = SavedRun(total, value["written"])
        theirs = dict(value["job"])
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror}): name another file") from None
    except (ValueError, KeyError, TypeError):
        raise InputError(f"{file}: is not a checkpoint of simulate: name another file") from None
    if theirs != _job_json(job) or len(total.counts.row) != COUNTED:
        changed = [key for key, mine in _job_json(job).items() if theirs.get(key) != mine]
        raise InputError(
            f"{file}: belongs to another run, see {', '.join(changed) or 'its version'}: "
            "give the same options, or another --checkpoint"
        )
    return checkpoint


def _job_json(job: RunJob) -> dict[str, Any]:
    of_run = job.run._asdict() | {"laws": laws_json(job.run.laws)}
    how = {"tables": list(job.tables), "recording": job.recording, "width": job.width}
    return {**of_run, **how}
