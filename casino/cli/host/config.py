"""`casino config`: check the settings, and show those that are in force."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from casino.cli.options import FILE, config_option

if TYPE_CHECKING:
    from casino.config import Config


@click.command(epilog="Example: casino config check config.toml")
@config_option
@click.argument(
    "order", type=click.Choice(["show", "check"]), default="show", metavar="[show|check]"
)
@click.argument("file", type=FILE, required=False)
def command(config: Config, order: str, file: Path | None) -> None:
    """Show the settings in force, as TOML; with FILE, those of that file.

    With check, say only whether they are valid; exit with 2 if one is not.
    """
    from casino.config import KEYS, TABLES, load, values_of  # only here: --help needs none of it
    from casino.table.runtime.witness_client import parse_witnesses

    if file is not None:
        config = load(file)
    if order == "check":
        parse_witnesses(config.witness.at)
        click.echo("The settings are valid.")
        return
    sections = {table: values_of(getattr(config, table)) for table in KEYS}
    sections |= {f"{TABLES}.{name}": values for name, values in config.tables.items()}
    for section, values in sections.items():
        click.echo(f"[{section}]")
        for key, value in values.items():
            click.echo(f"{key} = {json.dumps(value)}")  # JSON's texts, numbers, lists are TOML's
        click.echo()
