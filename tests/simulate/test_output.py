"""The files of a long run: tried before it begins, and left as they are by the trial."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from casino.errors import InputError
from casino.simulate.run_files import check_writable, is_stdout, is_stream


def test_a_file_that_can_be_written_is_left_as_it_is(tmp_path: Path) -> None:
    kept = tmp_path / "games.jsonl"
    kept.write_text("one\n")
    check_writable(kept)
    check_writable(tmp_path / "new.csv")
    assert kept.read_text() == "one\n"


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    for wrong in (tmp_path, tmp_path / "no" / "games.jsonl"):
        with pytest.raises(InputError, match=r"cannot be written .*: name another file") as error:
            check_writable(wrong)
        assert str(wrong) in str(error.value)


def test_a_pipe_is_not_opened_before_its_time(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    check_writable(pipe)
    assert is_stream(pipe) and is_stream(Path(os.devnull))


def test_only_what_is_written_from_end_to_end_is_a_stream(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.touch()
    assert not any(map(is_stream, (file, tmp_path, tmp_path / "new")))
    assert is_stdout(Path("/dev/stdout")) and is_stream(Path("/dev/stdout"))
    assert not is_stdout(file)
