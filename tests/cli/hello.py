"""A small command for the tests of the command line; its argument decides the outcome."""

from __future__ import annotations

import sys

import click

from casino.cli.options import config_option
from casino.config import Config
from casino.errors import CardsError


@click.command(epilog="Example: casino hello good")
@click.argument("what")
@click.option("--times", type=click.IntRange(1, 1_000_000), default=1)
@config_option
def command(what: str, times: int, config: Config) -> int | None:
    match what:
        case "bad":
            raise CardsError("XX is no card")
        case "interrupted":
            raise KeyboardInterrupt
        case "found":
            return 1
        case "many":
            for _ in range(times):
                click.echo("hello")
        case _:
            click.echo(f"hello {what} at {config.table.pace_ms} ms")
    return None


if __name__ == "__main__":
    from casino.cli import LazyGroup, main

    sys.exit(main(group=LazyGroup({("", "Say"): {"hello": "Say hello, or fail to."}}, "tests.cli")))
