"""`casino backup`: copy a casino while it runs, and audit the copy."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from casino.cli.options import config_option, db_option, log_location, remove_on_failure

if TYPE_CHECKING:
    from casino.config import Config


@click.command(
    epilog="Example: casino backup casino-monday.db",
    short_help="Copy a casino, running or stopped, and audit the copy.",
)
@config_option
@db_option
@click.option(
    "--with-keys",
    is_flag=True,
    help="Also copy the house's secrets: the key, the master secret, hidden cards.",
)
@click.argument("out", type=click.Path(path_type=Path))
def command(config: Config, db: str | None, with_keys: bool, out: Path) -> int:
    """Copy the casino's file to OUT, with OUT.pub and OUT.checkpoint, and audit the copy.

    Without --with-keys the copy holds no secret: a casino continued from it would void its running
    games and begin new chains of seeds. Nothing is overwritten. Exits with 1 if the audit of the
    copy finds anything wrong.
    """
    from casino.audit import FileSource, audit  # only here: --help needs none of it
    from casino.ledger.storage.backup import backup

    is_new = not out.exists()
    with remove_on_failure(out) if is_new else nullcontext():
        backup(log_location(config, db), out, with_keys=with_keys)
    problems = [
        finding
        for finding in audit(FileSource(out)).findings
        # Without keys, the secrets of running games are left out on purpose.
        if finding.severity == "error" and (with_keys or finding.check != "secrets")
    ]
    for finding in problems:
        click.echo(f"{finding.severity}: {finding}")
    click.echo(f"{out}: {'NOT clean' if problems else 'clean'}")
    return 1 if problems else 0
