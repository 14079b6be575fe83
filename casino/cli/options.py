"""Options that every command has."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

if TYPE_CHECKING:
    from casino.config import Config


class Words(click.ParamType[str]):
    """A text in UTF-8, its letters composed, as the casino keeps names."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The text."""
        try:
            value.encode()
        except UnicodeEncodeError:
            self.fail("is not in UTF-8.", param, ctx)
        return unicodedata.normalize("NFC", value.strip())


WORDS: Final = Words()

Command = TypeVar("Command", bound=Callable[..., Any])


def config_option(command: Command) -> Command:
    """Give a command `--config FILE`; it is called with the `Config` as its argument `config`."""
    return _option(command, lambda _context, _option, file: _load(file), expose_value=True)


def config_checked(command: Command) -> Command:
    """Give a command that no setting concerns `--config FILE`: it is checked and left at that."""
    return _option(
        command, lambda _context, _option, file: file and _load(file), expose_value=False
    )


def _option(command: Command, callback: Callable[..., Any], *, expose_value: bool) -> Command:
    """Add the option to a command."""
    option = click.option(
        "--config",
        type=click.Path(path_type=Path),
        metavar="FILE",
        callback=callback,
        expose_value=expose_value,
        help="Settings to use instead of ./config.toml.",
    )
    return option(command)


def _load(file: Path | None) -> Config:
    """The settings in force, of a given file or the usual one."""
    from casino.config import load  # only here: a command's --help needs no settings

    return load(file)
