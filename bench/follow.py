"""Following a log from outside: how soon `casino follow --once` has caught up with a long one.

Run it with `make bench`, or, from the project's folder, `python -m bench.follow`. The log has no
games; its tiles lie in the memory of another process, which takes next to nothing to serve them.
Every leaf is fetched, proved to be under the signed checkpoint, and audited.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from bench._process import Process
from bench._tree import medians, watch
from bench.audit import fill


def catch_up(address: str, laps: int) -> Table:
    """One follower after the other, each of them new to the log."""
    runs = []
    for _ in range(laps):
        with tempfile.TemporaryDirectory() as state:
            command = ["-m", "casino", "follow", address, "--once", "--json", "--state", state]
            runs.append(watch([sys.executable, *command]))
    found = [json.loads(run.output) for run in runs]
    assert not any(one["findings"] for one in found), found[0]["findings"][:3]
    leaves = found[0]["leaves"]
    table = Table("leaves", "caught up, leaves /s", "CPU µs a leaf", "memory MB", "load")
    table.add_row(f"{leaves:,}", *medians(runs, leaves))
    return table


@click.command(epilog="Example: python -m bench.follow --leaves 10000000")
@click.option("--leaves", default=1_000_000, help="How long the log is.")
@click.option("--laps", default=3, help="How often it is followed from its beginning.")
@click.option("--db", type=click.Path(path_type=Path, exists=True), help="The file of such a log.")
def main(leaves: int, laps: int, db: Path | None) -> None:
    """Measure how soon a follower has caught up."""
    with tempfile.TemporaryDirectory() as name:
        path = db or Path(name) / "casino.db"
        if db is None:
            fill(path, leaves)
        server = Process("bench._tiled", path)
        try:
            Console().print(catch_up(server.hear(), laps))
        finally:
            server.end()


if __name__ == "__main__":
    main()
