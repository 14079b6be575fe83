"""A small command for the tests of the command line; its argument decides the outcome."""

from __future__ import annotations

import click

from casino.cli.common import config_option
from casino.config import Config
from casino.errors import CardsError


@click.command(epilog="Example: casino hello good")
@click.argument("what")
@config_option
def command(what: str, config: Config) -> int | None:
    match what:
        case "bad":
            raise CardsError("XX is no card")
        case "interrupted":
            raise KeyboardInterrupt
        case "found":
            return 1
        case _:
            click.echo(f"hello {what} at {config.table.pace_ms} ms")
    return None
