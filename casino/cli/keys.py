"""Keys given on the command line: those of logs and of witnesses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from casino.cli.options import WholeNumber
from casino.errors import FileError

if TYPE_CHECKING:
    from casino.ledger.tlog.note import PublicKey

Function = TypeVar("Function", bound=Callable[..., Any])


def witness_options(function: Function) -> Function:
    """Add the options that name witnesses and the quorum."""
    quorum = click.option(
        "--quorum",
        type=WholeNumber(1),
        metavar="N",
        help="How many of these must have cosigned (default: all).",
    )
    witness = click.option(
        "--witness",
        "witnesses",
        multiple=True,
        metavar="KEY",
        help="The key of a witness you trust. May be repeated.",
    )
    return witness(quorum(function))


def parse_witnesses(
    witnesses: tuple[str, ...], quorum: int | None
) -> tuple[tuple[PublicKey, ...], int]:
    """Return the keys of some witnesses, and the quorum."""
    from casino.ledger.tlog.note import COSIGNATURE  # only here: --help needs none of it

    if quorum is not None and quorum > len(witnesses):
        raise click.UsageError(f"--quorum {quorum} needs as many --witness KEY.")
    keys = tuple(parse_key_option(witness, COSIGNATURE, "--witness") for witness in witnesses)
    return keys, len(keys) if quorum is None else quorum


def parse_key_option(text: str, kind: bytes, option: str) -> PublicKey:
    """Return the key in a text, or in the file it names."""
    from casino.ledger.tlog.note import PublicKey

    named = Path(text)
    if named.is_file():
        return PublicKey.parse(read_text(named), kind)
    if "+" not in text:
        raise FileError(
            f"{text} does not exist: give the key, or a file that holds it, with {option}"
        )
    return PublicKey.parse(text, kind)


def read_text(file: Path) -> str:
    """Return the text of a file."""
    try:
        return file.read_text("utf-8")
    except OSError as error:
        raise FileError(f"cannot read {file} ({error.strerror}): name another file") from None
    except UnicodeDecodeError:
        raise FileError(f"{file} is not text: name a receipt or a key") from None
