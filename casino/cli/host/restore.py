"""`casino restore`: start again from a backup."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from casino.cli.options import config_option, db_option, log_file
from casino.errors import FileError

if TYPE_CHECKING:
    from casino.config import Config
    from casino.ledger.entries import Origin


@click.command(
    epilog="Example: casino restore casino-monday.db --known checkpoint.txt",
    short_help="Restore a casino from a backup.",
)
@config_option
@db_option
@click.option(
    "--known",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE",
    help="A checkpoint kept elsewhere. May be repeated.",
)
@click.argument("copy", type=click.Path(path_type=Path))
def command(config: Config, db: str | None, known: tuple[Path, ...], copy: Path) -> int:
    """Restore COPY, made by casino backup, without overwriting anything.

    If COPY holds everything that the newest checkpoint signs, the casino continues its log.
    Otherwise, or if no checkpoint is known, a new log begins under a new key: everyone keeps the
    chips that COPY records, and the first leaf names the old log. The newest checkpoint is
    FILE.checkpoint, or one given with --known.

    If the audit of COPY finds anything wrong, nothing is restored and the exit status is 1.
    """
    from casino.audit import FileSource, audit  # only here: --help needs none of it
    from casino.ledger.restore import restore
    from casino.ledger.storage.location import SqliteLocation

    advice = "name a file with --db, and then copy it to the database with casino copy"
    path = log_file(config, db, advice)
    with SqliteLocation(path).lock():
        findings = audit(FileSource(copy)).findings
        wrong = [
            problem
            for problem in findings
            if problem.severity == "error" and problem.check not in ("secrets",)
        ]
        for finding in wrong:
            click.echo(f"{finding.severity}: {finding}")
        if wrong:
            click.echo(f"{copy}: NOT clean; nothing was restored")
            return 1
        notes = [_read(file) for file in known]
        done = restore(copy, path, lambda: time.time_ns() // 1_000_000, notes, config.bank.name)
    for moved in done.moved:
        click.echo(f"moved aside: {moved}", err=True)
    if done.after is None:
        click.echo(f"{path}: restored, {done.leaves} leaves; the log goes on")
    else:
        click.echo(f"{path}: a new log begins; {_lost(done.after)}. Keep {copy}: it is the old log")
    return 0


def _lost(after: Origin) -> str:
    if after.size > after.kept:
        return f"of the {after.size} leaves of {after.origin}, {after.size - after.kept} are lost"
    return f"no one can tell what {after.origin} had after its {after.kept} leaves"


def _read(file: Path) -> str:
    if not file.is_file():
        raise FileError(f"{file} is not there: name the file of a checkpoint with --known")
    return file.read_text("utf-8", "replace")
