"""The audit: leaves a second, games a second, and the memory of all its processes.

Figures are medians of wall-clock times, and an audit uses every core: read them with the load
printed beside them, or compare the processor time, which varies less.
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

from bench._process import WATCHED_COLUMNS, watch, watched_cells
from bench._timing import number_table
from casino.audit import FileSource, audit
from casino.audit.pipeline import AuditPipeline, job_runner
from casino.audit.tree import check_tree
from casino.events.types import GrantTerms, SeatChanged
from casino.ledger import accounts
from casino.ledger.entries import MAX_INT
from casino.ledger.ledger import Ledger
from casino.ledger.startup_checks import wrong_balances
from casino.ledger.transaction import Answer, Transaction
from casino.table.domain.settings import TableSettings
from casino.table.runtime import simulated_bettors
from casino.table.runtime.casino import TablePlan, run_simulated

TERMS = GrantTerms(
    bank_cents=MAX_INT, opening_cents=0, refill_cents=MAX_INT, refill_ms=0, spectator_cents=0
)
BATCH = 1_000  # commands in flight, of ten leaves each


def fill(path: Path, leaves: int) -> None:
    """Write a log without games: in each ten leaves, two entries and eight other events."""
    clock = count(1_700_000_000_000, 7)
    ledger = Ledger(path, lambda: next(clock))
    ledger.submit(lambda tx: {"leaf": tx.log(TERMS)}, "terms", b"").result()

    def work(tx: Transaction) -> Answer:
        for number in range(10):
            if number < 2:
                tx.post(accounts.grant(f"p{tx.next_leaf % 1000}", 100, "refill"))
            else:
                seat = "left" if number % 2 else "queued"
                tx.log(SeatChanged(player="ann", table="t1", what=seat))
        return {}

    for first in range(0, leaves // 10, BATCH):
        futures = [ledger.submit(work, f"fill.{n}", b"") for n in range(first, first + BATCH)]
        for future in futures:
            future.result()
    ledger.close()


def play(path: Path, games: int) -> None:
    habits = tuple(simulated_bettors.HABITS)
    run_simulated(path, [TablePlan(TableSettings("t1"), spectators=10, habits=habits)], 1, games)


def check_leaves_and_money(path: Path) -> None:
    """Check the log, the tree and the money of a file, as the audit does."""
    source, state = FileSource(path), AuditPipeline(None)
    with job_runner(os.cpu_count() or 1) as start_job:
        tree = start_job(check_tree, source.reopener(), source.log.keys())
        for leaves, _ in source.chunks():
            state.feed(leaves)
        state.finish()
        findings = [*state.findings, *tree().findings]
    assert not [*findings, *wrong_balances(source.log, state.ledger.all_balances())]


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def logs_table(folder: Path, leaves: int, rounds: int) -> Table:
    """Audit logs of two lengths: the checks of leaves and money alone, then the whole command."""
    columns = ("leaves", "leaves and money alone /s", *WATCHED_COLUMNS)
    table = number_table("Logs without games", *columns)
    command = [sys.executable, "-m", "casino", "audit", "--json", "--db"]
    for size in (leaves // 10, leaves):
        path = folder / f"{size}.db"
        fill(path, size)
        alone = median(seconds(partial(check_leaves_and_money, path)) for _ in range(rounds))
        runs = [watch([*command, str(path)]) for _ in range(rounds)]
        number = json.loads(runs[0].output)["leaves"]
        table.add_row(f"{number:,}", f"{number / alone:,.0f}", *watched_cells(runs, number))
    return table


def games_table(path: Path, rounds: int) -> Table:
    """Audit a log of games with all checks."""
    table = number_table("\nA log of games", "audit", "leaves /s", "games /s", "load")
    for name, workers in (("on one core", 1), ("on all cores", None)):
        times: list[float] = []
        for _ in range(rounds):
            started = time.perf_counter()
            report = audit(FileSource(path), workers=workers)
            times.append(time.perf_counter() - started)
            assert report.is_clean, report.findings[:3]
        rates = (f"{number / median(times):,.0f}" for number in (report.leaves, report.games))
        table.add_row(name, *rates, f"{os.getloadavg()[0]:.1f}")
    return table


@click.command(epilog="Example: python -m bench.audit --leaves 10000000 (2 GB, some minutes)")
@click.option("--games", default=1_450, show_default=True, help="Games in the log of games.")
@click.option("--leaves", default=1_000_000, show_default=True, help="Length of the longer log.")
@click.option("--rounds", default=3, show_default=True, help="Audits of each kind.")
def main(games: int, leaves: int, rounds: int) -> None:
    """Measure the audit."""
    console = Console()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        console.print(logs_table(folder, leaves, rounds))
        path = folder / "games.db"
        play(path, games)
        console.print(games_table(path, rounds))


if __name__ == "__main__":
    main()
