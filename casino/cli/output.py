"""Terminal output, and standard streams that may be closed at startup."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

import click

from casino.errors import FileError, InputError, MissingExtraError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

INTERRUPTED: Final = 130  # exit status after Ctrl-C
_ENDLESS: Final = 10_000  # line length in pipes and files

# Modes of the null device: stdin write-only and stdout read-only, so that using them fails.
_MODES = (os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)


def open_closed_streams() -> None:
    """Open the null device in place of each closed standard stream.

    Otherwise the next file opened, such as the database, would get the stream's descriptor, and
    text printed to the stream would be written into that file. Reading a closed stdin and writing
    to a closed stdout still fail; output to a closed stderr is lost.
    """
    for number, mode in enumerate(_MODES):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)  # gets the lowest free number, which is this one
    sys.stdin = sys.stdin or _stream(0, "r")
    sys.stdout = sys.stdout or _stream(1, "w")
    sys.stderr = sys.stderr or _stream(2, "w")


def escape_unencodable() -> None:
    """Make stdout and stderr escape characters that the terminal's encoding lacks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and codecs.lookup(stream.encoding).name != "utf-8":
            stream.reconfigure(errors="backslashreplace")


def write_utf8() -> None:
    """Make stdout write UTF-8 in every locale, because other programs read it."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="strict")


def make_console(stream: TextIO | None = None) -> Console:
    """Return a console for a stream (default: stdout); it wraps lines only in a terminal."""
    from rich.console import Console  # only here: --help needs none of it

    file = stream or sys.stdout
    return Console(file=file, highlight=False, width=None if file.isatty() else _ENDLESS)


def say_compiling() -> None:
    """Print that the game is being compiled, which delays the first run."""
    text = "1 to 3 minutes, once; if interrupted, it starts over."
    print(f"Compiling the game for this machine: {text}", file=sys.stderr)


def ask_password(prompt: str, *, twice: bool = False) -> str:
    """Ask for a password in the terminal, or read it as a line of standard input."""
    if sys.stdin.isatty():
        return str(click.prompt(prompt, hide_input=True, confirmation_prompt=twice, err=True))
    if password := sys.stdin.readline().rstrip("\r\n"):
        return password
    raise InputError(f"no {prompt.lower()}: type it in a terminal, or pipe it in as a line")


@contextmanager
def writing(file: Path) -> Iterator[None]:
    """Remove the file if writing it does not finish; name it in the error if writing fails."""
    try:
        yield
    except BaseException as error:
        if isinstance(error, OSError) and error.filename:
            raise  # it could not be opened, so nothing was written
        if file.is_file():
            file.unlink()
        if isinstance(error, OSError):
            text = f"cannot write {file} ({error.strerror}): free some space or choose another file"
            raise FileError(text) from None
        raise


def discard(stream: TextIO) -> None:
    """Discard the buffered output of a broken stream, so that Python's exit does not fail."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        stream.flush()
    except (OSError, ValueError):
        pass


def _stream(number: int, mode: str) -> TextIO:
    return open(number, mode, encoding="utf-8", closefd=False)  # type: ignore[return-value]


def check_image_file(file: Path) -> None:
    """Raise an error if the file is not .svg or .png, or if matplotlib is missing."""
    if file.suffix.lower() not in (".svg", ".png"):
        raise InputError(f"{file}: name it .svg or .png")
    if find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib")


def progress(total: int | None, first: str) -> AbstractContextManager[Progress | None]:
    """Return a progress bar with `total` steps, or a null context if stderr is not a terminal.

    If `total` is None, the bar only counts the steps.
    """
    if not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    steps = "{task.completed:,.0f}" + (" of {task.total:,.0f}" if total is not None else "")
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn(steps),
        TimeRemainingColumn(elapsed_when_finished=True),
        console=Console(stderr=True),
        transient=True,
        # Into a pipe, what is printed meanwhile must not be redirected to stderr.
        redirect_stdout=sys.stdout.isatty(),
    )
    bar.add_task(first, total=total)
    return bar
