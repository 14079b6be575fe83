"""`casino restore`: start again from a backup."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click

from casino.cli import common
from casino.cli.host.backup import print_errors
from casino.clock import wall_ms
from casino.config import Config
from casino.errors import FileError, InputError
from casino.ledger.backup import restore
from casino.ledger.side_files import CasinoFiles
from casino.ledger.storage.location import SqliteLocation


@click.command(epilog="Example: casino restore casino-monday.db --known checkpoint.txt")
@common.config_option
@common.db_option
@click.option(
    "--known",
    type=common.PATH,
    multiple=True,
    metavar="FILE",
    help="A checkpoint kept elsewhere. May be repeated.",
)
@click.argument("copy", type=common.PATH)
def command(config: Config, db: str | None, known: tuple[Path, ...], copy: Path) -> int:
    """Restore COPY, made by casino backup, without overwriting anything.

    If COPY holds everything that the newest checkpoint signs, the casino continues its log.
    Otherwise, or if no checkpoint is known, a new log begins under a new key: everyone keeps the
    chips that COPY records, and the first leaf names the old log. The newest checkpoint is
    FILE.checkpoint, or one given with --known.

    Running games are void either way. If the audit of COPY finds anything wrong, nothing is
    restored and the exit status is 1.
    """
    location = common.log_location(config, db)
    if not isinstance(location, SqliteLocation):
        raise InputError(
            f"{location} is a database: restore to a file given with --db, and then copy that to"
            " the database with casino copy"
        )
    path, files = location.path, CasinoFiles(location.path)
    try:
        if print_errors(copy):
            click.echo(f"NOT CLEAN: {copy}; nothing was restored")
            return 1
    except FileError as error:  # its advice is for the casino's own file
        fault = re.split("[:;] give ", str(error))[0]
        raise FileError(f"{fault}: give a copy made by casino backup") from None
    with location.lock():
        notes = [common.read_text(file) for file in known]
        if not (notes or files.checkpoint.exists() or path.exists()):
            click.echo(
                f"There is no {files.checkpoint} and no --known FILE to show that the copy is"
                " complete: a new log begins, under a key that bettors must accept by hand.",
                err=True,
            )
            if sys.stdin.isatty():
                click.confirm("Begin a new log?", abort=True, err=True)
        done = restore(copy, path, wall_ms, notes, config.bank.name)
    for moved in done.moved:
        click.echo(f"moved aside: {moved}", err=True)
    if done.after is None:
        click.echo(f"{path}: restored, {done.leaves:,} leaves; the log continues")
    else:
        kept = f"it has {done.after.kept:,} of at least {done.after.size:,} leaves"
        text = f"a new log begins. It names the old one, {done.after.origin}"
        click.echo(f"{path}: {text}. Keep {copy}: {kept} of the old one.")
    if done.void:
        when = " as soon as the casino starts" if done.after is None else ""
        click.echo(f"void{when}, because they were running: {', '.join(done.void)}")
    if done.void and done.after is None and files.former_master.exists():
        click.echo(f"Keep {files.former_master}: it reveals the cards of the void games.")
    elif done.void and done.after is None:
        click.echo("The master secret is lost: every later audit reports these games as errors.")
        click.echo(f"For a new log, move {path} and {files.checkpoint} away and restore again.")
    return 0
