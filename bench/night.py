"""Headless games killed with -9 again and again, then audited, bots included.

The full length: `python -m bench.night --games 10000 --bettors 50 --kills 20`.
"""

from __future__ import annotations

import os
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

SEED = 1


def count_games(path: Path) -> int:
    try:
        log = open_log(path)
    except FileError:
        return 0
    games = sum(1 for _ in log.of_kinds(["game_over", "game_void"]))
    log.close()
    return games


def start(path: Path, games: int, tables: int, bettors: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "casino", "run", "--headless", "--games", str(games)]
    return subprocess.Popen(
        [*command, "--tables", str(tables), "--db", str(path)],
        env={**os.environ, "CASINO_SPECTATORS_NUMBER": str(bettors)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def play(path: Path, games: int, tables: int, bettors: int, kills: int) -> None:
    """Play all games; kill the casino at random numbers of games and start it again."""
    random = Random(SEED)
    points = sorted(random.randrange(1, games) for _ in range(kills))
    for point in [*points, None]:
        process = start(path, max(1, games - count_games(path)), tables, bettors)
        while process.poll() is None and (point is None or count_games(path) < point):
            time.sleep(0.05 + random.random() / 50)
        if process.poll() is None:
            process.kill()
        elif process.wait() != 0:
            raise click.ClickException(f"the casino ended with {process.returncode}")
        process.wait()


@click.command()
@click.option("--games", default=300, show_default=True, help="Games in total.")
@click.option("--bettors", default=50, show_default=True, help="Spectators at each table.")
@click.option("--tables", default=4, show_default=True, help="Tables.")
@click.option("--kills", default=4, show_default=True, help="How often the casino is killed.")
def main(games: int, bettors: int, tables: int, kills: int) -> int:
    """Play, kill, play on, audit."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "casino.db"
        began = time.perf_counter()
        play(path, games, tables, bettors, kills)
        played = time.perf_counter()
        report = audit(FileSource(path), decide=decide_again)
        size = path.stat().st_size / 2**20
    click.echo(f"{report.games} games, {bettors} bettors, {kills} kills: {played - began:.0f} s")
    click.echo(f"{report.leaves} leaves, {report.entries} entries, {size:.0f} MiB")
    result = "clean" if not report.findings else "NOT clean"
    click.echo(f"audited with --bots in {time.perf_counter() - played:.0f} s: {result}")
    for finding in report.findings[:10]:
        click.echo(f"{finding.severity}: {finding}")
    return 0 if report.is_clean else 1


if __name__ == "__main__":
    sys.exit(main(standalone_mode=False))
