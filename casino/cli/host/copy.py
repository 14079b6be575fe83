"""`casino copy`: copy a casino's log from a file to a database, or back."""

from __future__ import annotations

from contextlib import closing

import click

from casino.cli import common
from casino.config import Config
from casino.errors import FileError, InputError
from casino.ledger.backup import copy_log
from casino.ledger.side_files import CasinoFiles


@click.command(
    epilog="Example: casino copy --from casino.db --to postgresql://casino@db.lan/casino"
)
@common.config_option
@click.option("--from", "source", metavar="FILE|URL", required=True, help="The log to copy.")
@click.option("--to", "target", metavar="FILE|URL", required=True, help="The target.")
def command(config: Config, source: str, target: str) -> None:
    """Copy a log and all stored data, and compare every signature.

    This also converts a log from the previous format to the current one.

    Stop the casino first. The target must be empty or hold the beginning of the log: an
    interrupted copy is completed, an older one updated. The key and the other files next to a log
    are not copied; those of a database are named after [bank] db.
    """
    old, new = common.log_location(config, source), common.log_location(config, target)
    if old == new:
        raise InputError(f"{old} cannot be copied to itself: choose another target with --to")
    if not old.exists():
        raise FileError(f"there is no log at {old}: choose another with --from")
    new.exists()  # says what to do if a database cannot be reached
    # The locks are files, made only once the source has proved to be a log.
    with (
        closing(old.open_to_copy()) as reading,
        old.lock(),
        new.lock(),
        closing(new.reopen_store()) as writing,
    ):
        size, root = copy_log(reading, writing)
        writing.flush_journal()
    click.echo(f"{new}: {size:,} leaves, root {root.hex()}, as in {old}")
    files = CasinoFiles(old.path)
    sides = files.key, files.pub, files.master, files.former_master, files.checkpoint
    names = ", ".join(file.name for file in sides if file.exists())
    if names and old.path != new.path:
        click.echo(
            f"Before you start it, move {names} to {new.path}.*: only one may continue a log."
        )
