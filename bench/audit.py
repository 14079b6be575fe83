"""The audit: leaves a second, games a second, and the memory of all its processes.

Run it with `make bench`, or, from the project's folder, `python -m bench.audit`; with
`--leaves 10000000` it takes some minutes to write a file of two gigabytes.

Figures are medians. They are times on a clock, and an audit takes every core: look at the load
that is printed with them, and at the processor time, which moves less. The file of games fills
just two of the ranges that an audit hands out, so that two cores have the same to do, as they
have on a long log.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from operator import sub
from pathlib import Path
from statistics import median

import click
from rich.console import Console
from rich.table import Table

from bench._tree import medians, watch
from casino.audit import FileSource, audit
from casino.audit.checks.store import check_accounts
from casino.audit.damaged_pages import check_range
from casino.audit.pipeline import AuditPipeline
from casino.events import factories
from casino.ledger import accounts
from casino.ledger.entries import Leaf
from casino.ledger.ledger import Ledger
from casino.ledger.tlog.key_rotation import keys_of
from casino.ledger.transaction import Answer, Transaction
from tests.ledger.issues import REFILL, issue
from tests.ledger.night import Night, SimulatedClock, open_bank


def limit(player: str, number: int) -> Leaf:
    """A player limits himself."""
    return factories.limit_set(player, {"day_stake_cents": number}, 0)


def fill(path: Path, leaves: int, other: Callable[[str, int], Leaf] = limit) -> None:
    """A file of many leaves and no game: of each ten, two entries and eight others."""
    bank = Ledger(path, SimulatedClock())
    issue(bank)

    def work(tx: Transaction) -> Answer:
        for number in range(10):
            player = f"p{tx.next_leaf % 1000}"
            if number < 2:
                tx.post(accounts.grant(player, 100, REFILL))
            else:
                tx.log(other(player, number))
        return {}

    for first in range(0, leaves, 10_000):
        futures = [bank.submit(work, f"fill.{n}", b"") for n in range(first, first + 10_000, 10)]
        for future in futures:
            future.result()
    bank.close()


def play(folder: Path, games: int) -> tuple[Path, float]:
    """A file of whole games, and how many a second were played and made durable step by step."""
    path = folder / "night.db"
    bank = open_bank(path, SimulatedClock())
    table = Night(bank, bettors=10, chain_length=games)
    started = time.perf_counter()
    for _ in range(games):
        table.play_game()
    taken = time.perf_counter() - started
    bank.close()
    return path, games / taken


def check_leaves_and_money(path: Path) -> None:
    """Check the log, the tree and the money of a file without games, as the audit does."""
    source, state = FileSource(path), AuditPipeline(None)
    with multiprocessing.get_context("spawn").Pool(os.cpu_count()) as pool:
        for outcome in pool.imap(
            check_range, source.jobs(keys_of(source.log.store), games=False, decide=None)
        ):
            state.join(outcome)
    state.finish()
    assert not [*state.findings, *check_accounts(source.log, state.money.balances)]


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
    """A file of games: all checks, all but the games', and what these take, by difference."""
    table = Table("audit", "leaves /s", "games /s", "games' checks alone, games /s", "load")
    for name, workers in (("on one core", 1), ("on all cores", None)):
        rest: list[float] = []
        whole: list[float] = []
        for _ in range(laps):
            for games, times in ((False, rest), (True, whole)):
                started = time.perf_counter()
                report = audit(FileSource(path), workers=workers, games=games)
                times.append(time.perf_counter() - started)
                assert report.is_clean, report.findings[:3]
        taken = median(whole)
        table.add_row(
            name,
            f"{report.leaves / taken:,.0f}",
            f"{report.games / taken:,.0f}",
            f"{report.games / median(map(sub, whole, rest)):,.0f}",
            f"{os.getloadavg()[0]:.1f}",
        )
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
        path, rate = play(folder, games)
        console.print(f"one table plays {rate:,.0f} games /s, each step durable by itself")
        console.print(whole_games(path, laps))


if __name__ == "__main__":
    main()
