"""`casino export`: write the ledger or the log for other programs."""

from __future__ import annotations

from pathlib import Path

import click

from casino.books.export import FORMATS, export
from casino.cli.options import config_option
from casino.config import Config
from casino.errors import BadFile


@click.command(
    epilog="Example: casino export --format beancount -o casino.beancount",
    short_help="Write the ledger or the log for other programs.",
)
@config_option
@click.option("--format", "form", type=click.Choice(list(FORMATS)), required=True)
@click.option("--db", type=click.Path(path_type=Path), metavar="FILE", help="The casino's file.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where to write; else standard output.",
)
def command(config: Config, form: str, db: Path | None, output: Path | None) -> None:
    """Write what the casino's file holds: books for accountants, every leaf, or the games."""
    lines = export(db or Path(config.bank.db), form)
    if output is None:
        for line in lines:
            click.echo(line, nl=False)
        return
    try:
        with output.open("w", encoding="utf-8", newline="") as file:
            file.writelines(lines)
    except OSError as error:
        raise BadFile(f"{output} cannot be written: {error.strerror}") from None
