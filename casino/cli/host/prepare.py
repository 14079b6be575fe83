"""`casino prepare`: make a PostgreSQL database ready for a casino."""

from __future__ import annotations

import click

from casino.cli.common import config_checked


@click.command(epilog="Example: casino prepare postgresql:///casino --house casino")
@config_checked
@click.option("--house", metavar="ROLE", help="The role that the casino connects as.")
@click.argument("url")
def command(house: str | None, url: str) -> None:
    """Create the casino's tables in the database at URL, and let ROLE read and append to them.

    Run it once, as a role that may create a schema there but is not ROLE, the one that the casino
    uses. Then ROLE cannot change or delete what it has appended. Without --house the role in URL is
    also the casino's, and only triggers protect the log from it. Run it again to admit another.
    """
    from casino.ledger.storage.postgres import prepare, without_password

    prepare(url, house)
    admitted = "" if house is None else f", and {house} may append to it"
    click.echo(f"{without_password(url)} is ready{admitted}")
