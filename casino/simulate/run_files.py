"""Files of a simulation run: its game records and its checkpoint."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Final

from casino.ecarte import laws_json
from casino.errors import InputError, already_exists
from casino.simulate.series import Chunk, RunJob, RunTotal
from casino.simulate.statistics import COUNTED, GameCounts


class RunFiles:
    """The record file and the checkpoint of a run, both optional. Errors name the file."""

    def __init__(
        self, job: RunJob, records: Path | None, checkpoint: Path | None, resume: bool
    ) -> None:
        self.checkpoint = checkpoint
        self.total, written = RunTotal(job), 0
        if records is not None and checkpoint is not None and is_stream(records):
            raise InputError(
                f"{records} is a pipe, which cannot be resumed: give a regular file, or leave out "
                "--checkpoint"
            )
        if checkpoint is not None and checkpoint.exists():
            if not resume:
                raise InputError(f"{checkpoint} already exists: add --resume, or delete it")
            self.total, written = load(checkpoint, job)
        if records is not None and not resume:
            check_writable(records)
        self._records = None if records is None else _opened(records, written)
        if checkpoint is not None:
            # An unwritable checkpoint must fail now, not after the first chunk.
            self._save(checkpoint)

    def __enter__(self) -> RunFiles:
        return self

    def __exit__(self, _kind: object, raised: BaseException | None, _where: object) -> None:
        if self._records is None:
            return
        # Closing repeats a failed flush: do not let it hide the first error.
        with suppress(OSError) if raised else _writing(self._records.name):
            self._records.close()
        if not self.total.chunks and not is_stream(file := Path(self._records.name)):
            file.resolve().unlink()  # interrupted before the first games

    def add(self, chunk: Chunk, seconds: float) -> None:
        """Add the next chunk: write its records, then count it, then save the checkpoint."""
        if self._records is not None:
            with _writing(self._records.name):
                # If the process dies before the checkpoint, `_opened` truncates these records on
                # resume.
                self._records.write(chunk.lines.encode())
                self._records.flush()
        self.total.add(chunk, seconds)
        if self.checkpoint is not None:
            self._save(self.checkpoint)

    def _save(self, checkpoint: Path) -> None:
        written = 0 if self._records is None else self._records.tell()
        with _writing(checkpoint):
            save(checkpoint, self.total, written)


def _opened(records: Path, written: int) -> BinaryIO:
    """Open the record file, truncated to the length that the checkpoint covers."""
    if is_stdout(records):
        # A duplicate shares the file offset; opening the file again would overwrite earlier output.
        return open(records, "wb", opener=lambda *_: os.dup(STDOUT))
    is_old = records.is_file()
    with _writing(records):
        stream = records.open("r+b" if is_old else "wb")
    if is_stream(records):
        return stream
    if is_old and stream.read(len(_FIRST_BYTES)) not in (b"", _FIRST_BYTES):
        stream.close()
        raise InputError(f"{records} is not a file of game records: choose another file")
    if stream.seek(0, 2) < written:
        stream.close()
        raise InputError(f"{records} is shorter than it was at the checkpoint: start again")
    stream.truncate(written)
    stream.seek(written)
    return stream


_FIRST_BYTES: Final = b'{"egr": '  # of a game record
STDOUT: Final = 1  # the file descriptor of standard output


def check_writable(file: Path) -> None:
    """Raise `InputError` if a file exists or cannot be created, before a long run."""
    if is_stream(file):
        return  # opening and closing a pipe would end it for its reader
    if file.is_file():
        raise already_exists(file)
    with _writing(file):
        file.open("ab").close()
    file.resolve().unlink()  # not a link to it


def is_stream(file: Path) -> bool:
    """Return True if a file can only be written sequentially: stdout, a pipe or a device."""
    return is_stdout(file) or (file.exists() and not file.is_file() and not file.is_dir())


def is_stdout(file: Path) -> bool:
    """Return True if a path is the file to which standard output is redirected."""
    with suppress(OSError):
        return os.path.samestat(file.stat(), os.fstat(STDOUT))
    return False


@contextmanager
def _writing(file: Path | str) -> Iterator[None]:
    """Raise `InputError`, naming the file, if it cannot be written."""
    try:
        yield
    except BrokenPipeError:
        raise  # the reader closed the pipe, which is not an error in the file
    except OSError as error:
        raise InputError(f"cannot write {file} ({error.strerror}): choose another file") from None


def save(file: Path, total: RunTotal, written: int) -> None:
    """Write the checkpoint atomically: a crash leaves either the old one or the new one.

    `written` is the length of the record file in bytes.
    """
    value = {
        "job": _job_json(total.job),
        "chunks": total.chunks,
        "counts": total.counts.row,
        "course": list(total.course),
        "seconds": total.seconds,
        "written": written,
    }
    fresh = file.with_name(file.name + ".new")
    fresh.write_text(json.dumps(value), "utf-8")
    fresh.replace(file)


def load(file: Path, job: RunJob) -> tuple[RunTotal, int]:
    """Return the totals and record length that `save` wrote; raise `InputError` if unusable."""
    try:
        value = json.loads(file.read_text("utf-8"))
        counts = GameCounts(tuple(value["counts"]))
        total = RunTotal(job, value["chunks"], counts, value["course"], value["seconds"])
        written, theirs = int(value["written"]), dict(value["job"])
    except OSError as error:
        raise InputError(f"cannot read {file} ({error.strerror}): choose another file") from None
    except (ValueError, KeyError, TypeError):
        raise InputError(f"{file} is not a checkpoint of simulate: choose another file") from None
    if theirs != _job_json(job) or len(total.counts.row) != COUNTED:
        changed = [key for key, mine in _job_json(job).items() if theirs.get(key) != mine]
        options = ", ".join(_OPTIONS.get(key, f"--{key}") for key in changed if key != "width")
        raise InputError(
            f"{file} comes from a run with different options ({options or 'version'}): "
            "give the same ones, or choose another --checkpoint"
        )
    return total, written


# Values of a job that are not named like their option; its width has none.
_OPTIONS: Final = {"laws": "--law", "recording": "--records", "tables": "tables"}


def _job_json(job: RunJob) -> dict[str, Any]:
    of_run = job.run._asdict() | {"laws": laws_json(job.run.laws)}
    how = {"tables": list(job.tables), "recording": job.recording, "width": job.width}
    return {**of_run, **how}
