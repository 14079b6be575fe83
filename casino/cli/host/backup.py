"""`casino backup`: copy a casino while it runs, and audit the copy."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import click

from casino.audit import FileSource, audit
from casino.cli import common
from casino.config import Config
from casino.ledger.backup import backup


@click.command(epilog="Example: casino backup casino-monday.db")
@common.config_option
@common.db_option
@click.option(
    "--with-keys",
    is_flag=True,
    help="Also copy the house's secrets: the key, the master secret, hidden cards.",
)
@click.argument("out", type=common.FILE)
def command(config: Config, db: str | None, with_keys: bool, out: Path) -> int:
    """Copy the casino's file to OUT, with OUT.pub and OUT.checkpoint, and audit the copy.

    A copy cannot be started, only restored with casino restore, because one log must not continue
    twice. Without --with-keys it holds no secret: casino restore then needs the casino's own .key
    and .master to continue the log. Nothing is overwritten. Exits with 1 if the audit of the copy
    finds anything wrong.
    """
    is_new = not out.exists()
    with common.writing(out) if is_new else nullcontext():
        backup(common.log_location(config, db), out, with_keys=with_keys)
    is_wrong = print_errors(out)
    click.echo(f"{'NOT CLEAN' if is_wrong else 'CLEAN'}: {out}")
    return int(is_wrong)


def print_errors(copy: Path) -> bool:
    """Print the errors in a copy, and return True if there are any."""
    findings = audit(FileSource(copy)).findings
    errors = [finding for finding in findings if finding.severity == "error"]
    for finding in errors:
        click.echo(f"{finding.severity}: {finding}")
    return bool(errors)
