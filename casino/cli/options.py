"""Options that every command has."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from casino.config import Config

Command = TypeVar("Command", bound=Callable[..., Any])


def _load(_ctx: click.Context, _option: click.Parameter, file: Path | None) -> Config:
    """The settings in force, of a given file or the usual one."""
    from casino.config import load  # only here: a command's --help needs no settings

    return load(file)


def config_option(command: Command) -> Command:
    """Give a command `--config FILE`; it is called with the `Config` as its argument `config`."""
    return click.option(
        "--config",
        type=click.Path(path_type=Path),
        metavar="FILE",
        callback=_load,
        help="Settings to use instead of ./config.toml.",
    )(command)
