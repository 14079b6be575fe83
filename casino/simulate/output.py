"""Output files of long runs: what they are, and whether they can be written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from casino.errors import InputError

STDOUT: Final = 1  # the file descriptor of standard output


def check_writable(file: Path) -> None:
    """Check before a long run that a file can be written after it."""
    if is_stream(file):
        return  # opening and closing a pipe would end it for its reader
    try:
        file.open("ab").close()
    except OSError as error:
        raise write_error(file, error) from None


def is_stream(file: Path) -> bool:
    """Return True if a file can only be written in order: stdout, a pipe, a device."""
    return is_stdout(file) or (file.exists() and not file.is_file() and not file.is_dir())


def is_stdout(file: Path) -> bool:
    """Return True if a file is standard output."""
    try:
        return os.path.samestat(file.stat(), os.fstat(STDOUT))
    except OSError:
        return False


def write_error(file: Path, error: OSError) -> InputError:
    """Return the error for a file that cannot be written."""
    return InputError(f"{file}: cannot be written ({error.strerror}): name another file")
