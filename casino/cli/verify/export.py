"""`casino export`: write the ledger or the log for other programs."""

from __future__ import annotations

import sys
from io import TextIOWrapper
from pathlib import Path

import click

from casino.cli.common import PATH, config_option, db_option, log_location, writing
from casino.config import Config
from casino.errors import escape_unprintable
from casino.reports.export import FORMATS, export


@click.command(epilog="Example: casino export --format beancount -o casino.beancount")
@config_option
@click.option("--format", "form", type=click.Choice(list(FORMATS)), required=True)
@db_option
@click.option(
    "-o",
    "--output",
    type=PATH,
    metavar="FILE",
    help="A new file to write; default: standard output.",
)
def command(config: Config, form: str, db: str | None, output: Path | None) -> None:
    """Export the casino's file: books for accountants, every leaf, or the games."""
    location = log_location(config, db)
    lines = export(location, form)
    if output is None:
        if isinstance(sys.stdout, TextIOWrapper):  # other programs read UTF-8 in every locale
            sys.stdout.reconfigure(encoding="utf-8", errors="strict")
        is_terminal = sys.stdout.isatty()
        for text in lines:
            shown = "\n".join(map(escape_unprintable, text.split("\n"))) if is_terminal else text
            # Not click.echo, which removes what looks like a colour from a pipe.
            sys.stdout.write(shown)
        return
    with writing(output), output.open("x", encoding="utf-8", newline="") as file:
        file.writelines(lines)
