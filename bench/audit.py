"""The audit: leaves a second, games a second, and the memory of all its processes.

Run it with `make bench`, or, from the project's folder, `python -m bench.audit`; with
`--leaves 10000000` it takes some minutes to write a file of two gigabytes.

Figures are medians. They are times on a clock, and an audit takes every core: look at the load
that is printed with them, and at the processor time, which moves less.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median

import click
from rich.console import Console
from rich.table import Table

from bench._tree import medians, watch
from casino.audit import FileSource, audit
from casino.audit.checks.store import check_accounts
from casino.audit.jobs import job_queue
from casino.audit.pipeline import AuditPipeline
from casino.audit.tree import check_tree
from casino.events.types import GrantTerms, SeatChanged
from casino.ledger import accounts
from casino.ledger.entries import GREATEST, Leaf
from casino.ledger.ledger import Ledger
from casino.ledger.tlog.key_rotation import keys_of
from casino.ledger.transaction import Answer, Transaction
from casino.table.domain.settings import TableSettings
from casino.table.runtime import simulated_bettors
from casino.table.runtime.casino import TablePlan, run_simulated

REFILL = "refill"
TERMS = GrantTerms(
    bank_cents=GREATEST, opening_cents=0, refill_cents=GREATEST, refill_ms=0, spectator_cents=0
)


def seat(number: int) -> Leaf:
    """A player waits for a table's seat, or goes again."""
    return SeatChanged(player="ann", table="t1", what="left" if number % 2 else "queued")


def fill(path: Path, leaves: int) -> None:
    """A file of many leaves and no game: of each ten, two entries and eight others."""
    clock = count(1_700_000_000_000, 7)
    bank = Ledger(path, lambda: next(clock))
    bank.submit(lambda tx: {"leaf": tx.log(TERMS)}, "terms", b"").result()

    def work(tx: Transaction) -> Answer:
        for number in range(10):
            player = f"p{tx.next_leaf % 1000}"
            if number < 2:
                tx.post(accounts.grant(player, 100, REFILL))
            else:
                tx.log(seat(number))
        return {}

    for first in range(0, leaves, 10_000):
        futures = [bank.submit(work, f"fill.{n}", b"") for n in range(first, first + 10_000, 10)]
        for future in futures:
            future.result()
    bank.close()


def play(path: Path, games: int) -> None:
    """A file of whole games with ten spectators."""
    habits = tuple(simulated_bettors.HABITS)
    run_simulated(path, [TablePlan(TableSettings("t1"), spectators=10, habits=habits)], 1, games)


def check_leaves_and_money(path: Path) -> None:
    """Check the log, the tree and the money of a file, as the audit does."""
    source, state = FileSource(path), AuditPipeline(None)
    with job_queue(os.cpu_count() or 1) as jobs:
        tree = jobs.start(check_tree, source.reopener(), keys_of(source.log))
        for leaves, _ in source.chunks():
            state.feed(leaves)
        state.finish()
        findings = [*state.findings, *tree().findings]
    assert not [*findings, *check_accounts(source.log, state.ledger.balances)]


def seconds(work: Callable[[], object]) -> float:
    """How long something takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def long_logs(folder: Path, leaves: int, laps: int) -> Table:
    """Logs of different lengths: these checks alone, then the whole command."""
    table = Table(
        "leaves", "log, tree, money /s", "command /s", "CPU µs a leaf", "memory MB", "load"
    )
    command = [sys.executable, "-m", "casino", "audit", "--json", "--db"]
    for size in (leaves // 10, leaves):
        path = folder / f"{size}.db"
        fill(path, size)
        first = median(seconds(partial(check_leaves_and_money, path)) for _ in range(laps))
        runs = [watch([*command, str(path)]) for _ in range(laps)]
        found = json.loads(runs[0].output)["leaves"]
        table.add_row(f"{found:,}", f"{found / first:,.0f}", *medians(runs, found))
    return table


def whole_games(path: Path, laps: int) -> Table:
    """A file of games, with all checks."""
    table = Table("audit", "leaves /s", "games /s", "load")
    for name, workers in (("on one core", 1), ("on all cores", None)):
        times: list[float] = []
        for _ in range(laps):
            started = time.perf_counter()
            report = audit(FileSource(path), workers=workers)
            times.append(time.perf_counter() - started)
            assert report.is_clean, report.findings[:3]
        taken = median(times)
        rates = (f"{count / taken:,.0f}" for count in (report.leaves, report.games))
        table.add_row(name, *rates, f"{os.getloadavg()[0]:.1f}")
    return table


@click.command(epilog="Example: python -m bench.audit --leaves 10000000")
@click.option("--games", default=1_450, help="How many games the audited file holds.")
@click.option("--leaves", default=1_000_000, help="How long the longest log is.")
@click.option("--laps", default=3, help="How often each audit runs.")
def main(games: int, leaves: int, laps: int) -> None:
    """Measure the audit."""
    console = Console()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        console.print(long_logs(folder, leaves, laps))
        path = folder / "night.db"
        play(path, games)
        console.print(whole_games(path, laps))


if __name__ == "__main__":
    main()
