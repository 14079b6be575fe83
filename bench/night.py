"""A headless night killed with -9 again and again, and then audited, bots and all.

Run it with `make bench`, or at its full length with
`python -m bench.night --games 10000 --bettors 50 --kills 20`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

import click

from casino.audit import FileSource, audit
from casino.cli.verify.audit import decide_again
from casino.errors import FileError
from casino.ledger.ledger import open_log


def settled(path: Path) -> int:
    """How many games are decided in the file."""
    try:
        log = open_log(path)
    except FileError:
        return 0
    found = sum(1 for _ in log.of_kinds(["game_over", "game_void"]))
    log.close()
    return found


def start(path: Path, games: int, tables: int, bettors: int) -> subprocess.Popen[bytes]:
    """The real program, in a process of its own."""
    command = [sys.executable, "-m", "casino", "run", "--headless", "--games", str(games)]
    return subprocess.Popen(
        [*command, "--tables", str(tables), "--db", str(path)],
        env={**os.environ, "CASINO_SPECTATORS_NUMBER": str(bettors)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def play(path: Path, games: int, tables: int, bettors: int, kills: int, random: Random) -> None:
    """Play the night; it is killed at so many random points of it."""
    points = sorted(random.randrange(1, games) for _ in range(kills))
    for point in [*points, None]:
        process = start(path, max(1, games - settled(path)), tables, bettors)
        while process.poll() is None and (point is None or settled(path) < point):
            time.sleep(0.05 + random.random() / 50)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
        elif process.wait() != 0:
            raise click.ClickException(f"the casino ended with {process.returncode}")
        process.wait()


@click.command()
@click.option("--games", default=300, show_default=True, help="Games in all.")
@click.option("--bettors", default=50, show_default=True, help="Spectators at each table.")
@click.option("--tables", default=4, show_default=True, help="Tables.")
@click.option("--kills", default=4, show_default=True, help="How often it is killed.")
@click.option("--seed", default=1, show_default=True, help="Where it is killed.")
def main(games: int, bettors: int, tables: int, kills: int, seed: int) -> int:
    """Play, kill, go on, audit."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "casino.db"
        began = time.perf_counter()
        play(path, games, tables, bettors, kills, Random(seed))
        played = time.perf_counter()
        report = audit(FileSource(path), decide=decide_again)
        size = path.stat().st_size / 2**20
    click.echo(f"{report.games} games, {bettors} bettors, {kills} kills: {played - began:.0f} s")
    click.echo(f"{report.leaves} leaves, {report.entries} entries, {size:.0f} MiB")
    clean = "clean" if not report.findings else "NOT clean"
    click.echo(f"audited with --bots in {time.perf_counter() - played:.0f} s: {clean}")
    for finding in report.findings[:10]:
        click.echo(f"{finding.severity}: {finding}")
    return 0 if report.is_clean else 1


if __name__ == "__main__":
    sys.exit(main(standalone_mode=False))
