"""What several commands share: option types, checks of options, and terminal output."""

from __future__ import annotations

import codecs
import os
import re
import signal
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial, reduce
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from shutil import copyfileobj
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any, Final, TextIO, TypeVar

import click

from casino.bots.registry import BOT_NAMES, get_bot
from casino.chips import parse_chips
from casino.client import DEFAULT_URL, TABLE_PAGE
from casino.errors import FileError, InputError, MissingExtraError

if TYPE_CHECKING:
    from rich.console import Console

    from casino.config import Config
    from casino.ledger.storage.location import LogLocation
    from casino.ledger.tlog import PublicKey

Wrapped = TypeVar("Wrapped", bound=Callable[..., Any])


def _nfc(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise click.BadParameter("is not valid UTF-8.") from None
    return unicodedata.normalize("NFC", text.strip())


# Option type for UTF-8 text, stripped and normalised to NFC like stored names.
WORDS: Final = click.types.FuncParamType(_nfc)


_NO_MAXIMUM: Final = 10**18  # the maximum for options that set none


class WholeNumber(click.ParamType[int]):
    """Option type for a whole number within a range, written in ASCII digits."""

    name = "number"

    def __init__(self, minimum: int, maximum: int = _NO_MAXIMUM) -> None:
        self.minimum = minimum
        self.maximum = maximum

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number, or fail with a message that names the allowed range."""
        if isinstance(value, int):
            return value
        if self.maximum == _NO_MAXIMUM and re.fullmatch("[0-9]{19,}", value):
            self.fail(f"{shorten(value)} is too large: give at most 18 digits.", param, ctx)
        sound = re.fullmatch("-?[0-9]{1,20}", value) is not None
        if not sound or not self.minimum <= int(value) <= self.maximum:
            allowed = f"from {self.minimum} to {self.maximum}"
            if self.maximum == _NO_MAXIMUM:
                allowed = f"of {self.minimum} or more"
            how = "" if sound else ", in digits only"
            self.fail(f"{shorten(value)} must be a whole number {allowed}{how}.", param, ctx)
        return int(value)


def shorten(text: str) -> str:
    """Quote the first 40 characters of a text for a one-line error message."""
    shown = repr(text[:40])
    return shown if len(text) <= 40 else f"{shown}…"


def chips(text: str) -> int:
    """Convert an amount of chips such as 5.00 to cents; this is an option type."""
    if (cents := parse_chips(text)) is None:
        raise click.BadParameter(f"{shorten(text)} is not an amount of chips: write 5 or 5.00.")
    return cents


def refuse_repeated(command: click.Command, context: click.Context, args: Sequence[str]) -> None:
    """Raise `UsageError` for an empty value, or a repeated option that takes one value.

    An empty value usually comes from an unset shell variable, and must not mean the default.
    """
    try:
        given_values, _, order = command.make_parser(context).parse_args(list(args))
    except click.UsageError as error:
        error.ctx = error.ctx or context  # its message names the command
        raise
    for param in order:
        name, way_out = param.make_metavar(context).strip("[]. "), ""
        if isinstance(param, click.Option):
            name, way_out = max(param.opts, key=len), ", or leave it out"
            takes_one = not (param.is_flag or param.multiple)
            if takes_one and order.count(param) > 1:
                raise click.UsageError(f"{name} is given twice: give it once.", context)
        value = given_values[param.name]
        for text in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(text, str) and not text.strip():
                raise click.UsageError(f"{name} is empty: give it a value{way_out}.", context)


def refuse_same_file(*names: str) -> None:
    """Raise `UsageError` if two options name the same file."""
    values, owners = click.get_current_context().params, dict[Path, str]()
    for name in filter(values.get, names):
        first = owners.setdefault(values[name].resolve(), name)
        if first != name:
            raise click.UsageError(
                f"{_flag(first)} and {_flag(name)} name the same file: give each its own."
            )


def refuse_conflicting(first: str, *others: str) -> None:
    """Raise `UsageError` if `first` and one of `others` are both on the command line."""
    for other in others:
        if _is_given(first) and _is_given(other):
            raise click.UsageError(
                f"{_flag(first)} and {_flag(other)} cannot be used together: leave one of them out."
            )


def refuse_without(needed: str, *others: str) -> None:
    """Raise `UsageError` if one of `others` is given without the `needed` option."""
    for other in others:
        if _is_given(other) and not _is_given(needed):
            raise click.UsageError(f"{_flag(other)} needs {_flag(needed)}: add it.")


def _is_given(name: str) -> bool:
    source = click.get_current_context().get_parameter_source(name)
    return source is click.core.ParameterSource.COMMANDLINE


def _flag(name: str) -> str:
    command = click.get_current_context().command
    parameter = next(candidate for candidate in command.params if candidate.name == name)
    return max(parameter.opts, key=len)


def _workers(number: str) -> int:
    if number != "auto":
        return WholeNumber(1, 1024).convert(number, None, None)
    # The processors that this process may use.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


BOT_LIST: Final = ", ".join(BOT_NAMES)


class BotNameType(click.Choice[str]):
    """Option type for a bot: a registered name, `expert:FILE`, or the user's own `module:Class`."""

    def __init__(self) -> None:
        super().__init__(BOT_NAMES)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the bot's name, after loading the table file or the module that it names."""
        if value not in BOT_NAMES:
            get_bot(value)
        return value


# Option types for a path, for a path that is no folder, and for a folder.
PATH: Final = click.Path(path_type=Path)
FILE: Final = click.Path(path_type=Path, dir_okay=False)
FOLDER: Final = click.Path(path_type=Path, file_okay=False)


def add_options(*options: Callable[[Any], Any]) -> Callable[[Wrapped], Wrapped]:
    """Return a decorator that adds several options in the given order."""
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)


# For commands that use several workers.
workers_options = add_options(
    click.option("--workers", type=_workers, metavar="NUMBER", default="auto", show_default=True),
    click.option(
        "--engine",
        "engine_name",
        default="auto",
        show_default=True,
        metavar="NAME",
        help="threads, processes or dask://HOST:PORT; auto chooses the fastest.",
    ),
)
# For commands that simulate games.
playing_options = add_options(
    click.option(
        "--seed",
        type=WholeNumber(0),
        default=1,
        show_default=True,
        help="The same seed gives the same games on any machine.",
    ),
    click.option("--law", multiple=True, metavar="K=V", help="Change a law: target=7. Repeatable."),
    click.option("--json", "as_json", is_flag=True, help="Print JSON only."),
    click.option("--plot", type=FILE, metavar="FILE", help="Draw a chart, .svg or .png."),
    workers_options,
)
# For commands that serve pages.
address_options = add_options(
    click.option(
        "--host", type=WORDS, metavar="ADDRESS", help="Address to listen on (default: [web] host)."
    ),
    click.option(
        "--port",
        type=WholeNumber(0, 65535),
        metavar="N",
        help="Port to listen on; 0: any free port.",
    ),
)


def _use_table_link(context: click.Context, _: object, url: str) -> str:
    if page := TABLE_PAGE.search(url):
        context.default_map = {"table": page[1], "link": page[2]}
    return url


# The address of a running casino; a table's link also stands for --table and --link.
url_argument = click.argument("url", default=DEFAULT_URL, is_eager=True, callback=_use_table_link)
link_option = click.option(
    "--link", metavar="KEY", help="The key at the end of a private table's link."
)
# Names a casino's log; see `log_location`.
db_option = click.option(
    "--db", metavar="FILE|URL", help="The casino's file, or the address of its database."
)


def log_location(config: Config, db: str | None, *, waits: bool = False) -> LogLocation:
    """Return the location of the casino's log, from `--db` or else from `[bank]`.

    If `waits`, opening a database that another casino has open waits until that one stops.
    The side files of a database are always named after `[bank] db`.
    """
    from casino.ledger.storage.location import (  # only here: --help needs none of it
        is_address,
        location_at,
    )

    if db is not None and db.startswith(("http://", "https://")):
        raise InputError(f"{db} is no file: give the casino's file with --db")
    if db is not None and not is_address(db):
        return location_at(Path(db))
    url = config.bank.url if db is None else db
    return location_at(Path(config.bank.db), url, waits=waits)


def _load(context: click.Context, _: object, file: Path | None) -> Config:
    from casino.config import load  # only here: a command's --help needs no settings

    return load(file)


_config_option = partial(
    click.option,
    "--config",
    type=PATH,
    metavar="FILE",
    help="Settings to use instead of ./config.toml.",
)
# The command receives the settings as `config`.
config_option = _config_option(callback=_load)
# The command receives the path of the settings as `config`.
config_path = _config_option()
# For a command that uses no settings; the file is only validated.
config_checked = _config_option(
    callback=lambda context, option, file: file and _load(context, option, file), expose_value=False
)


def witness_options(flag: str = "--witness") -> Callable[[Wrapped], Wrapped]:
    """Return a decorator that adds the options for the witnesses' keys and the quorum."""
    return add_options(
        click.option(
            flag,
            "witnesses",
            multiple=True,
            metavar="KEY",
            help="The key of a witness you trust. May be repeated.",
        ),
        click.option(
            "--quorum",
            type=WholeNumber(1),
            metavar="N",
            help="How many of these must have cosigned (default: all).",
        ),
    )


def parse_witnesses(
    witnesses: tuple[str, ...], quorum: int | None, option: str = "--witness"
) -> tuple[tuple[PublicKey, ...], int]:
    """Return the witnesses' keys and the quorum, which defaults to their number."""
    from casino.ledger.tlog import COSIGNATURE, read_key  # only here: --help needs none of it

    if quorum is not None and quorum > len(witnesses):
        raise click.UsageError(f"--quorum {quorum} needs at least {quorum} {option} KEY.")
    keys = tuple(read_key(witness, COSIGNATURE, option) for witness in witnesses)
    return keys, len(keys) if quorum is None else quorum


DASH: Final = Path("-")  # stdin or stdout in place of a file


@contextmanager
def stdin_as_file(file: Path) -> Iterator[Path]:
    """Yield the file, or for "-" a temporary copy of stdin, which can be read several times."""
    if file != DASH:
        yield file
        return
    with NamedTemporaryFile() as copy:
        copyfileobj(sys.stdin.buffer, copy)
        copy.flush()
        try:
            yield Path(copy.name)
        except FileError as error:
            raise FileError(str(error).replace(copy.name, "standard input")) from None


def full_game_name(name: str) -> str:
    """Return a game's name with all six digits of its number.

    >>> full_game_name("t1-5")
    't1-000005'
    """
    table, dash, number = name.rpartition("-")
    return f"{table}-{number:0>6}" if dash and number.isdigit() else name


def read_text(file: Path) -> str:
    """Return the text of a file, or of stdin for "-". Raise `FileError` if it cannot be read."""
    try:
        return (sys.stdin.buffer.read() if file == DASH else file.read_bytes()).decode("utf-8")
    except OSError as error:
        raise FileError(f"cannot read {file} ({error.strerror}): choose another file") from None
    except UnicodeDecodeError:
        raise FileError(f"{file} is not a text file: choose another file") from None


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


def make_console(stream: TextIO | None = None) -> Console:
    """Return a console for a stream (default: stdout); it wraps lines only in a terminal."""
    from rich.console import Console  # only here: --help needs none of it

    file = stream or sys.stdout
    return Console(file=file, highlight=False, width=None if file.isatty() else _ENDLESS)


def say_compiling() -> None:
    """Print that a kind of game is being compiled, which delays the first run."""
    text = "half a minute to three minutes, once; if interrupted, it starts over."
    print(f"Compiling this kind of game for this machine: {text}", file=sys.stderr)


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


def interruption(has_results: bool) -> click.Abort:
    """Return the error for a run that Ctrl-C ended, after its results are printed."""
    return click.Abort("these are the results so far" if has_results else "no games finished yet")


def interrupt_on_sigterm() -> None:
    """Treat SIGTERM like Ctrl-C, so that `timeout` and `kill` also end a long run cleanly."""

    def interrupt(*_: object) -> None:
        # A shell starts its background jobs with SIGINT ignored.
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
            raise KeyboardInterrupt
        signal.raise_signal(signal.SIGINT)

    signal.signal(signal.SIGTERM, interrupt)


def discard(stream: TextIO) -> None:
    """Discard the buffered output of a broken stream, so that Python's exit does not fail."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        stream.flush()


def _stream(number: int, mode: str) -> TextIO:
    return open(number, mode, encoding="utf-8", closefd=False)  # type: ignore[return-value]


def check_image_file(file: Path) -> None:
    """Raise an error if the file is not .svg or .png, or if matplotlib is missing."""
    if file.suffix.lower() not in (".svg", ".png"):
        raise InputError(f"{file}: name it .svg or .png")
    if find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib")


@contextmanager
def progress(
    total: int | None, first: str, *, quiet: bool = False
) -> Iterator[Callable[..., object]]:
    """Show a progress bar with `total` steps if stderr is a terminal, unless `quiet`.

    Yields `Progress.update` for it. If `total` is None, the bar only counts the steps.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda **_: None
        return
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
    with bar:
        yield partial(bar.update, bar.add_task(first, total=total))
