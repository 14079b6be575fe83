"""Files written during a run: the records of its games, and a checkpoint."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO

from casino.errors import InputError
from casino.simulate.checkpoint import SavedRun, load, save
from casino.simulate.chunks import Chunk, RunJob, RunTotal
from casino.simulate.output import STDOUT, check_writable, is_stdout, is_stream, write_error


class RunFiles:
    """The files of one run; either may be missing. Every error names its file."""

    def __init__(
        self, job: RunJob, records: Path | None, checkpoint: Path | None, resume: bool
    ) -> None:
        self.checkpoint = checkpoint
        self.total, written = SavedRun(RunTotal(job))
        if records is not None and checkpoint is not None and is_stream(records):
            raise InputError(
                f"{records}: a pipe cannot be resumed: name a regular file, or "
                "leave out --checkpoint"
            )
        if checkpoint is not None and checkpoint.exists():
            if not resume:
                raise InputError(f"{checkpoint}: exists already: add --resume, or remove it")
            self.total, written = load(checkpoint, job)
        self._records = None if records is None else _opened(records, written)
        if checkpoint is not None:
            self._save(checkpoint)

    def __enter__(self) -> RunFiles:
        return self

    def __exit__(self, _kind: object, raised: BaseException | None, _where: object) -> None:
        if self._records is None:
            return
        try:
            self._records.close()
        except OSError as error:
            if raised is None:
                raise write_error(Path(self._records.name), error) from None

    def add(self, chunk: Chunk, seconds: float) -> None:
        """Add the next chunk: its records, its counts, and then the checkpoint."""
        if self._records is not None:
            try:
                self._records.write(chunk.lines.encode())
                self._records.flush()
            except BrokenPipeError:
                raise  # the reader closed the pipe: that is not an error of the file
            except OSError as error:
                raise write_error(Path(self._records.name), error) from None
        self.total.add(chunk, seconds)
        if self.checkpoint is not None:
            self._save(self.checkpoint)

    def _save(self, checkpoint: Path) -> None:
        written = 0 if self._records is None else self._records.tell()
        try:
            save(checkpoint, SavedRun(self.total, written))
        except OSError as error:
            raise write_error(checkpoint, error) from None


def _opened(records: Path, written: int) -> BinaryIO:
    """Open the records file, truncated to what the checkpoint covers."""
    if is_stdout(records):
        # Opening the same file twice would overwrite what was already written.
        return open(records, "wb", opener=lambda *_: os.dup(STDOUT))
    check_writable(records)
    try:
        stream = records.open("wb" if is_stream(records) else "r+b")
    except OSError as error:
        raise write_error(records, error) from None
    if is_stream(records):
        return stream
    if stream.seek(0, 2) < written:
        stream.close()
        raise InputError(f"{records}: is shorter than at the checkpoint: start anew")
    stream.truncate(written)
    stream.seek(written)
    return stream
