"""`casino rotate-key`: sign the log with a new key from now on."""

from __future__ import annotations

import click

from casino.cli import common
from casino.clock import wall_ms
from casino.config import Config
from casino.errors import FileError
from casino.ledger.ledger import Ledger


@click.command(epilog="Example: casino rotate-key --db casino.db")
@common.config_option
@common.db_option
def command(config: Config, db: str | None) -> None:
    """Rotate the log's key: the old and the new key both sign a leaf that says so.

    Stop the casino first, and make a backup afterwards: an older one cannot continue the log.
    FILE.key and FILE.pub are replaced. Receipts under the old key stay valid:
    casino verify-receipt accepts it next to the log; elsewhere, keep a copy of the old FILE.pub.
    """
    location = common.log_location(config, db)
    if not location.exists():
        raise FileError(f"{location} does not exist: give the casino's file with --db")
    with location.lock():
        ledger = Ledger(location, wall_ms, config.bank.name)
        before = ledger.key.public
        after = ledger.rotate_key().public
        public_file = ledger.files.pub
    click.echo(
        f"{location}: signed by {after.key_id.hex()} from now on, by {before.key_id.hex()} before"
    )
    click.echo(
        "Make a backup now, because older ones cannot continue the log, and give the new "
        f"{public_file} to everyone who has the old one."
    )
