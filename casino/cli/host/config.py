"""`casino config`: check the settings, and show those that are in force."""

from __future__ import annotations

import json
from pathlib import Path

import click

from casino.cli.common import FILE, config_option
from casino.config import KEYS, TABLES, Config, load, values_of
from casino.config_tables import with_default_tables
from casino.table.runtime.witness_client import parse_witnesses


@click.command(epilog="Example: casino config check config.toml")
@config_option
@click.argument(
    "order", type=click.Choice(["show", "check"]), default="show", metavar="[show|check]"
)
@click.argument("file", type=FILE, required=False)
def command(config: Config, order: str, file: Path | None) -> None:
    """Show the settings in force, as TOML with default tables as comments; with FILE, its settings.

    With check, say only whether they are valid; exit with 2 if one is not.
    """
    if file is not None:
        config = load(file)
    if order == "check":
        parse_witnesses(config.witness.at)
        click.echo("The settings are valid.")
        return
    sections = {table: values_of(getattr(config, table)) for table in KEYS}
    sections |= {f"{TABLES}.{name}": values for name, values in config.tables.items()}
    # With default tables as settings, a value changed above them would not apply to them.
    defaults = {} if config.tables else with_default_tables(config).tables
    sections |= {f"{TABLES}.{name}": values for name, values in defaults.items()}
    for section, values in sections.items():
        mark = "# " if section.partition(".")[2] in defaults else ""
        click.echo(f"{mark}[{section}]")
        for key, value in values.items():
            click.echo(f"{mark}{key} = {json.dumps(value)}")  # JSON's texts, lists are TOML's
        click.echo()
