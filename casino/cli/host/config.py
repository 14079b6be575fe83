"""`casino config`: check the settings, and show those that are in force."""

from __future__ import annotations

import json
from pathlib import Path

import click

from casino.cli.common import PATH, config_path
from casino.config import DEFAULT_FILE, KEYS, TABLES, chosen_file, load, values_of
from casino.config_tables import table_plans, unfair_tables, with_default_tables
from casino.errors import InputError


@click.command(epilog="Example: casino config check config.toml")
@config_path
@click.argument(
    "order", type=click.Choice(["show", "check"]), default="show", metavar="[show|check]"
)
@click.argument("file", type=PATH, required=False)
def command(config: Path | None, order: str, file: Path | None) -> None:
    """Show the settings in force, as TOML with default tables as comments; with FILE, its settings.

    With check, say only whether they are valid, and load your own bots; exit with 2 if not.
    """
    chosen = chosen_file(file or config)
    settings = load(chosen)
    if order == "check":
        try:
            plans = table_plans(with_default_tables(settings))
        except InputError as error:
            raise InputError(f"{chosen}: {error}" if chosen else str(error)) from None
        source = chosen or f"no {DEFAULT_FILE} here, so the defaults apply"
        click.echo(f"{source}: the settings are valid")
        for warning in unfair_tables(plans):
            click.echo(f"Warning: {warning}.", err=True)
        return
    sections = {table: values_of(getattr(settings, table)) for table in KEYS}
    tables = with_default_tables(settings).tables
    sections |= {f"{TABLES}.{name}": values for name, values in tables.items()}
    for section, values in sections.items():
        # With default tables as settings, a value changed above them would not apply to them.
        mark = "# " if section not in KEYS and not settings.tables else ""
        click.echo(f"{mark}[{section}]")
        for key, value in values.items():
            click.echo(f"{mark}{key} = {json.dumps(value)}")  # JSON's texts, lists are TOML's
        click.echo()
